/** Shows the text of a stage in a read-only editor. */
import {
  codeFolding,
  foldedRanges,
  foldGutter,
  foldKeymap,
  foldService,
  unfoldEffect,
} from '@codemirror/language';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import type { Measure } from '../../facts/colours/heat';
import type { Differences } from '../../facts/differences';
import { type Range, spanAt, spansIn } from '../../facts/text/spans';
import { __ } from '../../language';
import type { Stage } from '../../schema';
import { differing, heatGutter } from './text-gutters';
import { type Lit, light, marks, type TintsOf } from './text-marks';
import { openUnder, shortened } from './text-short';

export { isShortened } from './text-short';

/** The editor of a stage's text. */
export interface TextPane {
  light(lit: Lit): void;
  /** Scrolls to the first of some ranges and unfolds what hides it, unless one of them is in view. */
  reveal(ranges: readonly Range[]): void;
  /** Scrolls so that the line of a character is the first in view. */
  begin(offset: number): void;
  /** Changes the options; what is in view stays so. */
  setOptions(options: TextOptions): void;
  destroy(): void;
}

/** Callbacks for the pointer and the arrow keys. An offset is a character within an eqn, or null. */
export interface Pointing {
  hover(offset: number | null): void;
  choose(offset: number | null): void;
  /** Goes to the next line with an eqn (1) or to the previous one (-1). Returns true if there is one. */
  step(by: 1 | -1): boolean;
}

/** Options of how a text is shown. */
export interface TextOptions {
  /** True if long lines wrap. */
  wrap: boolean;
  /** The colours of the bar before each line; null for none. */
  tints: TintsOf | null;
  /** The measure that the bars before the lines show; null for none. */
  heat: Measure | null;
  /** The differences of a comparison. */
  differences?: Differences | null;
  /** True if the text is shown as JAX and XLA print it, with nothing left out. */
  exact?: boolean;
}

const PLAIN_OPTIONS: TextOptions = { wrap: true, tints: null, heat: null };

/** Shows a stage's text in an element. */
export function textPane(
  parent: HTMLElement,
  stage: Stage,
  pointing: Pointing,
  options: TextOptions = PLAIN_OPTIONS,
): TextPane {
  const optional = new Compartment();
  const extensions = [
    EditorState.readOnly.of(true),
    EditorView.editable.of(false),
    optional.of(extensionsOf(stage, options)),
    pointingAt(stage, pointing),
  ];
  const view = new EditorView({
    parent,
    state: EditorState.create({ doc: stage.text, extensions }),
  });
  const keeper = lineKeeper(view);
  let shown = options;
  return {
    light: (lit) => {
      view.dispatch({ effects: light.of(lit) });
      keeper.keep(lit.selected?.from ?? -1);
    },
    reveal: (ranges) => reveal(view, ranges),
    begin: (offset) => offset > 0 && scrollTo(view, offset, 0),
    setOptions: (wanted) => {
      if (wanted === shown) return;
      shown = wanted;
      view.dispatch({ effects: optional.reconfigure(extensionsOf(stage, wanted)) });
      keeper.restore();
    },
    destroy: () => {
      keeper.end();
      view.destroy();
    },
  };
}

/** Keeps a line in view when the editor gets another size or other options, unless the reader has scrolled it away. */
function lineKeeper(view: EditorView) {
  const { scrollDOM } = view;
  let [line, seen, height] = [-1, false, scrollDOM.clientHeight];
  const check = () => {
    seen = line >= 0 && isWithin(view, line, height);
  };
  const restore = () => seen && scrollTo(view, line, 1 / 3);
  const sized = new ResizeObserver(([entry]) => {
    height = entry?.contentRect.height ?? 0;
    restore();
  });
  sized.observe(scrollDOM);
  scrollDOM.addEventListener('scroll', check, { passive: true });
  return {
    keep: (offset: number) => {
      line = offset;
      check();
    },
    restore,
    end: () => sized.disconnect(),
  };
}

/** True if the line of a character is in view. */
function isWithin(view: EditorView, offset: number, height: number): boolean {
  const { top, bottom } = blockAt(view, offset);
  const { scrollTop } = view.scrollDOM;
  return top >= scrollTop && bottom <= scrollTop + height;
}

/** The options, as extensions of the editor. */
function extensionsOf(
  stage: Stage,
  { wrap, tints, heat, differences, exact }: TextOptions,
): Extension {
  return [
    wrap ? EditorView.lineWrapping : [],
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-label': __('Text of the %1', stage.kind),
    }),
    foldService.of((state, from, to) => foldable(stage, state, { from, to })),
    codeFolding(),
    heat ? heatGutter(stage, heat) : [],
    foldGutter({ openText: '▾', closedText: '▸' }),
    differences ? differing(stage, differences) : [],
    exact ? [] : shortened(stage),
    marks(stage, tints),
  ];
}

/** The keys and the pointer, as extensions of the editor. */
function pointingAt(stage: Stage, pointing: Pointing): Extension {
  return [
    keymap.of([
      { key: 'ArrowDown', run: () => pointing.step(1) },
      { key: 'ArrowUp', run: () => pointing.step(-1) },
      ...foldKeymap,
      { key: 'Mod-a', run: selectAll },
    ]),
    EditorView.domEventHandlers({
      mousemove: (event, editor) => pointing.hover(under(stage, editor, event)),
      mouseleave: () => pointing.hover(null),
      click: (event, editor) => {
        if (openUnder(editor, event)) return;
        if (editor.state.selection.main.empty) pointing.choose(under(stage, editor, event));
      },
    }),
  ];
}

