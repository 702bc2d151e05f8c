"""Finds the roles of operands (`Eqn.roles`) for programs saved in format 1, which has none.

There JAX's own params say how many operands are constants, carried and so on. `scripts/schema.py`
writes the table for the page, which does the same (`js/src/facts/format1.ts`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import force_setattr

from jaxviz.schema.graph import Eqn
from jaxviz.schema.program import Program

Rule = Sequence[tuple[str, str]]
"""Pairs of a count and a role, in the order of the operands. A count is a number, the name of a
param that has it, `RESULTS`, or empty for all the operands that are left."""

RESULTS = "results"
"""As many operands as the eqn has results."""
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
"""The rules of each op. The first one applies whose counts are all known."""


def complete(program: Program) -> None:
    """Gives the eqns of a program of format 1 their roles, and takes away the params that said
    them. Changes the program in place."""
    for stage in program.stages:
        for graph in stage.graphs:
            for eqn in graph.eqns:
                rule = rule_of(eqn)
                if rule is not None:
                    counts = {name for name, _ in rule}
                    force_setattr(eqn, "roles", roles_of(eqn, rule))
                    force_setattr(
                        eqn, "params", [one for one in eqn.params if one.name not in counts]
                    )


def rule_of(eqn: Eqn) -> Rule | None:
    """The rule that applies to an eqn. None where its params have no counts, as from JAX 0.11
    on."""
    for rule in ROLES.get(eqn.op, ()):
        counts = counts_of(eqn, rule)
        if len(counts) == len(rule) and counts[-1] >= 0:
            return rule
    return None


def counts_of(eqn: Eqn, rule: Rule) -> list[int]:
    """How many operands have each role. Counts that the eqn does not give are left out; the last
    is the number of operands that are left."""
    known = {param.name: param.value for param in eqn.params}
    known[RESULTS] = str(len(eqn.outvars))
    texts = [known.get(name, name) for name, _ in rule[:-1]]
    counts = [int(text) for text in texts if text.isascii() and text.isdigit()]
    return [*counts, len(eqn.invars) - sum(counts)]


def roles_of(eqn: Eqn, rule: Rule) -> list[str]:
    pairs = zip(counts_of(eqn, rule), rule, strict=True)
    roles = [role for count, (_, role) in pairs for _ in range(count)]
    return roles if any(roles) else []
