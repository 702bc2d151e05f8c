/** The player of a trace: the reader steps through it, forward and back, and sees the line that ran,
 * the values of its names, the recorded eqns and the printed text. */
import { useMemo, useState } from 'preact/hooks';
import { lineIn } from '../../facts/linked/source-lines';
import {
  type BoundName,
  behindLoop,
  focusOfStep,
  hasCalled,
  namesAt,
  over,
  recordedBy,
  recordedIn,
} from '../../facts/reports';
import { placeOf } from '../../facts/text/describe';
import { sentenceText } from '../../facts/text/sentence-text';
import { __, _n } from '../../language';
import type { Frame, Program, Sentence, Steps, TraceStep } from '../../schema';
import { useUniqueId } from '../../shell/parts/controls';
import { type Column, DataTable } from '../../shell/parts/data-table';
import { ProgramView, type ReportProps } from '../../shell/program-view';

/** A program and the player of its trace. The shown step is selected in all views. */
export function SteppedProgram({ report: steps, ...props }: ReportProps<Steps>) {
  const [at, go] = useState(0);
  // The numbers of eqns are those of the whole program.
  const isWhole = props.partial === null;
  const focus = useMemo(() => focusOfStep(steps, at, isWhole), [steps, at, isWhole]);
  const [jaxpr] = props.program.stages;
  const bright = useMemo(
    () => (isWhole && jaxpr ? { has: recordedIn(jaxpr, recordedBy(steps, at)) } : null),
    [jaxpr, steps, at, isWhole],
  );
  return (
    <ProgramView
      {...props}
      selected={focus}
      bright={bright}
      above={focus && <Player {...{ steps, at, go, isWhole }} program={props.program} />}
    />
  );
}

interface PlayerProps {
  program: Program;
  steps: Steps;
  at: number;
  go: (at: number) => void;
  isWhole: boolean;
}

function Player({ program, steps, at, go, isWhole }: PlayerProps) {
  const step = steps.steps[at] as TraceStep;
  const names = useMemo(() => namesAt(steps, at), [steps, at]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
    <div class="jxv-player" role="group" aria-label={__('Steps of the trace')}>
      <Controls {...{ steps, at, go }} />
      <div class="jxv-player-shown">
        <Lines program={program} frame={steps.frames[step.frame] as Frame} step={step} />
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
        <div class="jxv-player-notes" tabIndex={0}>
          {isWhole && <Added {...{ program, steps, at }} />}
          <Notes notes={step.notes} />
          {step.printed.trim() !== '' && (
            <figure class="jxv-player-printed">
              <figcaption>{__('printed')}</figcaption>
              <pre>{step.printed.trimEnd()}</pre>
            </figure>
          )}
          {step.kind !== 'rest' && <Names names={names} />}
        </div>
      </div>
      <Notes notes={steps.notes} />
    </div>
  );
}

const Notes = ({ notes }: { notes: readonly Sentence[] }) =>
  notes.map((note) => (
    <p class="jxv-words" key={note.text}>
      {sentenceText(note)}
    </p>
  ));

/** Buttons and a slider for the steps. */
function Controls({ steps, at, go }: Pick<PlayerProps, 'steps' | 'at' | 'go'>) {
  const id = useUniqueId();
  const last = steps.steps.length - 1;
  const beyond = behindLoop(steps, at);
  const inner = over(steps, at);
  const button = (label: string, title: string, to: number | null) => (
    <button
      type="button"
      title={title}
      aria-label={title}
      disabled={to === null || to === at}
      onClick={() => to !== null && go(to)}
    >
      {label}
    </button>
  );
  return (
    <div class="jxv-player-controls">
      {button('|◀', __('First step'), 0)}
      {button('◀', __('Step back'), Math.max(at - 1, 0))}
      {button('▶', __('Step forward'), Math.min(at + 1, last))}
      {button('▶|', __('Last step'), last)}
      <input
        id={id}
        type="range"
        min={0}
        max={last}
        value={at}
        aria-label={__('Step')}
        onInput={({ currentTarget }) => go(currentTarget.valueAsNumber)}
      />
      <label for={id}>{__('step %1 of %2', at + 1, last + 1)}</label>
      {inner > at + 1 && <Jump text={__('over the call')} go={() => go(inner)} />}
      {beyond !== null && <Jump text={__('past the loop')} go={() => go(beyond)} />}
    </div>
  );
}

