/** What an eqn has devices exchange. */
import type { Collective, Eqn, Stage } from '../schema';
import { cached } from './cached';
import { eqnOf } from './linked/origins';

const exchanges = cached(
  (stage: Stage): ReadonlyMap<Eqn | undefined, Collective> =>
    new Map(stage.collectives.map((one) => [eqnOf(stage, one.eqn), one])),
);

export const exchangeOf = (stage: Stage, eqn: Eqn): Collective | undefined =>
  exchanges(stage).get(eqn);
