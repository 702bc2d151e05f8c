/** Requests to the kernel for XLA's passes. */
import type { Passes, Program } from '../../schema';
import {
  hasOnly,
  type KernelRequest,
  programReader,
  recordReader,
} from '../../state/kernel-requests';

/** The most eqns for which passes are read. */
const MOST_EQNS = 1_000_000;

/** The passes of a program. If it has more than a few constants, `agreed` must say that the reader
 * agrees that XLA writes them to a folder. */
export const passesRequest = (agreed: boolean): KernelRequest<Passes> => ({
  fields: { passes: agreed },
  read: recordReader('Passes', MOST_EQNS),
});

/** The program after a pass, as its only stage. */
export const programAfter = (pass: number): KernelRequest<Program> => ({
  fields: { after: pass },
  read: programReader((program) => hasOnly(program, 'hlo')),
});

/** The changes of a pass, as one program. */
export const changesOf = (pass: number): KernelRequest<Program> => ({
  fields: { changes: pass },
  read: programReader((program) => hasOnly(program, 'hlo') && program.compared !== null),
});
