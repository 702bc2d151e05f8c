import type { Tints } from '../../facts/colours/tints';
import type { Id } from '../../facts/ids';
import type { Focus, Linked } from '../../facts/linked/linked';
import type { Program, Stage } from '../../schema';
import type { PointedLine } from '../selection';

/** One selection in all stages of a program. */
export interface Linking {
  program: Program;
  focus: Focus | null;
  /** What the selection is linked to. */
  links: Linked | null;
  jaxpr: Stage | null;
  /** Null where there is no jaxpr. */
  tints: Tints | null;
  choose: (focus: Focus | null) => void;
  /** A line of a cell that is pointed at in the notebook. */
  pointed: PointedLine | null;
  /** Say what is pointed at. */
  point: (focus: Focus | null) => void;
  /** Select something in a stage, and show it. */
  go: (kind: string, id: Id) => void;
}
