import type { Eqn, Frame } from '../schema';

/** The parameters that tell two eqns of one primitive apart, in the order they are shown. */
const TELLING = [
  'axes',
  'axis',
  'axis_name',
  'dimension',
  'dimensions',
  'new_dtype',
  'new_sizes',
  'shape',
  'permutation',
  'broadcast_dimensions',
  'y',
  'length',
  'reverse',
  'policy',
  'name',
];
const LONGEST = 28;

/** What an eqn is called on its box: its primitive and what it calls. */
export function labelOf(eqn: Eqn): string {
  return eqn.name === '' ? eqn.op : `${eqn.op} ${eqn.name}`;
}

/** What distinguishes an eqn from others of its primitive, short enough for a box. */
export function detailOf(eqn: Eqn): string {
  if (eqn.op === 'dot_general') return contraction(eqn);
  for (const name of TELLING) {
    const param = eqn.params.find((one) => one.name === name);
    if (!param || param.value === 'None' || param.value === 'False' || param.value === eqn.name) {
      continue;
    }
    return cut(`${name}=${param.value}`, LONGEST);
  }
  return '';
}

/** `(([1], [0]), ([], []))` contracts dimension 1 of the left with 0 of the right: `1·0`. */
function contraction(eqn: Eqn): string {
  const value = eqn.params.find((one) => one.name === 'dimension_numbers')?.value ?? '';
  const lists = [...value.matchAll(/[[(]((?:\d+(?:,\s*)?)*)[\])]/g)].map((match) =>
    (match[1] ?? '').replace(/,\s*$/, '').replace(/,\s*/g, ','),
  );
  return lists.length >= 2 ? `${lists[0]}·${lists[1]}` : '';
}

/** Where a frame stands, in the user's terms: `cell 3, line 4` or `train.py:12`. */
export function placeOf(frame: Frame): string {
  if (frame.count !== null) return `cell ${frame.count}, line ${frame.line}`;
  if (frame.cell !== null) return `cell, line ${frame.line}`;
  return `${frame.file}:${frame.line}`;
}

export function cut(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}
