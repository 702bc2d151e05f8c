/** Pieces of text that the log and the panel share: changes, long names, places in code. */
import type { ComponentChildren } from 'preact';
import { __, thousands } from '../language';
import type { Change, Frame } from '../schema';
import { Place } from '../shell/parts/source-link';
import { type ChangePiece, grouped } from '../words/events/changes';

interface ChangesProps {
  reason: readonly Change[];
  /** The number of changes that the kernel left out of `reason`. */
  more: number;
  /** The most changes that are shown. */
  most: number;
}

/** Changes in one line. Changes of one kind are together, after the name of the kind. */
export function Changes({ reason, more, most }: ChangesProps) {
  const groups = grouped(reason);
  const flat = groups.flatMap(({ kind, changes }) =>
    changes.map((change, cut) => ({ ...change, kind: cut === 0 ? kind : null })),
  );
  const left = flat.length - Math.min(flat.length, most) + more;
  return (
    <span class="jxv-changes">
      {flat.slice(0, most).map(({ kind, wheres, difference }, index) => (
        <span class="jxv-change" key={index}>
          {kind !== null && <ChangeKind kind={kind} />}
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

export const andMore = (left: number): string => __('and %1 more', thousands(left));

/** The name of a kind of change, as a coloured label. */
export const ChangeKind = ({ kind }: { kind: string }) => (
  <span class={`jxv-kind ${KIND_CLASSES.get(kind) ?? ''}`}>{KIND_NAMES.get(kind)?.() ?? kind}</span>
);

const KIND_NAMES = new Map([
  ['shape', () => __('shape')],
  ['weak type', () => __('weak type')],
  ['static', () => __('static')],
  ['config', () => __('config')],
  ['options', () => __('options')],
  ['device', () => __('device')],
  ['function', () => __('new function')],
  ['class', () => __('class')],
  ['style', () => __('call style')],
  ['none', () => 'None'],
  ['cleared', () => __('cleared caches')],
  ['first', () => __('first call')],
  ['order', () => __('order')],
  ['unknown', () => __('unknown')],
]);

/** The colour of a kind: changes of types, of values, of the call, and of the arrays' place. */
const KIND_CLASSES = new Map(
  Object.entries({
    types: ['shape', 'dtype', 'weak type'],
    values: ['static', 'config', 'none'],
    calls: ['style', 'pytree', 'function', 'class', 'options'],
    places: ['sharding', 'device', 'committed', 'mesh'],
  }).flatMap(([name, kinds]) => kinds.map((kind) => [kind, `jxv-kind-${name}`])),
);

/** The text before and after a change, merged into one. */
export function Difference({ pieces }: { pieces: readonly ChangePiece[] }) {
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

/** The least length of a name that is shortened, and the length of the end that always stays. */
const SHORTEST_SHORTENED = 13;
const END_LENGTH = 8;

/** A name that loses its middle if there is too little room, so that its end stays readable. */
export function ShortenedName({ text, title = text }: { text: string; title?: string }) {
  const letters = [...text];
  const cut = letters.length < SHORTEST_SHORTENED ? letters.length : letters.length - END_LENGTH;
  return (
    <span class="jxv-middle" title={title}>
      <span>{letters.slice(0, cut).join('')}</span>
      {cut < letters.length && <span>{letters.slice(cut).join('')}</span>}
    </span>
  );
}

interface PlaceProps {
  frame: Frame;
  text: ComponentChildren;
  /** The reason for the place, in the tooltip: `called here`. */
  about: string;
}

/** A line of code of an event or definition: a link if the host can open it. */
export function LogPlace({ frame, text, about }: PlaceProps) {
  const title = `${about}: ${frame.code === '' ? frame.function : frame.code}`;
  return <Place frame={frame} text={text} title={title} look="jxv-log-place" />;
}
