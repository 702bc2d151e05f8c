import { type ComponentChild, createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import { DEFAULTS, type Preferring, UNCHANGED } from '../state/preferences';

const Now = createContext(DEFAULTS);

/** What the reader prefers at the time. */
export const usePreferences = () => useContext(Now);

interface Props {
  preferring: Preferring | undefined;
  children: ComponentChild;
}

/** Gives a view what the reader prefers. */
export function Preferred({ preferring = UNCHANGED, children }: Props) {
  const [now, set] = useState(() => preferring.now());
  useLayoutEffect(() => {
    const ending = new AbortController();
    preferring.follow(() => set(preferring.now()), ending.signal);
    return () => ending.abort();
  }, [preferring]);
  return <Now.Provider value={now}>{children}</Now.Provider>;
}
