/** The selection in the outputs of a notebook or console, shared by all its tabs and the panel. */
import type { ISessionContext } from '@jupyterlab/apputils';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Focus } from '../../facts/linked/linked';
import {
  EDIT,
  FILE,
  LINES,
  MAKE,
  type MakeEvent,
  SELECT,
  SELECTED,
  type SelectedEvent,
  SOURCE,
  VIEWS,
} from '../../shell/parts/host-events';
import {
  afterAnnouncement,
  inspected,
  NOTHING_SELECTED,
  type Selecting,
  type Selection,
  withoutViews,
} from '../../state/panel/notebook-selection';

/** Follows the views of one notebook or console: stores the selected and the pointed-at item. */
export class DocumentSelection implements Selecting {
  readonly #changed = new Signal<this, void>(this);
  readonly #asked = new Signal<this, CustomEvent>(this);
  readonly #nodes = new Set<HTMLElement>();
  #value: Selection<Element> = NOTHING_SELECTED;

  now(): Selection {
    const { selected, pointed } = this.#value;
    return { selected, pointed: pointed?.view.isConnected ? pointed : null };
  }

  follow(changed: () => void, signal: AbortSignal): void {
    this.#changed.connect(changed);
    signal.addEventListener('abort', () => this.#changed.disconnect(changed));
  }

  /** Emits the requests of views to their document: to show a line, mark lines, or look for a file. */
  get asked(): ISignal<this, CustomEvent> {
    return this.#asked;
  }

  /** Follows the views in an element until the signal aborts. Each output passes its own element,
   * because JupyterLab removes outputs far from view from the page. */
  listen(node: HTMLElement, signal: AbortSignal): void {
    const announced = (event: Event) => {
      const { detail, target } = event as CustomEvent<SelectedEvent>;
      this.#set(afterAnnouncement(this.#value, detail, target as Element, isNearer));
    };
    const asked = (event: Event) => this.#asked.emit(event as CustomEvent);
    node.addEventListener(SELECTED, announced, { signal });
    for (const name of [EDIT, FILE, LINES, SOURCE]) node.addEventListener(name, asked, { signal });
    this.#nodes.add(node);
    signal.addEventListener('abort', () => this.#nodes.delete(node));
  }

  /** All views in the followed elements. */
  views(): Element[] {
    return [...this.#nodes].flatMap((node) => [...node.querySelectorAll(VIEWS)]);
  }

  /** Removes the selection of views in an element that is gone. */
  forget(element: Element): void {
    this.#set(withoutViews(this.#value, (view) => element.contains(view)));
  }

  /** Works even if the view of the selection is gone. */
  select(focus: Focus): void {
    const chosen = inspected(this.#value);
    if (!chosen) return;
    this.#set({ selected: { ...chosen, focus }, pointed: null });
    chosen.view.dispatchEvent(new CustomEvent(SELECT, { detail: focus }));
  }

  make(kind: string, wanted: boolean): void {
    const detail: MakeEvent = { kind, wanted };
    inspected(this.#value)?.view.dispatchEvent(new CustomEvent(MAKE, { detail }));
  }

  #set(value: Selection<Element>): void {
    this.#value = value;
    this.#changed.emit();
  }
}

const selections = new WeakMap<ISessionContext, DocumentSelection>();

interface HasSession {
  sessionContext: ISessionContext;
}

/** The selection of a notebook or console: always the same object, in all of its tabs. */
export function selectionIn({ sessionContext }: HasSession): DocumentSelection {
  const found = selections.get(sessionContext) ?? new DocumentSelection();
  selections.set(sessionContext, found);
  return found;
}

const isNearer = (one: Element, other: Element): boolean => nearness(one) > nearness(other);

/** 2 if a view is visible, 1 if it can be scrolled to, 0 if it is hidden. */
function nearness(view: Element): number {
  const { top, bottom, height } = view.getBoundingClientRect();
  if (height === 0) return 0;
  return bottom > 0 && top < window.innerHeight ? 2 : 1;
}
