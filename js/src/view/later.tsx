/** Code that is read when it is first needed, so that the first picture does not wait for it. */
import { type ComponentType, type FunctionComponent, h } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** A module that is read once; null until then. */
export class Code<T> {
  value: T | null = null;

  constructor(readonly read: () => Promise<T>) {}
}

/** What a module has, once it was wanted and is here. */
export function useCode<T>(code: Code<T>, wanted: boolean): T | null {
  const [, again] = useState(false);
  useEffect(() => {
    if (!wanted || code.value) return;
    let isGone = false;
    void code.read().then((value) => {
      code.value = value;
      if (!isGone) again(true);
    });
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
