/** What primitives and their params mean: the words of `jaxviz/ops`. */
import { plainName } from '../../facts/family';
import { __ } from '../../language';
import type { Eqn } from '../../schema';
import type { About } from './forms';
import { DOES, PARAMS } from './op-words';
import { aboutRoles } from './role-words';

/** The meaning of params, by `primitive.param`. */
const PARAM_MEANINGS: ReadonlyMap<string, About> = new Map(
  PARAMS.flatMap(([primitives, params]) =>
    primitives
      .split(' ')
      .flatMap((op) =>
        Object.entries(params).map(([name, about]): [string, About] => [`${op}.${name}`, about]),
      ),
  ),
);

/** What an eqn of a jaxpr does; empty where that is not known. */
export function aboutPrimitive(eqn: Eqn): string {
  const { op, bodies } = eqn;
  if (op === 'scatter' && bodies.length > 0) {
    return __('The operand with its function applied to the elements at the given indices.');
  }
  const name = plainName(op);
  const does = Object.hasOwn(DOES, name) ? DOES[name]?.() : '';
  return [does ?? '', ...aboutRoles(eqn)].filter((text) => text !== '').join(' ');
}

/** What the params of an eqn of a jaxpr mean, by their names, of those that are known. */
export function aboutParams({ op, params }: Eqn): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const { name, value } of params) {
    const text = PARAM_MEANINGS.get(`${plainName(op)}.${name}`)?.(value) ?? '';
    if (text !== '' && value !== 'None') said.set(name, text);
  }
  return said;
}
