import type { Eqn } from '../../schema';
import { PARAMS } from './params-table';

/** What the params of an eqn of a jaxpr mean, by their names, of those that are known. */
export function aboutParams({ op, params }: Eqn): ReadonlyMap<string, string> {
  const said = new Map<string, string>();
  const of = (param: string) => params.find(({ name }) => name === param)?.value ?? '';
  for (const { name, value } of params) {
    const about = PARAMS.get(`${op}.${name}`);
    const text = typeof about === 'function' ? about(value, of) : about;
    if (text && value !== 'None') said.set(name, text);
  }
  return said;
}
