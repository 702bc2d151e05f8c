"""Arguments of the program in the tuples of optimized HLO. As `js/src/model/elements.ts`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from jaxviz import schema
from jaxviz.picture.model.family import plain_name


class Holder(NamedTuple):
    """The eqn that holds a body, and the graph that it is in."""

    outer: int
    eqn: schema.Eqn
    body: schema.Body


MOST_STEPS = 64
"""Bodies within one another that are looked through."""
SAME = ("bitcast", "copy")

Producer = Callable[[int, int], schema.Eqn | None]
"""The eqn of a graph that makes a var."""


def holders_of(stage: schema.Stage) -> dict[int, Holder]:
    """For each graph the first eqn that holds it."""
    found: dict[int, Holder] = {}
    for outer, graph in enumerate(stage.graphs):
        for eqn in graph.eqns:
            for body in eqn.bodies:
                found.setdefault(body.graph, Holder(outer, eqn, body))
    return found


def argument_of(
    stage: schema.Stage,
    graph: int,
    eqn: schema.Eqn,
    holders: Mapping[int, Holder],
    made: Producer,
) -> str:
    """The user's path of what a `get-tuple-element` gives, where that is an argument of the
    program: optimized HLO hands a loop all that it reads as one tuple. Empty for any other value,
    and for one that a loop changes."""
    if not eqn.outvars:
        return ""
    at, var = graph, eqn.outvars[0]
    element: int | None = None
    for _ in range(MOST_STEPS):
        invars = stage.graphs[at].invars
        if var in invars:
            holder = holders.get(at)
            if holder is None:
                return stage.graphs[at].args[invars.index(var)] if element is None else ""
            operand = holder.body.inputs[invars.index(var)]
            if operand < 0 or not _is_kept(stage, at, holder, var, element, made):
                return ""
            at, var = holder.outer, holder.eqn.invars[operand]
            continue
        maker = made(at, var)
        op = plain_name(maker.op) if maker else ""
        if maker is None or not maker.invars:
            return ""
        if element is None and op == "get_tuple_element":
            element = _index(maker)
        elif element is not None and op == "tuple":
            if not 0 <= element < len(maker.invars):
                return ""
            var, element = maker.invars[element], None
            continue
        elif element is not None or op not in SAME:
            return ""
        var = maker.invars[0]
    return ""


def _index(eqn: schema.Eqn) -> int:
    value = next((param.value for param in eqn.params if param.name == "index"), "")
    return int(value) if value.isascii() and value.isdigit() else -1


def _is_kept(
    stage: schema.Stage,
    graph: int,
    holder: Holder,
    input_: int,
    element: int | None,
    made: Producer,
) -> bool:
    """Whether a body gives back what it was given; all but a loop's need not."""
    if plain_name(holder.eqn.op) != "while":
        return True
    returned = next((made(graph, var) for var in stage.graphs[graph].outvars), None)
    # What a loop's condition returns is no tuple: whether the body keeps it is not known here.
    if element is None or returned is None or returned.op != "tuple":
        return False
    if not 0 <= element < len(returned.invars):
        return False
    kept = made(graph, returned.invars[element])
    if kept is None or kept.op != "get-tuple-element" or not kept.invars:
        return False
    return kept.invars[0] == input_ and _index(kept) == element
