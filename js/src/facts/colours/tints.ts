/** One colour for a line of the source and for all that was made from it. */
import type { Listing, Stage } from '../../schema';
import { eqnOf, numbersOf } from '../linked/origins';
import { frameOf, isOwn, keyOf } from '../linked/source-lines';

/** Colours there are: `--jxv-scope1-line` and the others. */
const COLOURS = 8;

/** Of a line or an eqn, from 1; 0 where it has none. */
export type Tint = number;

export interface Tints {
  ofLine: ReadonlyMap<string, Tint>;
  /** By the number of an eqn of a stage: the tints of what it was made from, its own first. */
  ofEqn: (stage: Stage, number: number) => readonly Tint[];
}

/** Lines that have eqns, one after the other in the next colour. */
export function tintsOf(jaxpr: Stage, listings: readonly Listing[]): Tints {
  const ofLine = new Map<string, Tint>();
  for (const listing of listings) {
    listing.text.split('\n').forEach((_, index) => {
      const { cell, file, start } = listing;
      const line = { cell, file, line: start + index };
      const key = keyOf(line);
      if (isOwn(jaxpr, line) && !ofLine.has(key)) ofLine.set(key, (ofLine.size % COLOURS) + 1);
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
