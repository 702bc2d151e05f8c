/** What operands are to the eqns of format 1, which has JAX's params and no roles (`Eqn.roles`), as
 * `jaxviz/schema/format1.py` has it. */

import { type Eqn, type Program, RESULTS, ROLES } from '../schema';

type Rule = readonly (readonly [count: string, role: string])[];

const RULES = new Map<string, readonly Rule[]>(Object.entries(ROLES));

/** Gives the eqns of a program of format 1 their roles, in place of the params that say them. */
export function complete({ stages }: Program): void {
  for (const { eqns } of stages.flatMap(({ graphs }) => graphs)) {
    for (const eqn of eqns) if (RULES.has(eqn.op)) completeEqn(eqn);
  }
}

function completeEqn(eqn: Eqn): void {
  for (const rule of RULES.get(eqn.op) ?? []) {
    const roles = rolesOf(eqn, rule);
    if (roles === null) continue;
    const said = new Set(rule.map(([name]) => name));
    eqn.roles = roles;
    eqn.params = eqn.params.filter(({ name }) => !said.has(name));
    return;
  }
}

/** Null where its params do not say them: JAX 0.11 and later have no counts. */
function rolesOf({ params, invars, outvars }: Eqn, rule: Rule): string[] | null {
  const known = new Map(params.map(({ name, value }) => [name, value]));
  known.set(RESULTS, String(outvars.length));
  const texts = rule.slice(0, -1).map(([name]) => known.get(name) ?? name);
  const counts = texts.map((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN));
  const left = counts.reduce((rest, count) => rest - count, invars.length);
  if (!(left >= 0)) return null;
  const roles = rule.flatMap(([, role], at) => new Array<string>(counts[at] ?? left).fill(role));
  return roles.some((role) => role !== '') ? roles : [];
}
