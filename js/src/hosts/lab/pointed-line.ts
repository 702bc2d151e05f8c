/** Tells views of programs which line of a cell the reader points at. */
import { StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { POINT, type PointEvent } from '../../view';
import type { OpenDocument } from './documents';
import { type Cell, editorOf, linesOf } from './editors';

/** How long the mouse must rest on a line before that counts as pointing, ms. */
const REST_TIME = 150;

interface CellLine {
  cell: Cell;
  view: EditorView;
  /** Counted from 1. */
  line: number;
}

/** The line of a document's cells that is pointed at: the one on which the mouse rests, else the one
 * with the cursor. */
export class PointedLine {
  readonly #document: OpenDocument;
  readonly #views: () => Iterable<Element>;
  readonly #followed = new WeakSet<EditorView>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #under: CellLine | null = null;
  #cursor: CellLine | null = null;
  #told: PointEvent = null;

  constructor(document: OpenDocument, views: () => Iterable<Element>) {
    this.#document = document;
    this.#views = views;
    const { content, panel } = document;
    content.node.addEventListener('mousemove', this.#move, { passive: true });
    content.node.addEventListener('mouseleave', this.#leave);
    content.node.addEventListener('focusin', this.#focus);
    content.node.addEventListener('focusout', this.#blur);
    panel.disposed.connect(() => {
      clearTimeout(this.#timer);
      this.#set({ under: null, cursor: null });
    });
  }

  readonly #move = (event: MouseEvent): void => {
    clearTimeout(this.#timer);
    const found = this.#editorAt(event.target as Element);
    if (!found) {
      this.#set({ under: null });
      return;
    }
    const { clientX: x, clientY: y } = event;
    this.#timer = setTimeout(() => {
      const at = found.view.posAtCoords({ x, y });
      this.#set({ under: at === null ? null : placeAt(found, at) });
    }, REST_TIME);
  };

  readonly #leave = (): void => {
    clearTimeout(this.#timer);
    this.#set({ under: null });
  };

  /** Begins to follow the cursor of an editor when it is first used. */
  readonly #focus = ({ target }: FocusEvent): void => {
    const found = this.#editorAt(target as Element);
    if (!found) return;
    const { cell, view } = found;
    const report = () => {
      const { state, hasFocus } = view;
      if (!hasFocus && this.#cursor?.view !== view) return;
      this.#set({ cursor: placeAt({ cell, view }, state.selection.main.head) });
    };
    if (this.#followed.has(view)) return;
    this.#followed.add(view);
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged || update.selectionSet || update.focusChanged) report();
    });
    view.dispatch({ effects: StateEffect.appendConfig.of(listener) });
    report();
  };

  /** The line with the cursor is forgotten only if the focus goes elsewhere in the notebook: who goes on
   * to the panel wants to read there about that line. */
  readonly #blur = ({ relatedTarget }: FocusEvent): void => {
    const { node } = this.#document.content;
    const isWithin = relatedTarget instanceof Element && node.contains(relatedTarget);
    if (isWithin && !this.#editorAt(relatedTarget)) this.#set({ cursor: null });
  };

  #editorAt(target: Element): { cell: Cell; view: EditorView } | null {
    const element = target.closest<HTMLElement>('.cm-editor');
    const cell = element && this.#document.cells().find(({ node }) => node.contains(element));
    const view = cell ? editorOf(cell) : null;
    return cell && view?.dom === element ? { cell, view } : null;
  }

  #set({
    under = this.#under,
    cursor = this.#cursor,
  }: {
    under?: CellLine | null;
    cursor?: CellLine | null;
  }) {
    this.#under = under;
    this.#cursor = cursor;
    const place = under ?? cursor;
    const next: PointEvent = place && {
      cell: place.cell.model.id,
      line: place.line,
      lines: linesOf(place.view),
    };
    if (isSame(next, this.#told)) return;
    this.#told = next;
    for (const view of this.#views()) {
      view.dispatchEvent(new CustomEvent<PointEvent>(POINT, { detail: next }));
    }
  }
}

const placeAt = (found: { cell: Cell; view: EditorView }, at: number): CellLine => ({
  ...found,
  line: found.view.state.doc.lineAt(at).number,
});

function isSame(one: PointEvent, other: PointEvent): boolean {
  return (
    one === other ||
    (one?.cell === other?.cell &&
      one?.line === other?.line &&
      one?.lines.length === other?.lines.length &&
      one!.lines.every((text, index) => text === other?.lines[index]))
  );
}
