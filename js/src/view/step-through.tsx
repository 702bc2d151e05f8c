/** The way from a program to the steps of its trace and back: an entry of the menu in its bar. */
import { type ComponentChildren, createContext } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { __ } from '../language';
import type { Program, Sentence, Steps } from '../schema';
import type { Entry } from './menu';

/** A program that was traced once more for its steps. */
export interface Stepped {
  program: Program;
  partial: Sentence | null;
  report: Steps;
}

const StepEntry = createContext<Entry | null>(null);

/** What the menu offers; null where the program cannot be traced once more. */
export const useStepEntry = (): Entry | null => useContext(StepEntry);

interface Props {
  /** Has the kernel trace the program once more. */
  stepping: (() => Promise<Stepped>) | null;
  player: (found: Stepped) => ComponentChildren;
  /** The program without steps. */
  children: ComponentChildren;
}

/** The program, or the player of its trace once the reader has asked for that. */
export function StepThrough({ stepping, player, children }: Props) {
  const [found, find] = useState<Stepped | null>(null);
  const entry = found
    ? { label: __('Back to the program without steps'), run: () => find(null) }
    : stepping && {
        label: __('Step through its trace'),
        after: __('runs its Python once more'),
        run: () => stepping().then(find),
      };
  return <StepEntry.Provider value={entry}>{found ? player(found) : children}</StepEntry.Provider>;
}
