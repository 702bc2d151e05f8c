import { describe, expect, test } from 'vitest';
import { eqnAt } from '../src/facts/graph';
import { eqnId } from '../src/facts/ids';
import { linked } from '../src/facts/linked/linked';
import { idOf, numbersOf } from '../src/facts/linked/origins';
import type { Stage } from '../src/schema';
import { golden } from './fixtures';

const NAMES = ['mlp', 'attention_step', 'scan_products', 'sharded'];

/** The id of each eqn of a stage that can be reached, in its first instance. */
const idsOf = (stage: Stage): string[] =>
  [...numbersOf(stage).graphs.keys()].flatMap((number) => idOf(stage, number, [], false) ?? []);

describe.each(NAMES)('links of %s', (name) => {
  const { stages } = golden(`stages/${name}`);
  const stage = (kind: string) => stages.find((one) => one.kind === kind) as Stage;

  test('lead to eqns that there are', () => {
    for (const { kind } of stages) {
      for (const id of idsOf(stage(kind))) {
        for (const [other, { found }] of linked(stages, { stage: kind, id }).stages) {
          for (const one of found) expect(eqnAt(stage(other), one.id)).not.toBeNull();
        }
      }
    }
  });

  test('of an instruction lead back to it from what it was made for', () => {
    for (const id of idsOf(stage('hlo'))) {
      const { eqn } = eqnAt(stage('hlo'), id) ?? {};
      if (!eqn || eqn.origin.length === 0) continue;
      const back = linked(stages, { stage: 'hlo', id }).stages.get('jaxpr')?.found ?? [];
      const whole = back.flatMap((one) => {
        const links = linked(stages, { stage: 'jaxpr', id: one.id }).stages.get('hlo');
        return links?.found ?? [];
      });
      expect(whole.map((one) => one.id)).toContain(id);
    }
  });

  test('are guesses where the eqn says so, and of nothing where it says nothing', () => {
    stage('hlo').graphs[0]?.eqns.forEach(({ origin, guess, bodies }, index) => {
      if (bodies.length > 0) return;
      const { stages: found } = linked(stages, { stage: 'hlo', id: eqnId('', index) });
      const links = found.get('jaxpr');
      expect(links?.status).toBe(origin.length === 0 ? 'unknown' : 'here');
      expect(links?.found.every((one) => one.guess)).toBe(origin.length === 0 || guess);
    });
  });
});
