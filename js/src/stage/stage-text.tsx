/** The text of a stage beside its graph. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Id } from '../facts/ids';
import type { LinkedItem } from '../facts/linked/linked';
import { namesIn } from '../facts/short-text/names';
import { beginOf, besides, idOf, rangeOf, rangesOf, spanAt } from '../facts/text/spans';
import { __ } from '../language';
import type { Pointing, TextOptions, TextPane } from '../render/text/text-editor';
import type { LinkedRange } from '../render/text/text-marks';
import type { Stage } from '../schema';
import { Code, useCode, usePainted } from '../shell/parts/deferred';
import { saveExactText, showsExactText } from '../shell/parts/remembered-views';
import { firstChange } from '../state/tour';

interface Props {
  stage: Stage;
  selected: Id | null;
  /** The pointed-at items, here or elsewhere. */
  hovered: readonly Id[];
  /** The items that are linked to a selection elsewhere. */
  lit: readonly LinkedItem[];
  matches?: readonly Id[];
  match?: number;
  select: (id: Id | null) => void;
  hover: (id: Id | null) => void;
  options?: TextOptions;
}

const EDITOR = new Code(() => import('../render/text/text-editor'));

const NO_MATCHES: readonly Id[] = [];

/** A stage's text. The editor is loaded and made after the first paint, so that the graph appears
 * sooner. */
export function Text(props: Props) {
  const element = useRef<HTMLDivElement>(null);
  /** The item that was selected in this text, so that it is in view already. */
  const own = useRef<Id | null>(null);
  useFound(props.stage);
  const editor = useCode(EDITOR, usePainted(3));
  const ready = editor !== null;
  const pane = usePane(props, element, own, editor);
  useLit(props, pane, ready);
  useRevealed(props, pane, own, ready);
  return (
    <>
      <div class="jxv-text" ref={element} />
      {props.stage.text === '' && <p class="jxv-unsaved">{__('The text was not saved.')}</p>}
    </>
  );
}

/** A stage's text in its short form, with a switch for the text as JAX and XLA print it. */
export function ShortText({ options, ...props }: Props & { options: TextOptions }) {
  const [exact, setExact] = useState(showsExactText);
  const editor = useCode(EDITOR, usePainted(3));
  const shown = useMemo(() => ({ ...options, exact }), [options, exact]);
  const toggle = () => {
    saveExactText(!exact);
    setExact(!exact);
  };
  return (
    <div class="jxv-text-and-switch">
      <Text {...props} options={shown} />
      {editor?.isShortened(props.stage) && (
        <button
          type="button"
          class="jxv-bare jxv-exact"
          aria-pressed={exact}
          title={__('With all inputs and params, exactly as printed. Copied text is always exact.')}
          onClick={toggle}
        >
          {__('Exact text')}
        </button>
      )}
    </div>
  );
}

/** Finds the ranges of the eqns and the names of a text, in separate frames before the editor needs
 * them: long texts take a while. */
function useFound(stage: Stage): void {
  const [ranges, names] = [usePainted(1), usePainted(2)];
  useEffect(() => {
    if (ranges) rangesOf(stage);
  }, [ranges]);
  useEffect(() => {
    if (names) namesIn(stage);
  }, [names]);
}

type PaneRef = { current: TextPane | null };
type OwnSelection = { current: Id | null };

/** Makes the editor with the text; a new one for another stage. */
function usePane(
  props: Props,
  element: RefObject<HTMLElement>,
  own: OwnSelection,
  editor: typeof EDITOR.value,
): PaneRef {
  const { stage, options } = props;
  const pane = useRef<TextPane | null>(null);
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    if (!editor) return;
    const pointing = pointingIn(stage, latest, own);
    const created = editor.textPane(element.current as HTMLElement, stage, pointing, options);
    pane.current = created;
    const { selected, lit } = latest.current;
    if (selected === null && lit.length === 0) created.begin(startOf(stage, options));
    return () => created.destroy();
  }, [stage, editor]);
  useEffect(() => {
    if (options) pane.current?.setOptions(options);
  }, [options]);
  return pane;
}

/** The handlers of pointer and keys in the text. */
function pointingIn(stage: Stage, latest: { current: Props }, own: OwnSelection): Pointing {
  const idAt = (offset: number | null): Id | null => {
    const span = offset === null ? null : spanAt(stage, offset);
    return span && idOf(stage, span, latest.current.selected);
  };
  let pointed: Id | null = null;
  return {
    hover: (offset) => {
      const id = idAt(offset);
      if (id !== pointed) latest.current.hover(id);
      pointed = id;
    },
    choose: (offset) => {
      const id = idAt(offset);
      own.current = id;
      latest.current.select(id);
    },
    step: (by) => {
      const { selected, lit } = latest.current;
      const id = besides(stage, selected ?? lit[0]?.id ?? null, by);
      if (id !== null) latest.current.select(id);
      return id !== null;
    },
  };
}

/** Marks the selected, pointed-at, linked and found items. */
function useLit(props: Props, pane: PaneRef, ready: boolean): void {
  const { stage, selected, hovered, lit, matches = NO_MATCHES, match = -1 } = props;
  const found = useMemo(() => matches.flatMap((id) => rangeOf(stage, id) ?? []), [stage, matches]);
  const linked = useMemo(() => linkedRanges(stage, lit), [stage, lit]);
  useEffect(() => {
    const range = (id: Id | null | undefined) => (id == null ? null : rangeOf(stage, id));
    pane.current?.light({
      selected: range(selected),
      hovered: hovered.flatMap((id) => rangeOf(stage, id) ?? []),
      linked,
      match: range(matches[match]),
      matches: found,
    });
  }, [stage, selected, hovered, linked, matches, match, found, ready]);
}

/** Scrolls to what was selected elsewhere. */
function useRevealed(
  { stage, selected, lit }: Props,
  pane: PaneRef,
  own: OwnSelection,
  ready: boolean,
): void {
  const linked = useMemo(() => linkedRanges(stage, lit), [stage, lit]);
  useEffect(() => {
    const range = selected === null || !pane.current ? null : rangeOf(stage, selected);
    if (range && selected !== own.current) pane.current?.reveal([range]);
    own.current = null;
  }, [stage, selected, ready]);
  useEffect(() => {
    if (selected === null) pane.current?.reveal(linked);
  }, [linked, ready]);
}

/** The number of lines that are visible before the first change. */
const LINES_BEFORE_CHANGE = 3;
/** A text is shown from its start if its first change is at most this many lines below. */
const LINES_FROM_START = 12;

/** The first visible character of a text: where the program begins, or a little before its first
 * change. */
function startOf(stage: Stage, options: TextOptions | undefined): number {
  const begin = beginOf(stage);
  const first = options?.differences ? firstChange(stage, options.differences) : null;
  const from = first === null ? null : rangeOf(stage, first)?.from;
  if (from === null || from === undefined) return begin;
  const lines = stage.text.slice(begin, from).split('\n');
  if (from > begin && lines.length <= LINES_FROM_START) return begin;
  const linesBefore = stage.text
    .slice(0, from)
    .split('\n')
    .slice(-LINES_BEFORE_CHANGE - 1);
  return from - linesBefore.join('\n').length;
}

function linkedRanges(stage: Stage, lit: readonly LinkedItem[]): LinkedRange[] {
  const ranges = lit.flatMap(({ id, guess }) => {
    const range = rangeOf(stage, id);
    return range ? [{ ...range, guess }] : [];
  });
  return ranges.sort((one, other) => one.from - other.from);
}
