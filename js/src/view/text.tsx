import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Id } from '../model/ids';
import { beginOf, idOf, type Range, rangeOf, spanAt } from '../model/spans';
import type { Action, ViewState } from '../model/state';
import { type TextPane, textPane } from '../render/text';

interface Props {
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The stage's text, made once the graph is painted. Only here is it known whether a selection was
 * made in it. */
export function Text({ state, dispatch }: Props) {
  const { stage, selected, hovered, matches, match } = state;
  const element = useRef<HTMLDivElement>(null);
  const pane = useRef<TextPane | null>(null);
  const latest = useRef({ selected, hovered, own: null as Id | null });
  latest.current.selected = selected;
  latest.current.hovered = hovered;

  const ready = usePainted();
  useEffect(() => {
    if (!ready) return;
    const idAt = (offset: number | null): Id | null => {
      const span = offset === null ? null : spanAt(stage, offset);
      return span && idOf(stage, span, latest.current.selected);
    };
    const made = textPane(element.current as HTMLElement, stage, {
      hover: (offset) => {
        const id = idAt(offset);
        if (id !== latest.current.hovered) dispatch({ type: 'hover', id });
      },
      choose: (offset) => {
        const id = idAt(offset);
        latest.current.own = id;
        dispatch({ type: 'select', id });
      },
    });
    pane.current = made;
    if (latest.current.selected === null) made.begin(beginOf(stage));
    return () => made.destroy();
  }, [stage, dispatch, ready]);

  const found = useMemo(
    () => matches.map((id) => rangeOf(stage, id)).filter((one): one is Range => one !== null),
    [stage, matches],
  );
  useEffect(() => {
    const range = (id: Id | null | undefined) => (id == null ? null : rangeOf(stage, id));
    pane.current?.light({
      selected: range(selected),
      hovered: range(hovered),
      match: range(matches[match]),
      matches: found,
    });
  }, [stage, selected, hovered, matches, match, found, ready]);
  useEffect(() => {
    const range = selected === null ? null : rangeOf(stage, selected);
    if (range && selected !== latest.current.own) pane.current?.reveal(range);
    latest.current.own = null;
  }, [stage, selected, ready]);

  return (
    <>
      <div class="jxv-text" ref={element} />
      {stage.text === '' && <p class="jxv-unsaved">The text was not saved.</p>}
    </>
  );
}

/** Whether the page has been painted since. */
function usePainted(): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return painted;
}
