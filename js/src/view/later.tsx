/** Code that is read when it is first needed, so that the first picture does not wait for it. */
import { type ComponentType, type FunctionComponent, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';

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
