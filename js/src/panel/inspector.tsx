/** The panel's inspector of the selection in a program, or a help page in its place. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Differences, differencesOf } from '../facts/differences';
import { eqnAt } from '../facts/graph';
import type { Id } from '../facts/ids';
import { type LineFocus, linked } from '../facts/linked/linked';
import { keyOf, lineIn } from '../facts/linked/source-lines';
import { lineCosts, wholeOf } from '../facts/numbers/costs';
import { lineFunctions } from '../facts/numbers/work';
import { __ } from '../language';
import { ShortenedName } from '../log/change-text';
import type { Page, Program, Stage } from '../schema';
import { phrase } from '../shell/parts/controls';
import { Facts } from '../shell/parts/facts';
import { PageView } from '../shell/parts/help-page';
import { Listings, SourceLine, Stack } from '../shell/parts/source-link';
import { StagesToMake, stagesAfter } from '../stage/later-stages';
import { CounterpartFacts } from '../stage/linked/linking';
import {
  type Chosen,
  inspected,
  type Selecting,
  type Selection,
} from '../state/panel/notebook-selection';
import type { Action } from '../state/panel/panel-state';
import { linesText, STAGE_NAMES } from '../words/counterparts';
import { amountFacts, detailsOf } from '../words/item-details';
import { aboutParams, aboutPrimitive } from '../words/params/about';
import { EmptyState } from './first-steps';

function Inspector({ selecting }: { selecting: Selecting }) {
  const selection = useSelection(selecting);
  const chosen = inspected(selection);
  if (!chosen) {
    return (
      <EmptyState>
        <p>{__('Select a box or a line in a program to see its details here.')}</p>
      </EmptyState>
    );
  }
  const { program } = chosen;
  return (
    <div
      class="jxv-inspector"
      role="tabpanel"
      aria-label={__('Details of %1', program.name)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, even without links
      tabIndex={0}
    >
      <Head chosen={chosen} isPointed={selection.selected === null} />
      <Listings.Provider value={program.listings}>
        <ChosenDetails chosen={chosen} selecting={selecting} />
      </Listings.Provider>
    </div>
  );
}

function useSelection(selecting: Selecting): Selection {
  const [selection, setSelection] = useState(() => selecting.now());
  useEffect(() => {
    const ending = new AbortController();
    const changed = () => setSelection(selecting.now());
    selecting.follow(changed, ending.signal);
    changed();
    return () => ending.abort();
  }, [selecting]);
  return selection;
}

interface HeadProps {
  chosen: Chosen;
  isPointed: boolean;
}

function Head({ chosen: { program, focus }, isPointed }: HeadProps) {
  const stage = STAGE_NAMES.get(focus.stage) ?? __('source');
  const name = <ShortenedName text={program.name} />;
  return (
    <header class="jxv-panel-line jxv-inspector-head">
      {phrase((place) => __('%1 of %2', stage, place), name)}
      {isPointed && <span> {__('(pointed at)')}</span>}
    </header>
  );
}

interface DetailsProps {
  chosen: Chosen;
  selecting: Selecting;
}

/** The details of a line of code, or of an item of a stage, with its counterparts. */
function ChosenDetails({ chosen: { program, later, focus }, selecting }: DetailsProps) {
  const links = useMemo(() => linked(program.stages, focus), [program.stages, focus]);
  const differences = useMemo(() => differencesOf(program), [program]);
  const go = (stage: string, id: Id) => selecting.select({ stage, id });
  const make = (kind: string, wanted: boolean) => selecting.make(kind, wanted);
  const from = focus.stage;
  const toMake = later && stagesAfter(program, from).length > 0 && (
    <StagesToMake {...{ program, from, later, make }} />
  );
  const counterparts = <CounterpartFacts linking={{ program, focus, links, go }} toMake={toMake} />;
  if ('line' in focus) return <LineDetails {...{ program, focus, counterparts }} />;
  const stage = program.stages.find(({ kind }) => kind === focus.stage);
  return stage ? <ItemDetails {...{ stage, id: focus.id, differences, counterparts, go }} /> : null;
}

