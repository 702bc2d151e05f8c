"""Which eqns make nothing but numbers that are written in the program, as the NaN is of
`jnp.where(n > 0, mean, jnp.nan)`: that these are not finite is meant, and few results have any."""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz.schema import Body, Eqn, Graph
from jaxviz.schema.graph import outside_in

_LOOPS = ("scan", "while")
"""What their bodies take changes from turn to turn."""


def written_eqns(graphs: Sequence[Graph]) -> set[tuple[int, int]]:
    """The eqns, each by its graph and its place there, that take only literals and what such eqns
    make. What a body takes is written where all that call it write it."""
    found = set[tuple[int, int]]()
    taken: dict[int, list[bool]] = {}
    for number in outside_in(graphs):
        graph = graphs[number]
        written = [var.literal for var in graph.vars]
        for var, is_written in zip(graph.invars, taken.get(number, []), strict=False):
            written[var] = is_written
        for place, eqn in enumerate(graph.eqns):
            if all(written[var] for var in eqn.invars):
                found.add((number, place))
                for var in eqn.outvars:
                    written[var] = True
            for body in eqn.bodies:
                given = _given(eqn, body, written)
                before = taken.setdefault(body.graph, given)
                taken[body.graph] = [a and b for a, b in zip(before, given, strict=True)]
    return found


def _given(eqn: Eqn, body: Body, written: Sequence[bool]) -> list[bool]:
    """Of each input of a body, whether what an eqn gives it is written."""
    operands = [eqn.invars[at] if 0 <= at < len(eqn.invars) else None for at in body.inputs]
    return [eqn.op not in _LOOPS and one is not None and written[one] for one in operands]