/** The range that can be folded at a line: the bodies of the first eqn that begins there, without its operands; or
 * the text in the braces of a function or computation. */
function foldable(stage: Stage, state: EditorState, line: Range): Range | null {
  const span = spansIn(stage, { from: line.from, to: line.to + 1 }).find(
    ({ bodies, to }) => bodies && to > line.to,
  );
  if (!span) return braced(state, line);
  const last = state.doc.lineAt(Math.min(span.to, state.doc.length));
  const closing = last.from + Math.max(0, last.text.search(/\S/));
  const operands = closing > line.to && last.text[closing - last.from] === ']';
  return { from: line.to, to: operands ? closing : Math.min(span.to, last.to) };
}

/** The text from a brace at the end of a line to the line that closes it. */
function braced({ doc }: EditorState, { from, to }: Range): Range | null {
  const { text, number } = doc.lineAt(from);
  if (!text.endsWith('{')) return null;
  const closing = `${' '.repeat(Math.max(0, text.search(/\S/)))}}`;
  for (let at = number + 1; at <= doc.lines; at++) {
    const line = doc.line(at);
    if (line.text.startsWith(closing)) return { from: to, to: line.from + closing.length - 1 };
  }
  return null;
}

function selectAll(view: EditorView): boolean {
  view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
  return true;
}

/** The character at the mouse; null if no eqn is there. Anywhere on a line counts as on its text. */
function under(stage: Stage, view: EditorView, { clientX: x, clientY: y }: MouseEvent) {
  const near = view.posAtCoords({ x, y });
  if (near === null) return null;
  const line = view.state.doc.lineAt(near);
  const indent = Math.max(0, line.text.search(/\S/));
  const offset = Math.max(line.from + indent, Math.min(near, line.to - 1));
  return spanAt(stage, offset) ? offset : null;
}

/** Scrolls to the first of some ranges, unless one of several is in view. It does not use CodeMirror's own scrolling,
 * which would scroll the notebook as well. */
function reveal(view: EditorView, ranges: readonly Range[]): void {
  const [first] = ranges;
  if (!first) return;
  const isSeen = ({ from }: Range) =>
    isWithin(view, from, view.scrollDOM.clientHeight) && !isFolded(view, from);
  if (ranges.length > 1 && ranges.some(isSeen)) return;
  const { from } = first;
  const hidden: Range[] = [];
  foldedRanges(view.state).between(from, from + 1, (start, stop) => {
    if (start < from) hidden.push({ from: start, to: stop });
  });
  if (hidden.length > 0) {
    view.dispatch({ effects: hidden.map((range) => unfoldEffect.of(range)) });
  }
  scrollTo(view, from, 1 / 3);
}

/** True if a character is within a fold. */
function isFolded(view: EditorView, offset: number): boolean {
  let folded = false;
  foldedRanges(view.state).between(offset, offset + 1, (start) => {
    if (start < offset) folded = true;
  });
  return folded;
}

/** The most attempts of an editor to scroll to a goal: the heights of lines out of view are estimates. */
const MOST_ATTEMPTS = 4;

/** The goal that each editor scrolls to. A new goal ends the scrolling to the one before. */
const goals = new WeakMap<EditorView, { readonly offset: number; readonly share: number }>();

/** Scrolls the line of a character to this share of the height, unless it is in view. A share of 0 scrolls it to the
 * top in any case. */
function scrollTo(view: EditorView, offset: number, share: number): void {
  goals.set(view, { offset, share });
  scroll(view, MOST_ATTEMPTS);
}

/** Scrolls to the goal, and checks again after the next frames. */
function scroll(view: EditorView, attempts: number): void {
  const goal = goals.get(view);
  if (!goal) return;
  const { offset, share } = goal;
  view.requestMeasure({
    read: () => {
      const { top, bottom } = blockAt(view, offset);
      const { scrollTop, clientHeight } = view.scrollDOM;
      const seen = top >= scrollTop && bottom <= scrollTop + clientHeight;
      if (seen && (share > 0 || top === scrollTop)) return null;
      return Math.min(top, firstWhole(view, top - clientHeight * share));
    },
    write: (to) => {
      if (to === null || goals.get(view) !== goal) return;
      view.scrollDOM.scrollTop = to;
      if (attempts > 1)
        requestAnimationFrame(() => goals.get(view) === goal && scroll(view, attempts - 1));
    },
  });
}

/** The top of the first line that is whole below a height, so that no line is cut at the top. */
function firstWhole(view: EditorView, height: number): number {
  const { top: padding } = view.documentPadding;
  if (height <= padding) return 0;
  const { top, bottom } = view.lineBlockAtHeight(height - padding);
  return padding + (top + padding < height ? bottom : top);
}

/** The top and bottom of a character's line in the scrolled content. */
function blockAt(view: EditorView, offset: number): { top: number; bottom: number } {
  const { top, bottom } = view.lineBlockAt(offset);
  const { top: padding } = view.documentPadding;
  return { top: top + padding, bottom: bottom + padding };
}
