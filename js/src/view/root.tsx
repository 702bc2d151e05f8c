import type { ComponentChildren, RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import { useDark } from './dark';
import { useOwnKeys } from './own-keys';
import { usePreferences } from './preferred';

interface Props {
  label: string;
  /** Not a landmark where a page may hold many of one name. */
  role?: 'group';
  children: ComponentChildren;
  element?: RefObject<HTMLElement>;
}

/** Around a view: its colours, and the keys that are its own. */
export function Root({ label, role, children, element }: Props) {
  const own = useRef<HTMLElement>(null);
  const root = element ?? own;
  const { motion } = usePreferences();
  useDark(root);
  useOwnKeys(root);
  return (
    <section
      ref={root}
      class={motion === 'still' ? 'jxv jxv-still' : 'jxv'}
      aria-label={label}
      {...(role ? { role } : {})}
    >
      {children}
    </section>
  );
}
