/** What takes long and is not looked at first is left until the graph is seen. */
import { useEffect, useState } from 'preact/hooks';

/** A value, behind the frame that shows what changed with it. */
export function useBehind<T>(value: T): T {
  const [behind, follow] = useState(value);
  useEffect(() => follow(value), [value]);
  return behind;
}

/** Whether so many frames were painted since the view was made. The first has the graph; what comes after
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
