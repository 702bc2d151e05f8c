/** Shows a stage's text without what says nothing, and with the user's names instead of JAX's letters. Copies contain
 * the text itself. */
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  ViewPlugin,
  WidgetType,
} from '@codemirror/view';
import { cached } from '../../facts/maps';
import { type Shortening, shorteningsOf, WEAK } from '../../facts/short-text';
import { __ } from '../../language';
import type { Stage } from '../../schema';

/** True if the short form of a stage's text differs from the text. */
export const isShortened = cached((stage: Stage): boolean => {
  for (const part of shorteningsOf(stage)) if (part.length > 0) return true;
  return false;
});

/** The text of a stage in its short form. The editor lays out all new ranges at once, so a long text gets them in
 * parts, and the page responds between them. */
export function shortened(stage: Stage): Extension {
  const parts = shorteningsOf(stage);
  const first = parts.next().value ?? [];
  const field = StateField.define<DecorationSet>({
    create: (state) => added(Decoration.none, state, first),
    update: (set, { effects, state }) =>
      effects.reduce((now, effect) => changed(now, state, effect), set),
    provide: (field) => EditorView.decorations.from(field),
  });
  return [field, ViewPlugin.define((view) => addRest(view, parts))];
}

/** Adds the remaining parts, one after the other. */
function addRest(view: EditorView, parts: ReturnType<typeof shorteningsOf>) {
  const next = () => {
    const { value } = parts.next();
    if (!value) return;
    view.dispatch({ effects: more.of(value) });
    timer = setTimeout(next);
  };
  let timer = setTimeout(next);
  return { destroy: () => clearTimeout(timer) };
}

function changed(set: DecorationSet, state: EditorState, effect: StateEffect<unknown>) {
  if (effect.is(more)) return added(set, state, effect.value);
  return effect.is(open) ? opened(set, state, effect.value) : set;
}

const added = (set: DecorationSet, state: EditorState, list: readonly Shortening[]) =>
  set.update({ add: list.map((one) => replaced(state, one)), sort: true });

/** Shows the text at a character as JAX prints it, with the shortened parts within it. */
function opened(set: DecorationSet, state: EditorState, at: number): DecorationSet {
  let inside: readonly Shortening[] = [];
  set.between(at, at, (from, _, { spec }) => {
    if (from === at && spec.widget instanceof Short) inside = spec.widget.shown.inside ?? [];
  });
  const rest = set.update({ filterFrom: at, filterTo: at, filter: (from) => from !== at });
  return added(rest, state, inside);
}

function replaced(state: EditorState, one: Shortening) {
  const { from, to, text } = one;
  const widget = text === '' ? undefined : new Short(one, state.sliceDoc(from, to));
  const isAdded = from === to && widget !== undefined;
  return isAdded
    ? Decoration.widget({ widget, side: 1 }).range(from)
    : Decoration.replace(widget ? { widget } : {}).range(from, to);
}

/** The effect that adds ranges. */
const more = StateEffect.define<readonly Shortening[]>();
/** The effect that opens the folded list at a character. */
const open = StateEffect.define<number>();

/** Opens the folded list that was clicked, if one was. */
export function openUnder(view: EditorView, { target }: MouseEvent): boolean {
  const folded = target instanceof Element ? target.closest<HTMLElement>(`.${FOLDED}`) : null;
  if (!folded || !view.contentDOM.contains(folded)) return false;
  view.dispatch({ effects: open.of(view.posAtDOM(folded)) });
  return true;
}

const FOLDED = 'jxv-short-list';
/** The most characters of the exact text in a tooltip. */
const LONGEST_TITLE = 600;

/** The text that is shown instead of a range. */
class Short extends WidgetType {
  constructor(
    readonly shown: Shortening,
    readonly exact: string,
  ) {
    super();
  }

  override eq({ shown, exact }: Short): boolean {
    const { text, folded } = this.shown;
    return text === shown.text && folded === shown.folded && exact === this.exact;
  }

  override toDOM(): HTMLElement {
    const { text, folded } = this.shown;
    const shown = document.createElement('span');
    shown.textContent = text;
    shown.title = this.#title();
    if (text.trim() !== '') shown.className = folded ? FOLDED : 'jxv-short-name';
    return shown;
  }

  #title(): string {
    const exact = this.exact.replace(/\s+/g, ' ').slice(0, LONGEST_TITLE);
    if (this.shown.folded) return __('Click to list them: %1', exact);
    if (exact.trim() !== '') return __('JAX prints %1 here', exact);
    return this.shown.text === WEAK
      ? __('A weak type: it adopts the dtype of the array it is combined with.')
      : '';
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
