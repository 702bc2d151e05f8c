/** What the operands and results of primitives are called, where their order alone does not tell. */
import type { Eqn } from '../schema';

const OPERANDS = new Map(
  [
    'dot_general lhs rhs',
    'conv_general_dilated lhs rhs',
    'select_n which case case',
    'cond index',
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
export function operandRole(eqn: Eqn, position: number): string {
  const { op } = eqn;
  if (op === 'scan') {
    return among(position, [
      ['const', countOf(eqn, 'num_consts')],
      ['carry', countOf(eqn, 'num_carry')],
      ['xs', Number.POSITIVE_INFINITY],
    ]);
  }
  if (op === 'while') {
    return among(position, [
      ['cond const', countOf(eqn, 'cond_nconsts')],
      ['body const', countOf(eqn, 'body_nconsts')],
      ['carry', Number.POSITIVE_INFINITY],
    ]);
  }
  const roles = OPERANDS.get(op.startsWith('scatter') ? 'scatter' : op) ?? [];
  const last = roles.at(-1) ?? '';
  return roles[position] ?? (REPEATED.has(last) ? last : '');
}

/** Likewise a result. */
export function resultRole(eqn: Eqn, position: number): string {
  if (eqn.op === 'while') return 'carry';
  if (eqn.op !== 'scan') return '';
  return position < countOf(eqn, 'num_carry') ? 'carry' : 'ys';
}

const countOf = ({ params }: Eqn, name: string): number =>
  Number(params.find((one) => one.name === name)?.value ?? 0);

/** In which of some runs a place is. */
function among(position: number, runs: readonly [role: string, length: number][]): string {
  let start = 0;
  for (const [role, length] of runs) {
    start += length;
    if (position < start) return role;
  }
  return '';
}
