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

/** Work that waits for the browser to be idle, the next first. */
const idleWork = new Set<() => void>();

/** Does work when the browser is idle, one piece at a time, in order. Returns a function that takes it back. */
export function whenIdle(work: () => void): () => void {
  const piece = () => work();
  idleWork.add(piece);
  if (idleWork.size === 1) doNext();
  return () => idleWork.delete(piece);
}

function doNext(): void {
  requestIdle(() => {
    const [piece] = idleWork;
    if (!piece) return;
    idleWork.delete(piece);
    if (idleWork.size > 0) doNext();
    piece();
  });
}

/** The longest time, ms, for which a busy page may delay such work. */
const BUSY_MS = 300;

/** Safari has no idle callbacks. */
const requestIdle = (run: () => void): unknown =>
  'requestIdleCallback' in globalThis
    ? requestIdleCallback(run, { timeout: BUSY_MS })
    : setTimeout(run, 1);

/** The distance beyond the screen at which a view is prepared, as a share of the screen. */
const MARGIN = 0.5;
/** The time, ms, over which the speed of a view is measured. */
const PACE_MS = 80;
/** A view that moves by more than these px in that time is too fast to be looked at, or to be read. */
const FAST_PX = { look: 60, read: 10 };
/** The time, ms, for which a view that left the screen stays: the page may bring it back, for
 * example when its width changes. */
const AWAY_MS = 1000;
/** Events that mean that the reader uses a view. */
const USE_EVENTS = ['pointerdown', 'keydown', 'focusin'];
/** If a view scrolls within this time, ms, after a wheel event, the wheel scrolled the view; else it
 * scrolled the page. */
const WHEEL_MS = 100;

/** The nearness of a view: away from the screen, close to it while the page scrolls, or close to it at rest. */
export type Nearness = 'away' | 'passing' | 'resting';

/** The nearness of an element. It stays once the reader has used the view, because its scroll position and folds
 * are not saved. */
export function useNearness(element: RefObject<HTMLElement>): Nearness {
  const [nearness, set] = useState<Nearness>('away');
  useLayoutEffect(() => {
    const shown = element.current as HTMLElement;
    const ending = new AbortController();
    let isUsed = false;
    onUse(shown, ending.signal, () => {
      isUsed = true;
    });
    const stop = watchNearness(shown, (now) =>
      set((before) => (now === 'away' && isUsed ? before : now)),
    );
    return () => {
      ending.abort();
      stop();
    };
  }, [element]);
  return nearness;
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

/** Calls `report` when an element comes close to the screen, slowly enough to be looked at, when it rests there, and
 * when it leaves. An element that is not displayed keeps its state. */
function watchNearness(element: HTMLElement, report: (nearness: Nearness) => void): () => void {
  let now: Nearness = 'away';
  let cancel = () => {};
  const change = (to: Nearness) => {
    now = to;
    report(to);
  };
  const arrive = () => {
    if (now === 'resting') return;
    const passing = now === 'passing';
    cancel = whenSlow(element, passing ? FAST_PX.read : FAST_PX.look, () => {
      change(passing ? 'resting' : 'passing');
      arrive();
    });
  };
  const observer = new IntersectionObserver(
    (entries) => {
      const { isIntersecting, boundingClientRect } = entries.at(-1) as IntersectionObserverEntry;
      cancel();
      if (isIntersecting) arrive();
      else if (boundingClientRect.height > 0) cancel = after(AWAY_MS, () => change('away'));
    },
    {
      rootMargin: `${100 * MARGIN}%`,
      scrollMargin: `${100 * MARGIN}%`,
    } as IntersectionObserverInit,
  );
  observer.observe(element);
  const { top, bottom } = element.getBoundingClientRect();
  if (element.isConnected && top <= innerHeight && bottom >= 0) change('resting');
  return () => {
    cancel();
    observer.disconnect();
  };
}

/** Does work in idle time once an element moves by less than `px` in `PACE_MS`. Returns a function that cancels it. */
function whenSlow(element: HTMLElement, px: number, work: () => void): () => void {
  const { top } = element.getBoundingClientRect();
  let cancel = after(PACE_MS, () => {
    const moved = Math.abs(element.getBoundingClientRect().top - top);
    cancel = moved < px ? whenIdle(work) : whenSlow(element, px, work);
  });
  return () => cancel();
}

function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
