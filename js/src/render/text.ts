import {
  codeFolding,
  foldedRanges,
  foldGutter,
  foldKeymap,
  foldService,
  unfoldEffect,
} from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { type Range, spanAt, spansIn } from '../model/spans';
import type { Stage } from '../schema';
import { type Lit, light, marks } from './text-marks';

/** A stage's text as an editor that only reads. */
export interface TextPane {
  light(lit: Lit): void;
  /** Scroll to a range, and unfold what hides it. */
  reveal(range: Range): void;
  /** Scroll so that the line of a character is the first in view. */
  begin(offset: number): void;
  destroy(): void;
}

/** What the reader points at: a character of the text that lies within an eqn, or none. */
export interface Pointing {
  hover(offset: number | null): void;
  choose(offset: number | null): void;
}

export function textPane(parent: HTMLElement, stage: Stage, pointing: Pointing): TextPane {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: stage.text,
      extensions: [
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          tabindex: '0',
          'aria-label': `Text of the ${stage.kind}`,
        }),
        foldService.of((state, from, to) => foldable(stage, state, { from, to })),
        codeFolding(),
        foldGutter({ openText: '▾', closedText: '▸' }),
        keymap.of([...foldKeymap, { key: 'Mod-a', run: selectAll }]),
        marks(stage),
        EditorView.domEventHandlers({
          mousemove: (event, editor) => pointing.hover(under(stage, editor, event)),
          mouseleave: () => pointing.hover(null),
          click: (event, editor) => {
            if (editor.state.selection.main.empty) pointing.choose(under(stage, editor, event));
          },
        }),
      ],
    }),
  });
  return {
    light: (lit) => view.dispatch({ effects: light.of(lit) }),
    reveal: (range) => reveal(view, range),
    begin: (offset) => scrollTo(view, offset, 0, 4),
    destroy: () => view.destroy(),
  };
}

/** The bodies of the first eqn that begins on a line fold to that line; its operands stay. */
function foldable(stage: Stage, state: EditorState, line: Range): Range | null {
  const span = spansIn(stage, { from: line.from, to: line.to + 1 }).find(
    ({ bodies, to }) => bodies && to > line.to,
  );
  if (!span) return null;
  const last = state.doc.lineAt(Math.min(span.to, state.doc.length));
  const closing = last.from + Math.max(0, last.text.search(/\S/));
  const operands = closing > line.to && last.text[closing - last.from] === ']';
  return { from: line.to, to: operands ? closing : Math.min(span.to, last.to) };
}

function selectAll(view: EditorView): boolean {
  view.dispatch({ selection: { anchor: 0, head: view.state.doc.length } });
  return true;
}

/** Anywhere on a line counts as on its text. */
function under(stage: Stage, view: EditorView, { clientX: x, clientY: y }: MouseEvent) {
  const near = view.posAtCoords({ x, y });
  if (near === null) return null;
  const line = view.state.doc.lineAt(near);
  const indent = Math.max(0, line.text.search(/\S/));
  const offset = Math.max(line.from + indent, Math.min(near, line.to - 1));
  return spanAt(stage, offset) ? offset : null;
}

/** By hand: the editor's own would scroll the notebook around it as well. */
function reveal(view: EditorView, { from }: Range): void {
  const hidden: Range[] = [];
  foldedRanges(view.state).between(from, from + 1, (start, stop) => {
    if (start < from) hidden.push({ from: start, to: stop });
  });
  view.dispatch({ effects: hidden.map((range) => unfoldEffect.of(range)) });
  scrollTo(view, from, 1 / 3, 4);
}

/** To this share of the height, where it is not in view; at a share of 0 to the top whatever is in
 * view. Lines out of view have estimated heights,
 * so it may take more than one look. */
function scrollTo(view: EditorView, offset: number, share: number, looks: number): void {
  view.requestMeasure({
    read: () => view.lineBlockAt(offset),
    write: ({ top, bottom }) => {
      const { scrollDOM } = view;
      const { scrollTop, clientHeight } = scrollDOM;
      const seen = top >= scrollTop && bottom <= scrollTop + clientHeight;
      if (seen && (share > 0 || top === scrollTop)) return;
      scrollDOM.scrollTop = Math.max(0, top - clientHeight * share);
      if (looks > 1) scrollTo(view, offset, share, looks - 1);
    },
  });
}
