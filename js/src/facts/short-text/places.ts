/** Where a jaxpr's text prints variables: those that it binds, each with its type, and the operands
 * of an eqn. Nothing is found where the text is not printed as JAX prints it. */
import type { Graph, Stage } from '../../schema';
import type { Range } from '../spans';

/** The part of an eqn's range that binds its results. */
export function resultsIn({ text }: Stage, { from, to }: Range): Range {
  const equals = text.slice(from, to).indexOf(' = ');
  return { from, to: from + Math.max(0, equals) };
}

/** Where variables are bound in a range, `a:f32[8]` each, in their order. */
export function placesOf(
  stage: Stage,
  { vars }: Graph,
  variables: readonly number[],
  { from, to }: Range,
): Range[] {
  const text = stage.text.slice(from, to);
  const starts: number[] = [];
  let at = -1;
  for (const variable of variables) {
    at = boundAt(text, `${vars[variable]?.name}:`, at + 1);
    if (at < 0) return [];
    starts.push(at);
  }
  return starts.map((start, index) => {
    const own = text.slice(start, starts[index + 1]).replace(/[\s;]+$/, '');
    return { from: from + start, to: from + start + own.length };
  });
}

/** The next place where a name begins a word; -1 where there is none. */
function boundAt(text: string, name: string, from: number): number {
  let at = text.indexOf(name, from);
  while (at > 0 && /\S/.test(text[at - 1] as string)) at = text.indexOf(name, at + 1);
  return at;
}

/** Where an eqn prints its operands, at its end. */
export function operandsOf(
  { text }: Stage,
  { vars }: Graph,
  operands: readonly number[],
  { from, to }: Range,
): Range[] {
  const found: Range[] = [];
  let end = to;
  for (let at = operands.length - 1; at >= 0; at--) {
    const name = vars[operands[at] as number]?.name ?? '';
    const start = end - name.length;
    if (name === '' || start <= from || !text.startsWith(name, start)) return [];
    found.push({ from: start, to: end });
    end = start;
    while (end > from && /\s/.test(text[end - 1] as string)) end -= 1;
    if (end === start) return [];
  }
  return found.reverse();
}

/** Where the text names what the program returns, at its end. */
export function returnedOf({ text, graphs }: Stage): Range[] {
  const start = text.lastIndexOf(RETURNS) + RETURNS.length;
  const list = /^([^()]*)\) \}\s*$/.exec(text.slice(start));
  const places = [...(list?.[1] ?? '').matchAll(/[^\s,]+/g)].map(({ index, 0: name }) => ({
    from: start + index,
    to: start + index + name.length,
  }));
  return places.length === graphs[0]?.outvars.length ? places : [];
}

const RETURNS = 'in (';
