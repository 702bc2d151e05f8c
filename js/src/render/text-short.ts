/** Shows a stage's text without what says nothing, and with the user's names in place of JAX's
 * letters. What is copied is the text itself. */
import { type EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { type Shortening, shorteningsOf, WEAK } from '../facts/short-text';
import { __ } from '../language';
import type { Stage } from '../schema';

/** Whether the short form of a stage's text is another than the text. */
export const isShortened = (stage: Stage): boolean => shorteningsOf(stage).length > 0;

/** The text of a stage in its short form. */
export const shortened = (stage: Stage) =>
  StateField.define<DecorationSet>({
    create: (state) => Decoration.set(shorteningsOf(stage).map((one) => replaced(state, one))),
    update(set, { effects, state }) {
      const at = effects.find((effect) => effect.is(open))?.value;
      if (at === undefined) return set;
      const list = shorteningsOf(stage).find(({ from, folded }) => folded && from === at);
      const add = list?.inside?.map((one) => replaced(state, one)) ?? [];
      return set.update({ filter: (from) => from !== at, add, sort: true });
    },
    provide: (field) => EditorView.decorations.from(field),
  });

function replaced(state: EditorState, one: Shortening) {
  const { from, to, text } = one;
  const widget = text === '' ? undefined : new Short(one, state.sliceDoc(from, to));
  const isAdded = from === to && widget !== undefined;
  return isAdded
    ? Decoration.widget({ widget, side: 1 }).range(from)
    : Decoration.replace(widget ? { widget } : {}).range(from, to);
}

/** Shows what stands at a character as JAX prints it. */
const open = StateEffect.define<number>();

/** Opens the folded list that was clicked, if one was. */
export function openUnder(view: EditorView, { target }: MouseEvent): boolean {
  const folded = target instanceof Element ? target.closest<HTMLElement>(`.${FOLDED}`) : null;
  if (!folded || !view.contentDOM.contains(folded)) return false;
  view.dispatch({ effects: open.of(view.posAtDOM(folded)) });
  return true;
}

const FOLDED = 'jxv-short-list';
/** Characters of the text itself that are told of when the mouse rests on what stands for it. */
const LONGEST_TITLE = 600;

/** What is shown in place of a range. */
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
    if (this.shown.folded) return __('A click lists them: %1', exact);
    if (exact.trim() !== '') return __('JAX’s text has %1 here', exact);
    return this.shown.text === WEAK
      ? __('A weak type: it gives way to the dtype of what it is combined with.')
      : '';
  }

  override ignoreEvent(): boolean {
    return false;
  }
}
