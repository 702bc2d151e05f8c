/** What primitives and their params mean, after the documentation of `jax.lax`. */

import { __ } from '../../language';
import type { Eqn } from '../../schema';
import { ARRAYS, RANDOM, SLICES } from './arrays';
import { CALLS } from './call-params';
import { DEVICES } from './devices';
import { INDEXING } from './indexing';
import type { About } from './params-table';
import { PRIMITIVES } from './primitives';
import { PRODUCTS } from './products';
import { aboutRoles } from './role-words';

/** By `primitive.param`. */
const PARAMS: ReadonlyMap<string, About> = new Map(
  [ARRAYS, CALLS, DEVICES, INDEXING, PRODUCTS, RANDOM, SLICES]
    .flat()
    .flatMap(([primitives, params]) =>
      primitives
        .split(' ')
        .flatMap((op) =>
          Object.entries(params).map(([name, about]): [string, About] => [`${op}.${name}`, about]),
        ),
    ),
);

/** What an eqn of a jaxpr does; empty where its name says it, or it is not known. */
export function aboutPrimitive(eqn: Eqn): string {
  const { op, bodies } = eqn;
  if (op === 'scatter' && bodies.length > 0) {
    return __('The operand with its function applied to the elements at the given indices.');
  }
  return [PRIMITIVES.get(op)?.() ?? '', ...aboutRoles(eqn)].filter((text) => text !== '').join(' ');
}

/** What the params of an eqn of a jaxpr mean, by their names, of those that are known. */
export function aboutParams({ op, params }: Eqn): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  const of = (param: string) => params.find(({ name }) => name === param)?.value ?? '';
  for (const { name, value } of params) {
    const text = PARAMS.get(`${op}.${name}`)?.(value, of) ?? '';
    if (text !== '' && value !== 'None') said.set(name, text);
  }
  return said;
}
