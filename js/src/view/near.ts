/** Lets a view hold nothing to draw while it is off the screen: a notebook may have fifty. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** How far beyond the screen a view is made ready, as a share of the screen. */
const BEYOND = 0.5;
/** What goes by faster than so many px in so many ms cannot be read, and is not drawn. */
const FAST = { px: 60, ms: 80 };
/** What goes away stays for so many ms: the page may bring it back, as where its width changes. */
const GONE_MS = 1000;
/** What a reader does in a view. */
const DOINGS = ['pointerdown', 'keydown', 'focusin'];
/** The wheel scrolled what is in a view if that scrolls within so many ms; else it scrolled the page. */
const WHEEL_MS = 100;

/** Whether an element is on the screen or close to it, or the reader did something in it: after that a view
 * stays whole, as where it was scrolled to and what was folded is not kept. */
export function useNear(element: RefObject<HTMLElement>): boolean {
  const [near, setNear] = useState(false);
  useLayoutEffect(() => {
    const shown = element.current as HTMLElement;
    const ending = new AbortController();
    let isUsed = false;
    onUse(shown, ending.signal, () => {
      isUsed = true;
    });
    const stop = seen(shown, (isNear) => setNear((before) => isNear || (isUsed && before)));
    return () => {
      ending.abort();
      stop();
    };
  }, [element]);
  return near;
}

/** Tells what a reader does in an element. */
function onUse(element: HTMLElement, signal: AbortSignal, tell: () => void): void {
  const listening = { capture: true, passive: true, signal };
  let wheeled = Number.NEGATIVE_INFINITY;
  const turn = ({ timeStamp }: Event) => {
    wheeled = timeStamp;
  };
  const scroll = ({ timeStamp }: Event) => timeStamp - wheeled < WHEEL_MS && tell();
  for (const doing of DOINGS) element.addEventListener(doing, tell, listening);
  element.addEventListener('wheel', turn, listening);
  element.addEventListener('scroll', scroll, listening);
}

/** Tells when an element comes close to the screen, slowly enough to be read, and when it goes away. One that
 * is not displayed stays as it is. */
function seen(element: HTMLElement, tell: (isNear: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = (before: number) => {
    const { top } = element.getBoundingClientRect();
    if (Math.abs(top - before) < FAST.px) tell(true);
    else timer = setTimeout(settle, FAST.ms, top);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      const { isIntersecting, boundingClientRect } = entries.at(-1) as IntersectionObserverEntry;
      clearTimeout(timer);
      if (isIntersecting) timer = setTimeout(settle, FAST.ms, boundingClientRect.top);
      else if (boundingClientRect.height > 0) timer = setTimeout(tell, GONE_MS, false);
    },
    {
      rootMargin: `${100 * BEYOND}%`,
      scrollMargin: `${100 * BEYOND}%`,
    } as IntersectionObserverInit,
  );
  observer.observe(element);
  const { top, bottom } = element.getBoundingClientRect();
  if (element.isConnected && top <= innerHeight && bottom >= 0) tell(true);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}
