/** The card of an error: the failing expression, the origin of its value, the reason, and fixes.
 * Beside it is the program that JAX had recorded. */
import { type ComponentChildren, type ComponentProps, Fragment } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { binderId, eqnId, type Id, ROOT } from '../../facts/ids';
import { idOf } from '../../facts/linked/origins';
import { bytesText, placeOf } from '../../facts/text/describe';
import { sentenceText } from '../../facts/text/sentence-text';
import { __, _n } from '../../language';
import type { Card, Fix, Frame, Largest, Side, Stage, Tree, TreeRow } from '../../schema';
import { useUniqueId } from '../../shell/parts/controls';
import { type Column, DataTable } from '../../shell/parts/data-table';
import { MoreAboutThis } from '../../shell/parts/help-page';
import { EDIT, type EditEvent } from '../../shell/parts/host-events';
import { Place } from '../../shell/parts/source-link';
import { type ProgramProps, ProgramView, type ReportProps } from '../../shell/program-view';
import type { FixKernel, ReportedProgram } from '../../state/kernel-requests';
import { pageText } from '../../words/kernel-text';

/** `edited`: the cell has the lines of the fix now. */
type WriteState = 'none' | 'possible' | 'edited';

function PutIntoCell({ fix, at }: { fix: Fix; at: Frame }) {
  const element = useRef<HTMLSpanElement>(null);
  const [state, report] = useState<WriteState>('none');
  const [refused, refuse] = useState('');
  const ask = (detail: Pick<EditEvent, 'wanted'>) => {
    const { cell } = at;
    if (cell === null) return;
    const { first, before, lines } = fix;
    const request: EditEvent = { ...detail, cell, first, before, lines, report, refuse };
    element.current?.dispatchEvent(new CustomEvent(EDIT, { bubbles: true, detail: request }));
  };
  useEffect(() => ask({ wanted: false }), [fix]);
  return (
    <span ref={element}>
      {state !== 'none' && (
        <button
          type="button"
          class="jxv-button"
          disabled={state === 'edited'}
          onClick={() => ask({ wanted: true })}
        >
          {state === 'edited' ? __('Put into the cell ✓') : __('Put into the cell')}
        </button>
      )}
      <span role="status">{refused}</span>
    </span>
  );
}

/** The props of the program that a fix makes. */
type Source = Omit<ReportProps, 'report' | 'program' | 'partial' | 'later'>;

type TrialState = ReportedProgram | 'none' | 'asked' | { failure: string };

/** Passes the button and its answer to `children`, which puts them into two places. */
function TryFix({
  fixKernel,
  fix,
  runs,
  children,
  ...source
}: Source & {
  fixKernel: FixKernel;
  fix: number;
  /** True if it runs the program, to find its NaN. */
  runs: boolean;
  children: (button: ComponentChildren, answer: ComponentChildren) => ComponentChildren;
}) {
  const [state, setState] = useState<TrialState>('none');
  const closing = useRef(new AbortController());
  useEffect(() => () => closing.current.abort(), []);
  const ask = () => {
    const { signal } = closing.current;
    setState('asked');
    const failed = (why: unknown) =>
      setState({ failure: why instanceof Error ? why.message : String(why) });
    const unlessClosed =
      <T,>(then: (value: T) => void) =>
      (value: T) =>
        signal.aborted || then(value);
    fixKernel.tryFix(fix, signal).then(unlessClosed(setState), unlessClosed(failed));
  };
  const button = <Ask {...{ runs, ask }} isAsked={state === 'asked'} />;
  return <Fragment>{children(button, <Answer {...{ ...source, state }} />)}</Fragment>;
}

function Ask({ runs, isAsked, ask }: { runs: boolean; isAsked: boolean; ask: () => void }) {
  const title = runs
    ? __(
        'Evaluates this call as written, with the current values of its names, traces it, and runs its program once',
      )
    : __('Runs the Python of the function once, with types in place of arrays, to trace it');
  return (
    <button type="button" class="jxv-button" disabled={isAsked} title={title} onClick={ask}>
      {!isAsked && (runs ? __('Run it once more') : __('Try: trace it'))}
      {isAsked && (runs ? __('Running…') : __('Tracing…'))}
    </button>
  );
}

function Answer({ state, ...source }: Source & { state: TrialState }) {
  const answered = typeof state === 'object';
  return (
    <div class="jxv-card-tried" role="status">
      {answered && 'failure' in state && <p>{state.failure}</p>}
      {answered && 'program' in state && <FixResult {...source} {...state} />}
    </div>
  );
}

function FixResult({ program, report, show: ReportView, ...source }: Source & ReportedProgram) {
  const shown = { ...source, program, partial: null, later: false };
  return (
    <>
      {report?.tool === 'explain' && <p>{__('With this, something else fails:')}</p>}
      {!report && <p>{__('With this, JAX makes:')}</p>}
      {report && ReportView ? (
        <ReportView {...shown} report={report} />
      ) : (
        <ProgramView {...shown} />
      )}
    </>
  );
}

