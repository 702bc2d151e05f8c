import { Signal } from '@lumino/signaling';
import type { Focus } from '../../model/linked/linked';
import {
  heard,
  inspected,
  NOTHING,
  type Selecting,
  type Selection,
  without,
} from '../../model/panel/selection';
import { SELECT, SELECTED, type SelectedEvent, VIEWS } from '../../view';

/** What is selected in the outputs of a notebook or console, and in what shows their programs. */
export class DocumentSelection implements Selecting {
  readonly #changed = new Signal<this, void>(this);
  readonly #nodes = new Set<HTMLElement>();
  #value: Selection<Element> = NOTHING;

  constructor(node: HTMLElement) {
    this.listen(node);
  }

  now(): Selection {
    const { selected, pointed } = this.#value;
    return { selected, pointed: pointed?.view.isConnected ? pointed : null };
  }

  follow(changed: () => void, signal: AbortSignal): void {
    this.#changed.connect(changed);
    signal.addEventListener('abort', () => this.#changed.disconnect(changed));
  }

  /** Hears the views in an element, until the signal aborts. */
  listen(node: HTMLElement, signal?: AbortSignal): void {
    const told = (event: Event) => {
      const { detail, target } = event as CustomEvent<SelectedEvent>;
      this.#set(heard(this.#value, detail, target as Element));
    };
    node.addEventListener(SELECTED, told, signal ? { signal } : {});
    this.#nodes.add(node);
    signal?.addEventListener('abort', () => this.#nodes.delete(node));
  }

  /** All views that are heard. */
  views(): Element[] {
    return [...this.#nodes].flatMap((node) => [...node.querySelectorAll(VIEWS)]);
  }

  /** The views within an element are gone. */
  forget(element: Element): void {
    this.#set(without(this.#value, (view) => element.contains(view)));
  }

  /** Also where the view is gone that it was chosen in. */
  select(focus: Focus): void {
    const chosen = inspected(this.#value);
    if (!chosen) return;
    this.#set({ selected: { ...chosen, focus }, pointed: null });
    chosen.view.dispatchEvent(new CustomEvent(SELECT, { detail: focus }));
  }

  #set(value: Selection<Element>): void {
    this.#value = value;
    this.#changed.emit();
  }
}

const known = new WeakMap<HTMLElement, DocumentSelection>();

/** Of a notebook or console, the same for all who ask. */
export function selectionIn({ node }: { node: HTMLElement }): DocumentSelection {
  const found = known.get(node) ?? new DocumentSelection(node);
  known.set(node, found);
  return found;
}