const Jump = ({ text, go }: { text: string; go: () => void }) => (
  <button type="button" class="jxv-link" onClick={go}>
    {text}
  </button>
);

/** The number of lines before and after the one that ran. */
const AROUND = 3;

/** The line that ran, with the lines around it. */
function Lines({ program, frame, step }: { program: Program; frame: Frame; step: TraceStep }) {
  const numbers = Array.from({ length: 2 * AROUND + 1 }, (_, index) => frame.line - AROUND + index);
  const rows = numbers.flatMap((line) => {
    const code = codeOf(program, frame, line);
    return code === null ? [] : [{ line, code }];
  });
  const ran = step.kind !== 'rest';
  return (
    <figure class="jxv-player-code">
      <figcaption>
        {frame.function} · {placeOf(frame)}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre tabIndex={0}>
        {rows.map(({ line, code }) => (
          <div
            key={line}
            class={ran && line === frame.line ? 'jxv-player-now' : undefined}
            aria-current={ran && line === frame.line ? 'step' : undefined}
          >
            <span class="jxv-card-number">{line}</span>
            {code}
          </div>
        ))}
      </pre>
    </figure>
  );
}

/** A line as it is written, with its indent; null if it is unknown. */
function codeOf({ listings }: Program, frame: Frame, line: number): string | null {
  const found = lineIn(listings, { ...frame, line });
  return found?.code ?? (line === frame.line ? frame.code : null);
}

/** The word for a kind of value; its colour says the same. */
const KINDS = new Map([
  ['traced', () => __('traced')],
  ['array', () => __('array')],
  ['static', () => __('static')],
  ['object', () => __('object')],
]);

/** The names of the running call. Names that the step set are marked. */
const Names = ({ names }: { names: readonly BoundName[] }) => (
  <DataTable
    look="jxv-player-names"
    columns={NAME_COLUMNS}
    rows={names}
    lookOf={({ isNew }) => (isNew ? 'jxv-player-new' : undefined)}
  />
);

const NAME_COLUMNS: readonly Column<BoundName>[] = [
  { isHead: true, cell: ({ name }) => name },
  { cell: ({ kind, text }) => <code class={`jxv-player-${kind}`}>{text}</code> },
  { cell: ({ kind }) => KINDS.get(kind)?.() ?? kind },
];

/** The most ops that are named. */
const MOST_OPS = 6;

/** The eqns that JAX recorded for the step. */
function Added({ program, steps, at }: Pick<PlayerProps, 'program' | 'steps' | 'at'>) {
  const { kind, eqns } = steps.steps[at] as TraceStep;
  if (kind === 'enter') return <p>{__('The function is called.')}</p>;
  if (eqns.length === 0) {
    const called = hasCalled(steps, at);
    return (
      <p class="jxv-words">
        {called
          ? __('Adds no eqn itself; the functions it called did (see the steps before).')
          : __('Adds no eqn to the program.')}
      </p>
    );
  }
  const all = program.stages[0]?.graphs.flatMap((graph) => graph.eqns) ?? [];
  const ops = eqns.slice(0, MOST_OPS).map((number) => all[number]?.op ?? '');
  const count = _n('JAX records %1 eqn:', 'JAX records %1 eqns:', eqns.length);
  return (
    <p>
      {kind === 'rest' &&
        __(
          'None of your lines adds these: they are derivatives, or code that a library puts around the function.',
        )}{' '}
      {count} <code>{ops.join(', ') + (eqns.length > MOST_OPS ? ' …' : '')}</code>
    </p>
  );
}
