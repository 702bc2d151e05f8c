/** Links lines of cells with views of programs: marks the lines of a view's selection, and reports
 * the pointed-at line to views. */
import { RangeSet, StateEffect, StateField, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import { presentLine } from '../../../facts/linked/edited-lines';
import { presentSpans, type Span } from '../../../facts/source';
import { type LinesEvent, POINT, type PointEvent } from '../../../shell/parts/host-events';
import { type Cell, editorOf, linesOf, type OpenDocument } from '../documents';

/** The lines that a view requests to mark. */
type MarkRequest = Omit<LinesEvent, 'of'> & { from: Element | null };
const NOTHING: MarkRequest = { lines: [], frames: [], listings: [], from: null };

/** The class of cells with marked lines, and of headings under which such cells are folded. */
const MARKED_CELL = 'jxv-marked-cell';
/** The class of cells in which a line is not marked because it was edited. */
const EDITED_CELL = 'jxv-edited-cell';

/** The marked lines of one document: those of the pointed-at item, else those of the last selection. */
export class MarkedLines {
  readonly #document: OpenDocument;
  #requests = { selected: NOTHING, pointed: NOTHING };
  /** The ids of the cells that have marked lines. */
  #cells = new Set<string>();

  /** `like` is another tab of the same notebook, whose marks are copied. */
  constructor(document: OpenDocument, like: MarkedLines | undefined) {
    this.#document = document;
    document.follow(() => this.#mark());
    if (like) this.#set(like.#requests);
  }

  /** Marks the lines that a view asks for. Without lines, removes the marks of the same view. */
  show({ of, ...marks }: LinesEvent, from: Element): void {
    const isOwn = this.#requests[of].from === from;
    if (marks.lines.length > 0) this.#set({ ...this.#requests, [of]: { ...marks, from } });
    else if (isOwn) this.#set({ ...this.#requests, [of]: NOTHING });
  }

  /** Removes the marks of views that are gone. */
  forget(isGone: (view: Element) => boolean): void {
    const unlessGone = (marks: MarkRequest) => (marks.from && isGone(marks.from) ? NOTHING : marks);
    const { selected, pointed } = this.#requests;
    this.#set({ selected: unlessGone(selected), pointed: unlessGone(pointed) });
  }

  #set(requests: { selected: MarkRequest; pointed: MarkRequest }): void {
    this.#requests = requests;
    this.#mark();
  }

  get #shown(): MarkRequest {
    const { selected, pointed } = this.#requests;
    return pointed.from ? pointed : selected;
  }

  #mark(): void {
    const marks = new Set(this.#shown.lines.map(({ cell }) => cell));
    if (marks.size === 0 && this.#cells.size === 0) return;
    const before = this.#cells;
    this.#cells = marks;
    const markedCells = new Set<Cell>();
    let lastVisible: Cell | undefined;
    const cells = this.#document.cells();
    for (const cell of cells) {
      const { id } = cell.model;
      if (!cell.isHidden) lastVisible = cell;
      if (marks.has(id)) markedCells.add(cell).add(lastVisible ?? cell);
      if (marks.has(id) || before.has(id)) void this.#markLines(cell);
    }
    for (const cell of cells) cell.toggleClass(MARKED_CELL, markedCells.has(cell));
  }

  /** Marks the lines of a cell once it has an editor. JupyterLab makes editors for cells near the
   * visible part. */
  async #markLines(cell: Cell): Promise<void> {
    await cell.ready;
    const view = cell.isDisposed ? null : editorOf(cell);
    if (!view) return;
    const { id } = cell.model;
    const own = this.#shown.lines.filter((one) => one.cell === id);
    const listings = this.#shown.listings.filter((one) => one.cell === id);
    const present = linesOf(view);
    const lines = own.flatMap(({ line }) =>
      listings.length === 0 ? line : (presentLine(listings, present, line) ?? []),
    );
    const spans = this.#shown.frames
      .filter(({ cell }) => cell === id)
      .flatMap((frame) => presentSpans(frame, listings, present));
    cell.toggleClass(EDITED_CELL, lines.length < own.length);
    const effects: StateEffect<unknown>[] = [setMarks.of({ lines, spans })];
    if (!view.state.field(marked, false)) effects.unshift(StateEffect.appendConfig.of(marked));
    view.dispatch({ effects });
  }
}

/** The marks in an editor: lines, and the expressions in them. */
interface CellMarks {
  /** From 1. */
  lines: readonly number[];
  spans: readonly Span[];
}

const setMarks = StateEffect.define<CellMarks>();
const wholeLine = Decoration.line({ class: 'jxv-marked-line' });
/** A line whose expression is marked. */
const quietLine = Decoration.line({ class: 'jxv-marked-line jxv-quiet' });
const expression = Decoration.mark({ class: 'jxv-marked-expression' });

/** The marks in an editor. They move with the text. */
const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lines, { changes, effects, newDoc }) {
    const set = effects.find((effect) => effect.is(setMarks));
    return set ? decorationsOf(set.value, newDoc) : lines.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorationsOf({ lines, spans }: CellMarks, text: Text): DecorationSet {
  const exists = (line: number) => line >= 1 && line <= text.lines;
  const spanned = new Set(spans.map(({ line }) => line));
  const starts = [...new Set(lines)].filter(exists).map((line) => {
    const decoration = spanned.has(line) ? quietLine : wholeLine;
    return decoration.range(text.line(line).from);
  });
  const parts = spans.filter(({ line, from, to }) => exists(line) && from < to);
  const ranges = parts.map(({ line, from, to }) => {
    const start = text.line(line).from;
    return expression.range(start + from, start + to);
  });
  return RangeSet.of([...starts, ...ranges], true);
}

/** The time for which the mouse must rest on a line to point at it, ms. */
const REST_TIME = 150;

interface CellLine {
  cell: Cell;
  view: EditorView;
  /** Counted from 1. */
  line: number;
}

/** The pointed-at line of a document's cells: the one under the resting mouse, else the one with the
 * cursor. */
export class PointedLine {
  readonly #document: OpenDocument;
  readonly #views: () => Iterable<Element>;
  readonly #followed = new WeakSet<EditorView>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #under: CellLine | null = null;
  #cursor: CellLine | null = null;
  #shown: PointEvent = null;

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

  /** Starts to follow the cursor of an editor when it first gets the focus. */
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

  /** Only a focus elsewhere in the notebook clears the cursor's line: in the panel, the reader wants
   * to read about that line. */
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
    if (isSame(next, this.#shown)) return;
    this.#shown = next;
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
