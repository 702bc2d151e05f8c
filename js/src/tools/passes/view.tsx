/** The list of XLA's passes with the changes of each, and the program after one of them. */
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { selectedEqns } from '../../facts/linked/linked';
import { sizeText } from '../../facts/text/describe';
import { __ } from '../../language';
import type { OpCount, Pass, Passes, Program, Stage } from '../../schema';
import { Bar } from '../../shell/bar';
import { type Column, DataTable } from '../../shell/parts/data-table';
import type { TabProps } from '../../shell/program-view';
import { JobProgress, useStages } from '../../stage/later-stages';
import { type Linking, useLinking } from '../../stage/linked/linking';
import { StageView } from '../../stage/stage-view';
import type { RequestState } from '../../state/kernel-requests';
import { eqnsText } from '../../words/fact-parts';
import { passOf, passText } from './words';

/** XLA's passes, and which of them is shown. */
export interface ShownPasses {
  /** Null until they were requested. */
  passes: Passes | null;
  /** The state of the last request; null if none is open or failed. */
  request: RequestState | null;
  /** The shown pass; 0 is the program before the first. */
  pass: number;
  /** The program after that pass, as a stage of the program. */
  stage: Stage | null;
  /** The changes of that pass, if they are shown instead of the program after it. */
  changes: Program | null;
  ask: (agreed: boolean) => void;
  /** Null if no kernel has the programs. */
  show: ((pass: number, changes: boolean) => void) | null;
  stop: () => void;
}

interface Props extends TabProps {
  shown: ShownPasses;
}

/** The list of passes, and below it the program after the shown pass, or its changes. */
export function PassesView(props: Props) {
  const { shown, linking, tabs, list, element, ...view } = props;
  const { passes, stage, changes, request } = shown;
  useEffect(() => {
    if (!passes && !request) shown.ask(false);
  }, []);
  const isListed = passes !== null && passes.constants === null;
  const below = [
    list,
    isListed && <PassList key="passes" {...{ shown, passes, linking }} />,
    <Request key="request" shown={shown} />,
  ];
  if (isListed && changes) {
    return (
      <Changes key={`changes ${shown.pass}`} {...{ ...view, changes, tabs, below, element }} />
    );
  }
  if (isListed && stage) {
    return (
      <StageView key={stage.kind} {...{ ...view, linking, stage, tabs, below }} partial={null} />
    );
  }
  return (
    <div class="jxv-frame jxv-short">
      <Bar {...{ program: linking.program, stage: null, partial: null, tabs }} tools={null} />
      {below}
    </div>
  );
}

interface ChangesProps extends Omit<TabProps, 'linking' | 'list'> {
  changes: Program;
  below: ComponentChildren;
}

/** The changes of a pass: a comparison with its own selection. */
function Changes({ changes, element, ...view }: ChangesProps) {
  const stages = useStages(changes, null);
  const linking = useLinking(stages, false, element, () => undefined, null, NO_SELECTION);
  const [stage] = changes.stages;
  return <StageView {...{ ...view, linking, stage: stage as Stage }} partial={null} />;
}

const NO_SELECTION = { bright: null, passText: null, below: null };

/** The kernel's progress, its failure, or a question to the reader. */
function Request({ shown: { passes, request, ask, stop } }: { shown: ShownPasses }) {
  if (request && 'doing' in request) {
    return (
      <div class="jxv-waiting">
        <JobProgress {...request} stop={stop} />
      </div>
    );
  }
  const size = passes?.constants ?? null;
  if (!request && (size === null || !passes)) return null;
  return (
    <div class="jxv-waiting">
      <p class="jxv-reason">
        {request
          ? request.failure
          : __(
              'After each pass, XLA writes the program and %1 of constants to a private folder. The folder is deleted after compiling.',
              sizeText(size ?? 0),
            )}
      </p>
      {(!passes || size !== null) && (
        <button type="button" class="jxv-button" onClick={() => ask(size !== null)}>
          {size === null ? __('Try again') : __('Agree, and compile once more')}
        </button>
      )}
    </div>
  );
}

interface ListProps {
  shown: ShownPasses;
  passes: Passes;
  linking: Linking;
}

/** The passes in order, with the changes of each. The pass in which the selection disappeared is
 * marked. */
