/** Gives each source line that has eqns a colour, which its eqns have too in the text of every
 * stage. */
import type { Listing, Stage } from '../../schema';
import { eqnOf, numbersOf } from '../linked/origins';
import { frameOf, isOwn, keyOf } from '../linked/source-lines';

/** The number of colours: `--jxv-scope1-line` to `--jxv-scope8-line`. */
const TINT_COUNT = 8;

/** The number of a colour, from 1; 0 for none. */
export type Tint = number;

export interface Tints {
  /** By `keyOf` a line. */
  ofLine: ReadonlyMap<string, Tint>;
  /** For the eqn of a stage with this number: the tints of the lines it comes from, its own first,
   * then those of what it was fused from. */
  ofEqn: (stage: Stage, number: number) => readonly Tint[];
}

/** Gives the lines that have eqns the colours in turn, from the top. */
export function tintsOf(jaxpr: Stage, listings: readonly Listing[]): Tints {
  const ofLine = new Map<string, Tint>();
  for (const listing of listings) {
    listing.text.split('\n').forEach((_, index) => {
      const { cell, file, start } = listing;
      const line = { cell, file, line: start + index };
      const key = keyOf(line);
      if (isOwn(jaxpr, line) && !ofLine.has(key)) ofLine.set(key, (ofLine.size % TINT_COUNT) + 1);
    });
  }
  const known = new Map<Stage, Map<number, readonly Tint[]>>();
  const ofEqn = (stage: Stage, number: number): readonly Tint[] => {
    const ofStage = known.get(stage) ?? new Map<number, readonly Tint[]>();
    known.set(stage, ofStage);
    const found = ofStage.get(number) ?? tintsIn(jaxpr, ofLine, stage, number);
    ofStage.set(number, found);
    return found;
  };
  return { ofLine, ofEqn };
}

function tintsIn(
  jaxpr: Stage,
  ofLine: ReadonlyMap<string, Tint>,
  stage: Stage,
  number: number,
): readonly Tint[] {
  const tints = new Set<Tint>();
  const add = (one: number) => {
    const chain = stage === jaxpr ? [one] : (eqnOf(stage, one)?.origin ?? []);
    const frame = chain.length === 0 ? null : frameOf(jaxpr, chain);
    const tint = frame ? ofLine.get(keyOf(frame)) : undefined;
    if (tint !== undefined) tints.add(tint);
  };
  add(number);
  const eqn = eqnOf(stage, number);
  if (eqn?.op === 'fusion') {
    for (const { graph } of eqn.bodies) {
      const start = numbersOf(stage).starts[graph] ?? 0;
      stage.graphs[graph]?.eqns.forEach((_, index) => {
        add(start + index);
      });
    }
  }
  return [...tints];
}
