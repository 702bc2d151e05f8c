import { useLayoutEffect, useState } from 'preact/hooks';
import { __ } from '../language';

/** By the name of a program the numbers of the views that show one of that name. */
const taken = new Map<string, Set<number>>();

/** What a program's view is called: no two on a page alike. */
export function useOwnName(program: string): string {
  const [number, setNumber] = useState(1);
  useLayoutEffect(() => {
    const others = taken.get(program) ?? new Set<number>();
    taken.set(program, others);
    let own = 1;
    while (others.has(own)) own += 1;
    others.add(own);
    setNumber(own);
    return () => others.delete(own);
  }, [program]);
  return number === 1
    ? __('JAX program %1', program)
    : __('JAX program %1, number %2 of that name', program, number);
}
