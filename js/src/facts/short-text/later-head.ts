/** The list of arguments of a later stage's main function, folded where it is long. */
import type { Stage } from '../../schema';
import { beginOf, type Range } from '../spans';
import type { Shortening } from './shortening';
import { rootOf } from './signature';

/** A list with more characters than this is folded. */
const LONGEST_LIST = 160;

/** The arguments and the results of the main function. */
export function foldedHead(stage: Stage): Shortening[] {
  const { kind, text, graphs } = stage;
  const opening = kind === 'stablehlo' ? text.indexOf('func.func public') : beginOf(stage);
  const lists = opening < 0 ? [] : listsAfter(text, opening);
  return lists.flatMap((list, at) => {
    if (list.to - list.from <= LONGEST_LIST) return [];
    const parts = partsOf(text, list);
    const paths = (at === 0 ? graphs[0]?.args : graphs[0]?.results) ?? [];
    const unnamed = at === 0 ? 'inputs' : 'results';
    const names = paths.length === parts.length ? namesOf(paths) : [`${unnamed}(${parts.length})`];
    return [{ ...list, text: names.join(', '), folded: true }];
  });
}

/** What is in the first parentheses after the opening, and in those after an arrow that follows. */
function listsAfter(text: string, opening: number): Range[] {
  const line = text.indexOf('\n', opening);
  const stop = line < 0 ? text.length : line;
  const inputs = inParentheses(text, text.indexOf('(', opening), stop);
  if (!inputs) return [];
  const arrow = /^\) -> \(/.exec(text.slice(inputs.to, inputs.to + 8));
  const results = arrow ? inParentheses(text, inputs.to + arrow[0].length - 1, stop) : null;
  return results ? [inputs, results] : [inputs];
}

function inParentheses(text: string, at: number, stop: number): Range | null {
  let depth = 0;
  for (let end = at; end >= 0 && end < stop; end++) {
    if ('([{'.includes(text[end] as string)) depth += 1;
    if (')]}'.includes(text[end] as string)) depth -= 1;
    if (depth === 0) return { from: at + 1, to: end };
  }
  return null;
}

/** The elements of a list, which commas separate that are in no brackets. */
function partsOf(text: string, { from, to }: Range): string[] {
  let depth = 0;
  let start = from;
  const parts: string[] = [];
  for (let at = from; at < to; at++) {
    if ('([{<'.includes(text[at] as string)) depth += 1;
    if (')]}'.includes(text[at] as string)) depth -= 1;
    if (text[at] === '>' && text[at - 1] !== '-') depth -= 1;
    if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start, to)];
}

/** `params(26)`, `tokens`: the arguments, each with how many leaves it has. */
function namesOf(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const label = rootOf(path);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name}(${count})`));
}
