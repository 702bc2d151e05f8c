/** What of a view is saved or copied, and under which name. */
import type { Id } from '../facts/ids';
import type { Shown } from '../render/shown-picture';
import type { Program, Sentence, Stage } from '../schema';

/** What is exported. */
export interface Exported {
  program: Program;
  stage: Stage;
  /** One sentence on what was left out of the program when it was saved; null if nothing was. */
  partial: Sentence | null;
  selected: Id | null;
  /** The picture on the screen; null where there is none. */
  shown: () => Shown | null;
}

/** The most characters in the name of a file. */
const LONGEST_NAME = 60;

/** A program's name as that of a file: letters, digits and a few signs, such as `grad(loss)`. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{M}\p{N}_.,+()-]+/gu, '_').replace(/^[._]+|[._]+$/g, '');
  return [...plain].slice(0, LONGEST_NAME).join('') || 'program';
}