function PassList({ shown, passes, linking: { program, focus } }: ListProps) {
  const eqns = useMemo(
    () => (focus ? selectedEqns(program.stages, focus) : []),
    [program.stages, focus],
  );
  const at = useMemo(() => new Set(eqns.map((eqn) => passOf(passes, eqn))), [passes, eqns]);
  const ops = useMemo(() => opsOf(program), [program]);
  const text = passText(passes, eqns);
  const before = { name: __('before the first pass'), ops: [], gone: passes.unnamed };
  const rows = [{ ...before, pipeline: '', instructions: passes.before }, ...passes.passes];
  const list = useRef<HTMLDivElement>(null);
  useShownRow(list, shown.pass);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <div class="jxv-passes" ref={list} tabIndex={0}>
      <DataTable
        caption={
          <>
            {__("What XLA's passes changed")}
            {text !== '' && (
              <span class="jxv-words"> · {__('HLO has %1 of the selection', text)}</span>
            )}
          </>
        }
        columns={columnsOf(shown, ops)}
        rows={rows}
        lookOf={(_, number) =>
          isShown(shown, number)
            ? 'jxv-passes-shown'
            : at.has(number)
              ? 'jxv-passes-took'
              : undefined
        }
      />
    </div>
  );
}

/** Scrolls the list to the shown pass. */
function useShownRow(list: RefObject<HTMLElement>, pass: number): void {
  useLayoutEffect(() => {
    const box = list.current;
    const row = box?.querySelectorAll('tr')[pass];
    if (box && row) box.scrollTop = row.offsetTop - (box.clientHeight - row.offsetHeight) / 2;
  }, [pass]);
}

const isShown = ({ stage, pass }: ShownPasses, number: number): boolean =>
  stage !== null && pass === number;

function columnsOf(shown: ShownPasses, ops: readonly string[]): Column<Pass>[] {
  const { show } = shown;
  const choice = (number: number, changes: boolean) => ({
    isChosen: isShown(shown, number) && (shown.changes !== null) === changes,
    choose: show && (() => show(number, changes)),
  });
  return [
    { number: true, look: 'jxv-words', cell: (_, number) => number || '' },
    {
      cell: ({ name, pipeline }, number) => (
        <>
          <Choice {...choice(number, false)} title={__('Show the program after it')}>
            {name || __('between passes')}
          </Choice>{' '}
          <span class="jxv-words">
            {name || pipeline === '' ? pipeline : __('before %1', pipeline)}
          </span>
        </>
      ),
    },
    { number: true, cell: ({ instructions }) => eqnsText({ kind: 'hlo' }, instructions) },
    {
      cell: (_, number) =>
        number > 0 &&
        show && (
          <Choice {...choice(number, true)} title={__('Show what it changed')}>
            {__('changes')}
          </Choice>
        ),
    },
    {
      cell: ({ gone, ops: changed }) => (
        <>
          {gone.length > 0 && (
            <span
              title={__(
                'From here on, no instruction has these names: they were folded, removed or renamed.',
              )}
            >
              {__('no longer named: %1', namesOf(gone, ops))}{' '}
            </span>
          )}
          <span class="jxv-words">{changed.map(countText).join('  ')}</span>
        </>
      ),
    },
  ];
}

interface ChoiceProps {
  isChosen: boolean;
  title: string;
  /** Null if it cannot be chosen. */
  choose: (() => void) | null;
  children: ComponentChildren;
}

const Choice = ({ isChosen, title, choose, children }: ChoiceProps) =>
  choose ? (
    <button type="button" class="jxv-link" aria-pressed={isChosen} title={title} onClick={choose}>
      {children}
    </button>
  ) : (
    <>{children}</>
  );

const countText = ({ op, before, after }: OpCount): string =>
  `${op} ${after > before ? '+' : '−'}${Math.abs(after - before)}`;

const opsOf = ({ stages }: Program): readonly string[] =>
  stages[0]?.graphs.flatMap(({ eqns }) => eqns.map(({ op }) => op)) ?? [];

/** The most primitives that are named of those that disappeared in a pass. */
const MOST_NAMED = 4;

const namesOf = (eqns: readonly number[], ops: readonly string[]): string =>
  eqns
    .slice(0, MOST_NAMED)
    .map((eqn) => ops[eqn])
    .join(', ') + (eqns.length > MOST_NAMED ? ` +${eqns.length - MOST_NAMED}` : '');
