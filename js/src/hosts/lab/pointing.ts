import { StateEffect } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { POINT, type PointEvent } from '../../view';
import type { OpenDocument } from './documents';
import { type Cell, editorOf, linesOf } from './editors';

/** How long the pointer rests before its line is meant, ms. */
const REST = 150;

/** A line of a cell, from 1. */
interface Place {
  cell: Cell;
  view: EditorView;
  line: number;
}

/** Tells views of programs which line of a document's cells is pointed at: that on which the mouse
 * rests, else that of the cursor. */
export class Pointing {
  readonly #document: OpenDocument;
  readonly #views: () => Iterable<Element>;
  readonly #known = new WeakSet<EditorView>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #under: Place | null = null;
  #cursor: Place | null = null;
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
    }, REST);
  };

  readonly #leave = (): void => {
    clearTimeout(this.#timer);
    this.#set({ under: null });
  };

  /** An editor tells of its cursor from when it is first used. */
  readonly #focus = ({ target }: FocusEvent): void => {
    const found = this.#editorAt(target as Element);
    if (!found) return;
    const { cell, view } = found;
    const tell = () => {
      const { state, hasFocus } = view;
      if (!hasFocus && this.#cursor?.view !== view) return;
      this.#set({ cursor: placeAt({ cell, view }, state.selection.main.head) });
    };
    if (this.#known.has(view)) return;
    this.#known.add(view);
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged || update.selectionSet || update.focusChanged) tell();
    });
    view.dispatch({ effects: StateEffect.appendConfig.of(listener) });
    tell();
  };

  /** The cursor stays for who goes on to read, in the panel, what is told of its line. */
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
    under?: Place | null;
    cursor?: Place | null;
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

const placeAt = (found: { cell: Cell; view: EditorView }, at: number): Place => ({
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
