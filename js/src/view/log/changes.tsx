import { __ } from '../../language';
import type { Change } from '../../schema';
import { grouped, type Piece } from '../../words/log/changes';

interface Props {
  reason: readonly Change[];
  /** How many were left out. */
  more: number;
  /** How many are shown. */
  most: number;
}

/** Changes in one line, by their kinds. */
export function Changes({ reason, more, most }: Props) {
  const groups = grouped(reason);
  const flat = groups.flatMap(({ kind, changes }) =>
    changes.map((change, at) => ({ ...change, kind: at === 0 ? kind : null })),
  );
  const left = flat.length - Math.min(flat.length, most) + more;
  return (
    <span class="jxv-changes">
      {flat.slice(0, most).map(({ kind, wheres, difference }, index) => (
        <span class="jxv-change" key={index}>
          {kind !== null && <Kind kind={kind} />}
          <code>
            {wheres[0] !== '' && <span class="jxv-where">{wheres.join(', ')}: </span>}
            <Difference pieces={difference} />
          </code>
        </span>
      ))}
      {left > 0 && <span class="jxv-words">{andMore(left)}</span>}
    </span>
  );
}

export const andMore = (left: number): string => __('and %1 more', left.toLocaleString('en'));

/** What kind of change it is, as a chip. */
export const Kind = ({ kind }: { kind: string }) => (
  <span class={`jxv-kind ${CLASSES.get(kind) ?? ''}`}>{NAMES.get(kind)?.() ?? kind}</span>
);

const NAMES = new Map([
  ['shape', () => __('shape')],
  ['weak type', () => __('weak type')],
  ['static', () => __('static')],
  ['config', () => __('config')],
  ['options', () => __('options')],
  ['device', () => __('device')],
  ['function', () => __('new function')],
  ['style', () => __('call style')],
  ['none', () => 'None'],
  ['cleared', () => __('cleared caches')],
  ['first', () => __('first call')],
  ['unknown', () => __('unknown')],
]);

/** Of types, of values, of how it was called, of where the arrays are. */
const CLASSES = new Map(
  Object.entries({
    types: ['shape', 'dtype', 'weak type'],
    values: ['static', 'config', 'none'],
    calls: ['style', 'pytree', 'function', 'options'],
    places: ['sharding', 'device', 'committed', 'mesh'],
  }).flatMap(([name, kinds]) => kinds.map((kind) => [kind, `jxv-kind-${name}`])),
);

/** Before and after within one text. */
export function Difference({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ text, of }, index) => (
        <span key={index} class={`jxv-${of}`}>
          {text}
        </span>
      ))}
    </>
  );
}