interface LineProps {
  program: Program;
  focus: LineFocus;
  counterparts: ComponentChildren;
}

/** A line of the user's code, and the cost of its eqns. */
function LineDetails({ program: { listings, stages }, focus: { line }, counterparts }: LineProps) {
  const captured = lineIn(listings, line);
  const frame = captured && { ...captured, code: captured.code.trim() };
  const jaxpr = stages.find(({ kind }) => kind === 'jaxpr');
  const cost = jaxpr && lineCosts(jaxpr).get(keyOf(line));
  const name = (jaxpr && lineFunctions(jaxpr).get(keyOf(line))) ?? '';
  return (
    <>
      <p class="jxv-title">{linesText([line])}</p>
      {frame && (
        <p class="jxv-inspector-source">
          <SourceLine source={{ frame, inherited: false }} />
        </p>
      )}
      <Facts facts={cost ? amountFacts(cost, wholeOf(jaxpr), name) : []} go={() => {}}>
        {counterparts}
      </Facts>
    </>
  );
}

interface ItemProps {
  stage: Stage;
  id: Id;
  differences: Differences | null;
  counterparts: ComponentChildren;
  go: (stage: string, id: Id) => void;
}

/** An item of a stage, such as an eqn, an instruction or a group. */
function ItemDetails({ stage, id, differences, counterparts, go }: ItemProps) {
  const details = useMemo(() => detailsOf(stage, id, differences), [stage, id, differences]);
  const eqn = stage.kind === 'jaxpr' ? eqnAt(stage, id)?.eqn : undefined;
  const about = useMemo(() => (eqn ? aboutParams(eqn) : NO_PARAMS), [eqn]);
  const does = eqn ? aboutPrimitive(eqn) : '';
  if (!details) return null;
  const { title, facts, source } = details;
  return (
    <>
      <p class="jxv-title">{title}</p>
      {does !== '' && <p class="jxv-about">{does}</p>}
      {source && (
        <p class="jxv-inspector-source">
          <SourceLine source={source} />
        </p>
      )}
      <Facts key={id} facts={facts} about={about} go={(id) => go(stage.kind, id)}>
        {counterparts}
      </Facts>
      {source && source.stack.length > 1 && (
        <Stack stack={source.stack} most={source.stack.length} />
      )}
    </>
  );
}

const NO_PARAMS: ReadonlyMap<string, string> = new Map();

type Dispatch = (action: Action) => void;

/** Opens the help page that was just requested. */
export function usePageToRead(page: Page | null, dispatch: Dispatch): void {
  useLayoutEffect(() => {
    if (page) dispatch({ type: 'read', page });
  }, [page]);
}

interface Props {
  page: Page | null;
  selecting: Selecting;
  dispatch: Dispatch;
}

export const InspectorOrPage = ({ page, selecting, dispatch }: Props) =>
  page ? <ReadPage {...{ page, selecting, dispatch }} /> : <Inspector selecting={selecting} />;

/** The help page stays until the reader closes it or selects something else. */
function ReadPage({ page, selecting, dispatch }: Props & { page: Page }) {
  const element = useRef<HTMLDivElement>(null);
  const close = () => dispatch({ type: 'read', page: null });
  useEffect(() => {
    element.current?.focus();
    const ending = new AbortController();
    const focus = () => selecting.now().selected?.focus ?? null;
    const before = focus();
    selecting.follow(() => focus() && focus() !== before && close(), ending.signal);
    return () => ending.abort();
  }, [page, selecting]);
  return (
    <div
      ref={element}
      class="jxv-inspector"
      role="tabpanel"
      aria-label={__('More about this')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, even without links
      tabIndex={0}
    >
      <header class="jxv-panel-line jxv-inspector-head">
        <button type="button" class="jxv-button" onClick={close}>
          {__('Close')}
        </button>
      </header>
      <PageView page={page} />
    </div>
  );
}
