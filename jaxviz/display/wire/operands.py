"""Leaves out what of a graph's variables follows from the rest, so that less is sent.

Most operands are new or were met a short while ago, so each is sent as how many variables came
since. Most names follow one another as JAX gives them (`a`, `b`, `c`), and are sent as nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import force_setattr

from jaxviz import schema
from jaxviz.display.wire.columns import Lists

LETTERS = re.compile("[a-z]{1,8}")
KEPT = "="
"""Stands before a name that would otherwise be read as another: an empty one, or one that begins
with this sign."""


def residues(program: schema.Program) -> dict[str, Lists | list[str]]:
    """Replacements of variables and their names in the wire form, by field."""
    constvars, inputs, outputs, invars, outvars = (Lists([], []) for _ in range(5))
    for graph in graphs(program):
        met = MetVariables(graph)
        met.ages(graph.constvars, constvars)
        met.ages(graph.invars, inputs)
        for eqn in graph.eqns:
            met.ages(eqn.invars, invars)
            met.ages(eqn.outvars, outvars)
        met.ages(graph.outvars, outputs)
    return {
        "Graph.constvars": constvars,
        "Graph.invars": inputs,
        "Graph.outvars": outputs,
        "Eqn.invars": invars,
        "Eqn.outvars": outvars,
        "Var.name": [*shortened(var.name for graph in graphs(program) for var in graph.vars)],
    }


def restore(program: schema.Program) -> None:
    """Turns what was sent back into variables and names. Changes the program in place."""
    for graph in graphs(program):
        count = restored(graph, "constvars", 0)
        count = restored(graph, "invars", count)
        for eqn in graph.eqns:
            count = restored(eqn, "invars", count)
            count = restored(eqn, "outvars", count)
        restored(graph, "outvars", count)
    variables = [var for graph in graphs(program) for var in graph.vars]
    for var, name in zip(variables, named(var.name for var in variables), strict=True):
        force_setattr(var, "name", name)


def graphs(program: schema.Program) -> list[schema.Graph]:
    return [graph for stage in program.stages for graph in stage.graphs]


class MetVariables:
    """Counts the variables of a graph that were met so far, while going through its eqns."""

    def __init__(self, graph: schema.Graph) -> None:
        self.count = 0
        self.wide = {index for index, var in enumerate(graph.vars) if var.literal}
        self.wide.update(graph.constvars, graph.invars)

    def ages(self, variables: tuple[int, ...], to: Lists) -> None:
        """Adds what is sent for each variable: 0 where it is the next new one; for one that was met
        before, how many were met since; and -1 - its index for a literal, a constant, an input of
        the graph, and a new one out of turn."""
        to.lengths.append(len(variables))
        for variable in variables:
            age = self.count - variable
            near = age == 0 or (age > 0 and variable not in self.wide)
            to.items.append(age if near else ~variable)
            if variable >= self.count:
                self.count = variable + 1


def restored(of: schema.Graph | schema.Eqn, field: str, count: int) -> int:
    """Puts variables in place of what `ages` made of them. `count` variables were met before;
    returns how many were met after."""
    variables: list[int] = []
    for age in getattr(of, field):
        variables.append(count - age if age >= 0 else ~age)
        count = max(count, variables[-1] + 1)
    force_setattr(of, field, tuple(variables))
    return count


def shortened(names: Iterable[str]) -> Iterator[str]:
    """The names, with an empty string for each that follows from the one before."""
    following = "a"
    for name in names:
        if name == following:
            yield ""
        else:
            yield KEPT + name if name == "" or name.startswith(KEPT) else name
        following = after(name, following)


def named(short: Iterable[str]) -> Iterator[str]:
    """The names that `shortened` was given."""
    following = "a"
    for sent in short:
        name = following if sent == "" else sent.removeprefix(KEPT)
        yield name
        following = after(name, following)


def after(name: str, following: str) -> str:
    """The name that JAX gives next: `b` after `a`, `ba` after `z`. After a name that is not of this
    kind it is still `following`."""
    if not LETTERS.fullmatch(name):
        return following
    kept = name.rstrip("z")
    end = "a" * (len(name) - len(kept))
    return kept[:-1] + chr(ord(kept[-1]) + 1) + end if kept else "b" + end
