import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Action, PanelState } from '../../model/panel/panel-state';
import { OPENERS } from './rows';

/** The focus goes with the reader: into what is opened, and back to its row once that is closed. */
export function useFocusing(
  element: RefObject<HTMLElement>,
  { opened }: PanelState,
  dispatch: (action: Action) => void,
): (action: Action) => void {
  const isGoing = useRef(false);
  useLayoutEffect(() => {
    if (isGoing.current) goTo(element.current, opened ? '.jxv-panel-opened' : CURRENT);
    isGoing.current = false;
  }, [opened]);
  return (action) => {
    isGoing.current ||= action.type === 'open';
    dispatch(action);
  };
}

/** The row of the list that the keyboard is at. */
const CURRENT = `${OPENERS}[tabindex="0"]`;

function goTo(panel: HTMLElement | null, selector: string): void {
  const to = panel?.querySelector<HTMLElement>(selector);
  if (!to?.matches(':focus-within')) to?.focus({ preventScroll: selector !== CURRENT });
}
