"""What operands are to the eqns of format 1, which has JAX's params and no roles (`Eqn.roles`).

`scripts/schema.py` writes the table for the page, which does the same (`js/src/facts/format1.ts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import force_setattr

from jaxviz.schema.program import Eqn, Program

Rule = Sequence[tuple[str, str]]

RESULTS = "results"
ROLES: Mapping[str, Sequence[Rule]] = {
    "scan": [[("num_consts", "const"), ("num_carry", "carry"), ("", "xs")]],
    "while": [
        [("cond_nconsts", "cond const"), ("body_nconsts", "body const"), ("", "carry")],
        [(RESULTS, "carry"), ("", "const")],
    ],
    "stablehlo.while": [[(RESULTS, "carry"), ("", "const")]],
    "cond": [[("1", "index"), ("", "")]],
    "custom_jvp_call": [[("num_consts", "const"), ("", "")]],
    "custom_vjp_call": [[("num_consts", "const"), ("", "")]],
}
"""By op, of the rules the first whose counts are all known: how many operands (a number, a param,
or as many as there are results) have which role, from the first on; the rest have the last one."""


def complete(program: Program) -> None:
    """Gives the eqns of a program of format 1 their roles, in place of the params that say them."""
    for stage in program.stages:
        for graph in stage.graphs:
            for eqn in graph.eqns:
                rule = rule_of(eqn)
                if rule is not None:
                    said = {name for name, _ in rule}
                    force_setattr(eqn, "roles", roles_of(eqn, rule))
                    force_setattr(
                        eqn, "params", [one for one in eqn.params if one.name not in said]
                    )


def rule_of(eqn: Eqn) -> Rule | None:
    """None where the params do not say it: JAX 0.11 and later have no counts."""
    for rule in ROLES.get(eqn.op, ()):
        counts = counts_of(eqn, rule)
        if len(counts) == len(rule) and counts[-1] >= 0:
            return rule
    return None


def counts_of(eqn: Eqn, rule: Rule) -> list[int]:
    """How many operands have each role, those that are known alone; the last have what is left."""
    known = {param.name: param.value for param in eqn.params}
    known[RESULTS] = str(len(eqn.outvars))
    texts = [known.get(name, name) for name, _ in rule[:-1]]
    counts = [int(text) for text in texts if text.isascii() and text.isdigit()]
    return [*counts, len(eqn.invars) - sum(counts)]


def roles_of(eqn: Eqn, rule: Rule) -> list[str]:
    pairs = zip(counts_of(eqn, rule), rule, strict=True)
    roles = [role for count, (_, role) in pairs for _ in range(count)]
    return roles if any(roles) else []
