/** What operands are to the eqns of format 1, which has JAX's params and no roles (`Eqn.roles`), as
 * `jaxviz/schema/format1.py` has it. */

import { type Eqn, type Program, RESULTS, ROLES } from '../schema';

type Rule = readonly (readonly [count: string, role: string])[];

const RULES = new Map<string, readonly Rule[]>(Object.entries(ROLES));

/** Gives the eqns of a program of format 1 their roles, in place. */
export function complete({ stages }: Program): void {
  for (const { eqns } of stages.flatMap(({ graphs }) => graphs)) {
    for (const eqn of eqns) if (RULES.has(eqn.op)) eqn.roles = rolesOf(eqn);
  }
}

/** Empty where its params do not say them: JAX 0.11 and later have no counts. */
function rolesOf({ op, params, invars, outvars }: Eqn): string[] {
  const known = new Map(params.map(({ name, value }) => [name, value]));
  known.set(RESULTS, String(outvars.length));
  for (const rule of RULES.get(op) ?? []) {
    const texts = rule.slice(0, -1).map(([name]) => known.get(name) ?? name);
    const counts = texts.map((text) => (/^\d+$/.test(text) ? Number(text) : Number.NaN));
    const left = counts.reduce((rest, count) => rest - count, invars.length);
    if (left >= 0) {
      const roles = rule.flatMap(([, role], at) =>
        new Array<string>(counts[at] ?? left).fill(role),
      );
      return roles.some((role) => role !== '') ? roles : [];
    }
  }
  return [];
}