const SIDES = new Map([
  ['given', () => __('given')],
  ['returned', () => __('returned')],
]);

/** The name of a side: in our words, or as the user or JAX names it. */
const sideText = (side: string): string => SIDES.get(side)?.() ?? side;

function CardTree({ tree: { sides, rows, others } }: { tree: Tree }) {
  const columns: Column<TreeRow>[] = [
    {
      isHead: true,
      style: ({ depth }) => ({ paddingLeft: `${2 * depth}ch` }),
      cell: ({ key }) => (key === '' ? __('result') : <code>{key}</code>),
    },
    ...sides.map((side, at) => ({
      label: () => sideText(side),
      cell: ({ types, fits }: TreeRow) => (
        <code>{fits ? types[at] : <mark>{types[at] || '–'}</mark>}</code>
      ),
    })),
  ];
  return (
    <DataTable look="jxv-card-sides jxv-card-tree" columns={columns} rows={rows}>
      {others > 0 && (
        <tfoot>
          <tr>
            <td class="jxv-words" colSpan={1 + sides.length}>
              {_n('%1 other leaf fits', '%1 other leaves fit', others)}
            </td>
          </tr>
        </tfoot>
      )}
    </DataTable>
  );
}

/** Python's name of the code of a whole cell. */
const MODULE = '<module>';

/** An error's card, with the program so far if JAX had recorded any. */
export function CardView({
  report: card,
  fixKernel = null,
  program,
  ...source
}: ReportProps<Card>) {
  const id = useUniqueId();
  const { title, why } = pageText(card.page);
  return (
    <article class="jxv jxv-card" aria-labelledby={id}>
      <header class="jxv-card-head">
        <h3 id={id}>{title}</h3>
        <p>
          {card.error} · {card.at.function !== MODULE && <>{card.at.function} · </>}
          <Place frame={card.at} text={placeOf(card.at)} title={card.at.code} />
        </p>
      </header>
      <div class="jxv-card-text">
        <Code card={card} />
        <Explanation card={card} />
        <p>{why}</p>
        {card.fixes.map((fix, index) => (
          <FixView
            key={index}
            fix={fix}
            card={card}
            trial={
              fixKernel && fix.tries
                ? { ...source, fixKernel, fix: index, runs: card.kind === 'nan' }
                : null
            }
          />
        ))}
        <MoreAboutThis page={card.page} />
      </div>
      <ProgramSoFar {...{ ...source, card, program }} />
    </article>
  );
}

/** The program so far; nothing if it has no eqn. */
function ProgramSoFar({ card, program, ...source }: ProgramProps & { card: Card }) {
  const { name, stages } = program;
  const selected = useMemo(() => selectedFirst(card.largest, stages[0]), [card, stages]);
  const recorded = stages[0]?.graphs[0]?.eqns.length ?? 0;
  const shown = card.largest ? program : { ...program, name: __('%1, as far as recorded', name) };
  if (recorded === 0) return null;
  return (
    <div class="jxv-card-program">
      <ProgramView {...source} program={shown} later={false} selected={selected} />
    </div>
  );
}

/** The lines around the expression, which is marked. */
function Code({ card: { code, start, at } }: { card: Card }) {
  return (
    <pre class="jxv-card-code">
      {code.map((line, index) => {
        const number = start + index;
        const [from, to] = markedIn(line, number, at);
        return (
          <div key={number} class={from < to ? 'jxv-card-line' : undefined}>
            <span class="jxv-card-number">{number}</span>
            {line.slice(0, from)}
            {from < to && <mark>{line.slice(from, to)}</mark>}
            {line.slice(to)}
          </div>
        );
      })}
    </pre>
  );
}

/** The start and end of the marked part of a line; both at its end if nothing is marked. Columns
 * count characters, and some characters are two units of a string here. */
function markedIn(line: string, number: number, at: Card['at']): [number, number] {
  const none: [number, number] = [line.length, line.length];
  if (at.column === 0 || number < at.line || number > at.end_line) return none;
  const units = (characters: number) => [...line].slice(0, characters).join('').length;
  const from = number === at.line ? units(at.column - 1) : line.search(/\S|$/);
  return [from, number === at.end_line ? units(at.end_column - 1) : line.length];
}

/** The path of the value, the sides that do not fit, and the origin of a value. */
function Explanation({ card: { asked, root, story, sides, tree, largest, born } }: { card: Card }) {
  return (
    <>
      {root.text !== '' && (
        <p class="jxv-card-story">
          <code>{sentenceText(root)}</code>
          {story.map(({ op, line }, index) => (
            <span key={index}>
              {' → '}
              <code>{op}</code>
              {line > 0 && <span class="jxv-words"> {__('line %1', line)}</span>}
            </span>
          ))}
          {asked !== '' && story.length > 0 && (
            <>
              {': '}
              <code class="jxv-card-asked">{asked}</code>
            </>
          )}
        </p>
      )}
      {tree && <CardTree tree={tree} />}
      {!tree && sides.length > 0 && <Sides sides={sides} />}
      {largest && <LargestValue largest={largest} />}
      {born && (
        <p>
          {__('It was made here:')}{' '}
          <Place frame={born} text={`${born.function}, ${placeOf(born)}`} title={born.code} />
        </p>
      )}
    </>
  );
}

