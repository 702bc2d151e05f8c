/** The memory of a device that a program needs, and if it fits. */
import { useMemo, useState } from 'preact/hooks';
import { graphAt } from '../../facts/graph';
import { enclosingEqn, type Id, ROOT } from '../../facts/ids';
import { largestMade } from '../../facts/numbers/alive';
import { graphsAround, livenessOf, programPath } from '../../facts/numbers/liveness';
import { sizeText, unreported } from '../../facts/text/describe';
import { __, _n } from '../../language';
import type { Memory as Bytes, Graph, Program, Stage } from '../../schema';
import { Select } from '../../shell/parts/data-table';
import type { Action, ViewState } from '../../state/view-state';
import { nameOf } from '../../words/fact-parts';
import { fitText, madeRow, reservedBytes } from '../../words/value-rows';
import type { Linking } from '../linked/linking';
import { LiveBytes } from './live-bytes';
import { LargestValues, ValuesAlive } from './value-list';

const GIB = 1024 ** 3;

interface FitProps extends Pick<Linking, 'program' | 'go'> {
  /** The memory of a device, GiB. */
  memory: number;
}

export function MemoryFit({ program, memory, go }: FitProps) {
  const hlo = program.stages.find(({ kind, error }) => kind === 'hlo' && error === null);
  return (
    <div class="jxv-since jxv-fit">
      {hlo?.memory ? (
        <>
          <span>{fitText(hlo.memory, Math.round(memory * GIB))}</span>
          <Largest {...{ hlo, go }} />
          <span>
            {__(
              'This is an estimate by the XLA compiler that made this HLO. Another platform may need more or less. Other data in memory is not counted.',
            )}
          </span>
        </>
      ) : (
        <span>
          {__('Open HLO to see if it fits into memory: XLA reports its memory after compiling.')}
        </span>
      )}
    </div>
  );
}

interface LargestProps extends Pick<Linking, 'go'> {
  hlo: Program['stages'][number];
}

/** The largest value between inputs and results, with its line. */
function Largest({ hlo, go }: LargestProps) {
  const [made] = largestMade(hlo);
  if (!made) return null;
  const { id, name, type, size, about } = madeRow(hlo, made);
  return (
    <span>
      {__('The largest value between inputs and results:')}{' '}
      <button type="button" class="jxv-link" onClick={() => id !== null && go('hlo', id)}>
        {name}
      </button>{' '}
      {[`${type}, ${size}`, about].filter((text) => text !== '').join(' · ')}
    </span>
  );
}

interface Props {
  program: Program;
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The memory that a program needs: as XLA reports it, and as computed from the sizes of its values. */
export function Memory({ program, state, dispatch }: Props) {
  const { stage, selected } = state;
  const [path, paths, choose] = useGraphChoice(stage, selected);
  const number = stage.graphs.indexOf(graphAt(stage, path) as Graph);
  const live = livenessOf(stage)[number];
  const compiled = stage.kind === 'hlo' ? stage : program.stages.find(({ kind }) => kind === 'hlo');
  return (
    <div class="jxv-memory" tabIndex={-1}>
      {live && live.peak >= 0 && (
        <ValuesAlive key={path} {...{ state, dispatch, path, number }} peak={live.peak} />
      )}
      <LargestValues {...{ state, dispatch }} />
      <h3>{__('Live bytes')}</h3>
      {paths.length > 1 && <GraphChoice {...{ stage, paths, path, choose }} />}
      {live && live.peak >= 0 ? (
        <LiveBytes
          key={path}
          path={path}
          live={live}
          reserved={path === ROOT && compiled?.memory ? reservedBytes(compiled.memory) : null}
          {...{ state, dispatch }}
        />
      ) : (
        <p class="jxv-words">{__('Nothing is computed.')}</p>
      )}
      {live && live.unknown > 0 && <p class="jxv-words">{withoutText(live.unknown)}</p>}
      <OnDevice compiled={compiled} />
    </div>
  );
}

/** The path of the graph of the curve, the possible ones, and a function that chooses one: at first
 * that of the program itself. */
function useGraphChoice(
  stage: Stage,
  selected: Id | null,
): [Id, readonly Id[], (path: Id) => void] {
  const [wanted, choose] = useState<Id | null>(null);
  const first = useMemo(() => programPath(stage), [stage]);
  const paths = [...new Set([ROOT, first, ...graphsAround(stage, selected)])];
  return [wanted !== null && paths.includes(wanted) ? wanted : first, paths, choose];
}

/** XLA's report on the compiled program. */
const OnDevice = ({ compiled }: { compiled: Stage | undefined }) => (
  <>
    <h3>{__('On one device, as XLA reports it')}</h3>
    {compiled && compiled.error === null ? (
      <Reported memory={compiled.memory ?? NOT_REPORTED} />
    ) : (
      <p class="jxv-words">
        {__('Nothing yet: XLA reports memory only for a compiled program. Open HLO.')}
      </p>
    )}
  </>
);

interface GraphChoiceProps {
  stage: Stage;
  paths: readonly Id[];
  path: Id;
  choose: (path: Id) => void;
}

/** The choice of the curve's graph: the program, or a body around the selection. */
function GraphChoice({ stage, paths, path, choose }: GraphChoiceProps) {
  return (
    <p>
      <Select
        label={__('Curve of')}
        value={path}
        choices={paths.map((one) => [one, graphText(stage, one)])}
        choose={choose}
      />
    </p>
  );
}

function graphText(stage: Stage, path: Id): string {
  if (path === ROOT) return __('the program');
  const eqn = nameOf(stage, enclosingEqn(path) ?? ROOT);
  return __('one run of the %1 of %2', nameOf(stage, path), eqn);
}

const withoutText = (unknown: number): string =>
  _n('%1 value of unknown size is left out.', '%1 values of unknown size are left out.', unknown);

const NOT_REPORTED: Bytes = {
  arguments: null,
  outputs: null,
  temporaries: null,
  aliased: null,
  code: null,
  peak: null,
};

/** The fields in the order in which they are listed. The first three make up the bar. */
const fields = (): readonly { field: keyof Bytes; label: string; about: string }[] => [
  { field: 'arguments', label: __('arguments'), about: __('Values passed in') },
  { field: 'outputs', label: __('outputs'), about: __('Values returned') },
  { field: 'temporaries', label: __('temporaries'), about: __('Intermediate values') },
  {
    field: 'aliased',
    label: __('aliased'),
    about: __('Outputs that reuse donated arguments'),
  },
  { field: 'code', label: __('code'), about: __('The program itself') },
  { field: 'peak', label: __('peak'), about: __('The maximum at any time') },
];

function Reported({ memory }: { memory: Bytes }) {
  const parts = fields()
    .slice(0, 3)
    .map(({ field }) => ({ field, bytes: memory[field] ?? 0 }));
  const whole = parts.reduce((total, { bytes }) => total + bytes, 0);
  return (
    <>
      {whole > 0 && (
        <div class="jxv-memory-bar" aria-hidden="true">
          {parts.map(({ field, bytes }) => (
            <span
              key={field}
              class={`jxv-memory-${field}`}
              style={`flex-grow:${(bytes / whole).toFixed(6)}`}
            />
          ))}
        </div>
      )}
      <dl class="jxv-memory-fields">
        {fields().map(({ field, label, about }) => (
          <div key={field} title={about}>
            <dt>
              <span class={`jxv-memory-key jxv-memory-${field}`} aria-hidden="true" />
              {label}
            </dt>
            <dd class={memory[field] === null ? 'jxv-words' : ''}>
              {memory[field] === null ? unreported() : sizeText(memory[field])}
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}
