/** Defers code, drawing and slow work until they are needed. */
import { type ComponentType, type FunctionComponent, h, type RefObject } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';

/** A module that is imported once; null until then. */
export class Code<T> {
  value: T | null = null;

  constructor(readonly read: () => Promise<T>) {}
}

/** The value of a module, once it is wanted and loaded. If several components want it, one may be
 * drawn while another is still loading it. */
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

/** A component whose code is loaded when it is first shown. */
export function later<P extends object>(
  read: () => Promise<ComponentType<P>>,
): FunctionComponent<P> {
  const code = new Code(read);
  return (props) => {
    const shown = useCode(code, true);
    return shown && h(shown, props);
  };
}

/** A value, one frame late: the frame with the other changes comes first. */
export function useBehind<T>(value: T): T {
  const [behind, follow] = useState(value);
  useEffect(() => follow(value), [value]);
  return behind;
}

/** True once `frames` frames were painted since the view was made. The first frame has the graph.
 * Work after different numbers of frames runs in separate tasks, so the page can react in between. */
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

/** The distance beyond the screen at which a view is prepared, as a share of the screen. */
const MARGIN = 0.5;
/** A view that moves by more than these px in this time, ms, is not readable, so it is not drawn. */
const FAST = { px: 60, ms: 80 };
/** The time, ms, for which a view that left the screen stays: the page may bring it back, for
 * example when its width changes. */
const AWAY_MS = 1000;
/** Events that mean that the reader uses a view. */
const USE_EVENTS = ['pointerdown', 'keydown', 'focusin'];
/** If a view scrolls within this time, ms, after a wheel event, the wheel scrolled the view; else it
 * scrolled the page. */
const WHEEL_MS = 100;

/** True while an element is on the screen or close to it. It stays true once the reader has used the view, because
 * its scroll position and folds are not saved. */
export function useNear(element: RefObject<HTMLElement>): boolean {
  const [near, setNear] = useState(false);
  useLayoutEffect(() => {
    const shown = element.current as HTMLElement;
    const ending = new AbortController();
    let isUsed = false;
    onUse(shown, ending.signal, () => {
      isUsed = true;
    });
    const stop = watchNearness(shown, (isNear) =>
      setNear((before) => isNear || (isUsed && before)),
    );
    return () => {
      ending.abort();
      stop();
    };
  }, [element]);
  return near;
}

/** Calls `used` when the reader uses an element. */
function onUse(element: HTMLElement, signal: AbortSignal, report: () => void): void {
  const listening = { capture: true, passive: true, signal };
  let lastWheel = Number.NEGATIVE_INFINITY;
  const onWheel = ({ timeStamp }: Event) => {
    lastWheel = timeStamp;
  };
  const onScroll = ({ timeStamp }: Event) => timeStamp - lastWheel < WHEEL_MS && report();
  for (const type of USE_EVENTS) element.addEventListener(type, report, listening);
  element.addEventListener('wheel', onWheel, listening);
  element.addEventListener('scroll', onScroll, listening);
}

/** Calls `report` when an element comes close to the screen, slowly enough to be readable, and when
 * it leaves. An element that is not displayed keeps its state. */
function watchNearness(element: HTMLElement, report: (isNear: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = (before: number) => {
    const { top } = element.getBoundingClientRect();
    if (Math.abs(top - before) < FAST.px) report(true);
    else timer = setTimeout(settle, FAST.ms, top);
  };
  const observer = new IntersectionObserver(
    (entries) => {
      const { isIntersecting, boundingClientRect } = entries.at(-1) as IntersectionObserverEntry;
      clearTimeout(timer);
      if (isIntersecting) timer = setTimeout(settle, FAST.ms, boundingClientRect.top);
      else if (boundingClientRect.height > 0) timer = setTimeout(report, AWAY_MS, false);
    },
    {
      rootMargin: `${100 * MARGIN}%`,
      scrollMargin: `${100 * MARGIN}%`,
    } as IntersectionObserverInit,
  );
  observer.observe(element);
  const { top, bottom } = element.getBoundingClientRect();
  if (element.isConnected && top <= innerHeight && bottom >= 0) report(true);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
  };
}
