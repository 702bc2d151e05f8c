/** What primitives, their params and the operands of loops mean: the words of `jaxviz/ops`. */
import { plainName } from '../../facts/kinds';
import { __, _n } from '../../language';
import type { Eqn } from '../../schema';
import type { About } from './forms';
import { DOES, PARAMS } from './op-words';

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
export function aboutParams({ op, params, attributes }: Eqn): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  for (const { name, value } of params) {
    const text = PARAM_MEANINGS.get(`${plainName(op)}.${name}`)?.(value, attributes) ?? '';
    if (text !== '' && value !== 'None') said.set(name, text);
  }
  return said;
}

/** The sentence for the operands of one role: `first` where they are the first operands, `next`
 * where they follow others. */
type RoleSentence = (count: number) => string;

const CONSTANT = {
  first: (count: number) =>
    _n(
      'Its first operand is the same in every step.',
      'Its first %1 operands are the same in every step.',
      count,
    ),
  next: (count: number) =>
    _n(
      'Its next operand is the same in every step.',
      'Its next %1 operands are the same in every step.',
      count,
    ),
};

const ofCondition = (count: number) =>
  _n(
    'Its first operand is for its condition alone.',
    'Its first %1 operands are for its condition alone.',
    count,
  );

const CARRIED = {
  first: (count: number) =>
    _n(
      'Its first operand is carried from step to step.',
      'Its first %1 operands are carried from step to step.',
      count,
    ),
  next: (count: number) =>
    _n(
      'Its next operand is carried from step to step.',
      'Its next %1 operands are carried from step to step.',
      count,
    ),
};

const SLICED = {
  first: () => __('Each step takes a slice of each operand.'),
  next: () => __('Each step takes a slice of every other one.'),
};

const SENTENCES_OF_ROLES = new Map<string, { first: RoleSentence; next: RoleSentence }>([
  ['cond const', { first: ofCondition, next: ofCondition }],
  ['const', CONSTANT],
  ['body const', CONSTANT],
  ['carry', CARRIED],
  ['xs', SLICED],
]);

/** The sentences for an eqn; none where it is no loop, or does not say the roles of its operands. */
function aboutRoles({ op, roles }: Eqn): string[] {
  if (roles.length === 0 || (op !== 'scan' && op !== 'while')) return [];
  const met = [...new Set(roles)];
  const said = met.map((role, place) =>
    SENTENCES_OF_ROLES.get(role)?.[place === 0 ? 'first' : 'next'](
      roles.filter((one) => one === role).length,
    ),
  );
  const carry = roles.includes('carry')
    ? __('The last carry comes first among the results.')
    : __('Nothing is carried from step to step.');
  return [...said.flatMap((text) => text ?? []), ...(op === 'scan' ? [carry] : [])];
}