/** The largest value of a program that ran out of memory, and the size of XLA's request. */
const LargestValue = ({ largest: { type, bytes, at, asked } }: { largest: Largest }) => (
  <p>
    {__('The largest value of the program:')} <code>{type}</code>, {bytesText(bytes)}
    {at && (
      <>
        {' · '}
        <Place frame={at} text={placeOf(at)} title={at.code} />
      </>
    )}
    {asked !== null && (
      <>
        <br />
        {__('XLA requested %1 in one allocation.', bytesText(asked))}
      </>
    )}
  </p>
);

/** The sides of a mismatch in rows, with the axes that do not fit marked. Axes are aligned at the
 * last one, as shapes are matched. */
function Sides({ sides }: { sides: readonly Side[] }) {
  const most = Math.max(...sides.map((side) => partsOf(side).length));
  return (
    <table class="jxv-card-sides">
      <tbody>
        {sides.map((side, index) => (
          <tr key={index}>
            <th scope="row">
              <code>{side.name}</code> {sideText(side.role)}
            </th>
            <Type side={side} columns={most} />
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The parts of `f32[4,3]`: `f32[`, `4,` and `3]`. */
function partsOf({ type }: Side): string[] {
  const [dtype = '', inside, after = ''] = type.split(/(?<=\[)(.*)(\].*)/);
  if (inside === undefined) return [type];
  if (inside === '') return [dtype + after];
  const sizes = inside.split(',');
  return [dtype, ...sizes.map((size, axis) => size + (axis < sizes.length - 1 ? ',' : after))];
}

/** A type in cells of its own, with the axes that differ marked. */
function Type({ side, columns }: { side: Side; columns: number }) {
  const [dtype, ...axes] = partsOf(side);
  return (
    <>
      <td colSpan={columns - axes.length}>
        <code>{dtype}</code>
      </td>
      {axes.map((axis, index) => (
        <td key={index}>
          <code>{side.differ.includes(index) ? marked(axis) : axis}</code>
        </td>
      ))}
    </>
  );
}

/** An axis with its size marked: the `4` of `4,`. */
function marked(axis: string): ComponentChildren {
  const [size = ''] = axis.split(/[,\]]/);
  return (
    <>
      <mark>{size}</mark>
      {axis.slice(size.length)}
    </>
  );
}

const PROMISES = new Map([
  ['same result', () => __('same result')],
  ['other result', () => __('other result')],
  ['sketch', () => __('advice')],
]);

interface FixProps {
  fix: Fix;
  card: Card;
  /** The props to try it; null if it cannot be tried. */
  trial: Omit<ComponentProps<typeof TryFix>, 'children'> | null;
}

/** A fix: the lines that it removes and adds, and what JAX makes of them. */
function FixView({ fix, card, trial }: FixProps) {
  const { title, promise, differs, before, lines } = fix;
  const shown = (button: ComponentChildren, answer: ComponentChildren) => (
    <div class="jxv-card-fix">
      <p>
        <span class={`jxv-promise jxv-promise-${promise.split(' ')[0]}`}>
          {PROMISES.get(promise)?.() ?? promise}
        </span>{' '}
        {sentenceText(title)} {button} {lines.length > 0 && <PutIntoCell fix={fix} at={card.at} />}
      </p>
      {lines.length > 0 && (
        <pre class="jxv-card-edit">
          {before.map((line, index) => (
            <del key={`-${index}`}>{line}</del>
          ))}
          {lines.map((line, index) => (
            <ins key={`+${index}`}>{line}</ins>
          ))}
        </pre>
      )}
      {differs.text !== '' && <p class="jxv-words">{sentenceText(differs)}</p>}
      {answer}
    </div>
  );
  return trial ? <TryFix {...trial}>{shown}</TryFix> : shown(null, null);
}

/** The largest value if memory ran out; else the value whose number JAX needed: the eqn that made
 * it, or the input or constant. Null if JAX needed none: then nothing is dimmed. */
export function selectedFirst(
  largest: Largest | null,
  jaxpr: Stage | undefined,
): { stage: string; id: Id } | null {
  const id = jaxpr ? (largest ? idOf(jaxpr, largest.eqn, [], true) : needed(jaxpr)) : null;
  return id === null ? null : { stage: 'jaxpr', id };
}

function needed({ graphs }: Stage): Id | null {
  const { eqns, invars, constvars, outvars } = graphs[0]!;
  const [value = -1] = outvars;
  const made = eqns.findIndex((eqn) => eqn.outvars.includes(value));
  if (made >= 0) return eqnId(ROOT, made);
  const [input, constant] = [invars.indexOf(value), constvars.indexOf(value)];
  if (input >= 0) return binderId(ROOT, 'in', input);
  return constant < 0 ? null : binderId(ROOT, 'const', constant);
}
