/** What devices exchange for an item, in words. */

import { sizeText } from '../facts/describe';
import { exchangeOf, sentWithin } from '../facts/exchanges';
import { eqnAt } from '../facts/graph';
import type { Id } from '../facts/ids';
import { runsOf } from '../facts/numbers/runs';
import { __, thousands } from '../language';
import type { Collective, Stage } from '../schema';
import { code, type Fact, words } from './fact-parts';
import { fromKernel } from './from-kernel';

/** The bytes that each device sends for an item in all its runs, along which axes of the mesh; for
 * an eqn that sends by itself to how many, too. None for what sends nothing. */
export function exchangeFacts(stage: Stage, id: Id): Fact[] {
  const place = eqnAt(stage, id);
  const found = place && exchangeOf(stage, place.eqn);
  if (!found) return totalFacts(stage, id);
  const runs = runsOf(stage, place.path) ?? { times: 1, least: true };
  const sent = found.sent === null ? null : found.sent * runs.times;
  const size = sizeText(sent, runs.least && sent !== null);
  return [
    {
      name: __('each device sends'),
      value: [sent === null ? words(size) : code(size), words(`(${wayOf(found)})`)],
    },
    ...(found.cause === '' ? [] : [{ name: __('because'), value: [words(causeOf(found))] }]),
  ];
}

/** What all that an item holds sends, a fact for each axes. */
function totalFacts(stage: Stage, id: Id): Fact[] {
  const sent = [...sentWithin(stage, id)].filter(([, { bytes, least }]) => bytes > 0 || least);
  return sent.map(([axes, { bytes, least }]) => ({
    name: __('each device sends'),
    value: [
      code(sizeText(bytes === 0 ? null : bytes, least)),
      ...(axes === '' ? [] : [words(__('along %1', axes))]),
    ],
  }));
}

/** How what an eqn needs is split, for which the partitioner has devices exchange this. */
const causeOf = ({ cause }: Collective): string => fromKernel(cause);

function wayOf({ kind, axes, devices }: Collective): string {
  if (devices === null) return kind;
  const whole =
    kind === 'permute'
      ? __('%1, sent by %2', kind, thousands(devices))
      : __('%1 in groups of %2', kind, thousands(devices));
  return axes.length === 0 ? whole : __('%1, along %2', whole, axes.join(', '));
}
