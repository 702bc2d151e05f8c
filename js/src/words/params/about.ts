/** The meanings of primitives, their params and the operands of loops, from `jaxviz/ops`. */
import { plainName } from '../../facts/kinds';
import { __, _n } from '../../language';
import type { Eqn } from '../../schema';
import type { About } from './forms';
import { DOES, PARAMS } from './op-words';

/** The meanings of params, by `primitive.param`. */
const PARAM_MEANINGS: ReadonlyMap<string, About> = new Map(
  PARAMS.flatMap(([primitives, params]) =>
    primitives
      .split(' ')
      .flatMap((op) =>
        Object.entries(params).map(([name, about]): [string, About] => [`${op}.${name}`, about]),
      ),
  ),
);

/** The meaning of an eqn of a jaxpr; empty if it is unknown. */
export function aboutPrimitive(eqn: Eqn): string {
  const { op, bodies } = eqn;
  if (op === 'scatter' && bodies.length > 0) {
    return __('The operand, with a function applied to the elements at the given indices.');
  }
  const name = plainName(op);
  const does = Object.hasOwn(DOES, name) ? DOES[name]?.() : '';
  return [does ?? '', ...aboutRoles(eqn)].filter((text) => text !== '').join(' ');
}

/** The known meanings of the params of an eqn of a jaxpr, by name. */
export function aboutParams({ op, params, attributes }: Eqn): ReadonlyMap<string, string> {
  const meanings = new Map<string, string>();
  for (const { name, value } of params) {
    const text = PARAM_MEANINGS.get(`${plainName(op)}.${name}`)?.(value, attributes) ?? '';
    if (text !== '' && value !== 'None') meanings.set(name, text);
  }
  return meanings;
}

/** The sentence for the operands of one role: `first` if they are the first operands, else `next`. */
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
    'Only its condition uses its first operand.',
    'Only its condition uses its first %1 operands.',
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

/** The sentences on the operands of a loop; empty if the eqn is no loop or has no roles. */
function aboutRoles({ op, roles }: Eqn): string[] {
  if (roles.length === 0 || (op !== 'scan' && op !== 'while')) return [];
  const present = [...new Set(roles)];
  const meanings = present.map((role, place) =>
    SENTENCES_OF_ROLES.get(role)?.[place === 0 ? 'first' : 'next'](
      roles.filter((one) => one === role).length,
    ),
  );
  const carry = roles.includes('carry')
    ? __('The last carry comes first among the results.')
    : __('Nothing is carried from step to step.');
  return [...meanings.flatMap((text) => text ?? []), ...(op === 'scan' ? [carry] : [])];
}
