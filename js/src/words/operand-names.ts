/** What the operands and results of primitives are called, where their order alone does not tell. */
import type { Eqn } from '../schema';

const OPERANDS = new Map(
  [
    'dot_general lhs rhs',
    'conv_general_dilated lhs rhs',
    'select_n which case case',
    'clamp min operand max',
    'gather operand indices',
    'scatter operand indices updates',
    'dynamic_update_slice operand update start',
    'dynamic_slice operand start',
    'pad operand padding',
  ].map((line): [string, string[]] => {
    const [op, ...roles] = line.split(' ');
    return [op as string, roles];
  }),
);

/** `start` of each dimension, `case` of each number. */
const REPEATED = new Set(['start', 'case']);

/** What an operand is to its eqn; empty where there is no name for it. */
export function operandRole({ op, roles }: Eqn, position: number): string {
  const names = OPERANDS.get(op.startsWith('scatter') ? 'scatter' : op) ?? [];
  const last = names.at(-1) ?? '';
  return roles[position] || names[position] || (REPEATED.has(last) ? last : '');
}

/** Likewise a result. */
export function resultRole({ op, roles }: Eqn, position: number): string {
  if (position < roles.filter((role) => role === 'carry').length) return 'carry';
  return op === 'scan' ? 'ys' : '';
}
