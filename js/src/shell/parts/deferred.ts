/** Defers code, drawing and slow work until the reader needs them. */
import { type ComponentType, type FunctionComponent, h, type RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** A module that is read once; null until then. */
export class Code<T> {
  value: T | null = null;

  constructor(readonly read: () => Promise<T>) {}
}

/** What a module has, once it was wanted and is here. Of many that want it at once, one may be drawn
 * before it is here and ask for it when it has come. */
export function useCode<T>(code: Code<T>, wanted: boolean): T | null {
  const [, show] = useState(() => code.value);
  useEffect(() => {
    if (!wanted) return;
    let isGone = false;
    const take = (value: T) => {
      code.value = value;
      if (!isGone) show(() => value);
    };
    if (code.value) take(code.value);
    else void code.read().then(take);
    return () => {
      isGone = true;
    };
  }, [wanted, code]);
  return wanted ? code.value : null;
}

/** A component whose code is read when it is first shown. */
export function later<P extends object>(
  read: () => Promise<ComponentType<P>>,
): FunctionComponent<P> {
  const code = new Code(read);
  return (props) => {
    const shown = useCode(code, true);
    return shown && h(shown, props);
  };
}

/** A value, behind the frame that shows what changed with it. */
export function useBehind<T>(value: T): T {
  const [behind, follow] = useState(value);
  useEffect(() => follow(value), [value]);
  return behind;
}

/** True once `frames` frames were painted since the view was made. The first has the graph; what comes after
 * different numbers of them has a task of its own each, between which the page answers. */
export function usePainted(frames: number): boolean {
  const [painted, setPainted] = useState(false);
  useEffect(() => {
    let frame = 0;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const wait = (left: number) => {
      if (left === 0) timer = setTimeout(() => setPainted(true));
      else frame = requestAnimationFrame(() => wait(left - 1));
    };
    wait(frames);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return painted;
}

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
