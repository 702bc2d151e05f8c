/** The kinds of the stages that are the program after one of XLA's passes. */
const AFTER = 'pass ';

/** The kind of the stage after a pass, by the pass's number from 1 on; 0 is the program before the first. */
export const kindAfter = (pass: number): string => `${AFTER}${pass}`;

/** The kind of a stage as the kernel knows it: the program after a pass is HLO. */
export const plainKind = (kind: string): string => (kind.startsWith(AFTER) ? 'hlo' : kind);
