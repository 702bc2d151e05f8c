import type { ISessionContext } from '@jupyterlab/apputils';
import { type ISignal, Signal } from '@lumino/signaling';
import type { Focus } from '../../facts/linked/linked';
import {
  afterAnnouncement,
  inspected,
  NOTHING_SELECTED,
  type Selecting,
  type Selection,
  withoutViews,
} from '../../state/panel/notebook-selection';
import {
  FILE,
  LINES,
  MAKE,
  type MakeEvent,
  SELECT,
  SELECTED,
  type SelectedEvent,
  SOURCE,
  VIEWS,
} from '../../view';

/** What is selected in the outputs of a notebook or console, and in what shows their programs. */
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

  /** What views ask of their document: to show a line, or to mark some. */
  get asked(): ISignal<this, CustomEvent> {
    return this.#asked;
  }

  /** Hears the views in an element, until the signal aborts. An output's own element is heard also
   * while JupyterLab has it out of the page, as it has what is far from where one looks. */
  listen(node: HTMLElement, signal: AbortSignal): void {
    const told = (event: Event) => {
      const { detail, target } = event as CustomEvent<SelectedEvent>;
      this.#set(afterAnnouncement(this.#value, detail, target as Element, isNearer));
    };
    const asked = (event: Event) => this.#asked.emit(event as CustomEvent);
    node.addEventListener(SELECTED, told, { signal });
    for (const name of [FILE, LINES, SOURCE]) node.addEventListener(name, asked, { signal });
    this.#nodes.add(node);
    signal.addEventListener('abort', () => this.#nodes.delete(node));
  }

  /** All views that are heard. */
  views(): Element[] {
    return [...this.#nodes].flatMap((node) => [...node.querySelectorAll(VIEWS)]);
  }

  /** The views within an element are gone. */
  forget(element: Element): void {
    this.#set(withoutViews(this.#value, (view) => element.contains(view)));
  }

  /** Also where the view is gone that it was chosen in. */
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

const known = new WeakMap<ISessionContext, DocumentSelection>();

interface Held {
  sessionContext: ISessionContext;
}

/** Of a notebook or console, the same for all who ask and in all of its tabs. */
export function selectionIn({ sessionContext }: Held): DocumentSelection {
  const found = known.get(sessionContext) ?? new DocumentSelection();
  known.set(sessionContext, found);
  return found;
}

const isNearer = (one: Element, other: Element): boolean => nearness(one) > nearness(other);

/** 2 in front of the reader, 1 where that scrolls to, 0 not shown. */
function nearness(view: Element): number {
  const { top, bottom, height } = view.getBoundingClientRect();
  if (height === 0) return 0;
  return bottom > 0 && top < window.innerHeight ? 2 : 1;
}
