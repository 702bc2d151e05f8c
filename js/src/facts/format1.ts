/** Reads the roles of operands (`Eqn.roles`) in programs of format 1, which had none: they follow
 * from JAX's params. `jaxviz/schema/upgrade.py` holds the rules. */

import { type Eqn, type Program, RESULTS, ROLES } from '../schema';

/** The roles of an op's operands in order, each with the param that says how many there are. */
type RoleRule = readonly (readonly [count: string, role: string])[];

const RULES = new Map<string, readonly RoleRule[]>(Object.entries(ROLES));

/** Gives the eqns of a program of format 1 their roles, in place, and removes the params that said
 * them. */
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

/** The roles of an eqn's operands; null where its params do not tell, as with JAX 0.11 and later,
 * which write no counts. */
function rolesOf({ params, invars, outvars }: Eqn, rule: RoleRule): string[] | null {
  const known = new Map(params.map(({ name, value }) => [name, value]));
  known.set(RESULTS, String(outvars.length));
  const texts = rule.slice(0, -1).map(([name]) => known.get(name) ?? name);
  const counts = texts.map((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN));
  const left = counts.reduce((rest, count) => rest - count, invars.length);
  if (!(left >= 0)) return null;
  const roles = rule.flatMap(([, role], at) => new Array<string>(counts[at] ?? left).fill(role));
  return roles.some((role) => role !== '') ? roles : [];
}
