/** What the operands and results of primitives are called, where their order alone does not tell. */
import { OPERANDS } from '../ops';
import type { Eqn } from '../schema';

const NAMES = new Map(Object.entries(OPERANDS).map(([op, names]) => [op, names.split(' ')]));

/** What an operand is to its eqn; empty where there is no name for it. */
export function operandRole({ op, roles }: Eqn, position: number): string {
  const names = NAMES.get(op.replace('scatter-', 'scatter_')) ?? [];
  const further = names.at(-1) === '…' ? (names.at(-2) ?? '') : '';
  const name = names[position] ?? '';
  return roles[position] || (name === '…' ? '' : name) || further;
}

/** Likewise a result. */
export function resultRole({ op, roles }: Eqn, position: number): string {
  if (position < roles.filter((role) => role === 'carry').length) return 'carry';
  return op === 'scan' ? 'ys' : '';
}
