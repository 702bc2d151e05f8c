"""Shortens the operands and names of variables, so that less is sent.

Most operands are new or recent, so each is sent as its age: the number of variables that came
since. Most names follow one another in JAX's order (`a`, `b`, `c`), and are sent as nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from msgspec.structs import force_setattr

from jaxviz import schema
from jaxviz.display.wire.columns import Lists

LETTERS = re.compile("[a-z]{1,8}")
QUOTE = "="
"""The prefix of a name that is empty or begins with this sign."""


def residues(program: schema.Program) -> dict[str, Lists | list[str]]:
    """The columns of variables and their names in the wire form, by field."""
    constvars, inputs, outputs, invars, outvars = (Lists([], []) for _ in range(5))
    for graph in graphs(program):
        ages = Ages(graph)
        ages.add(graph.constvars, constvars)
        ages.add(graph.invars, inputs)
        for eqn in graph.eqns:
            ages.add(eqn.invars, invars)
            ages.add(eqn.outvars, outvars)
        ages.add(graph.outvars, outputs)
    return {
        "Graph.constvars": constvars,
        "Graph.invars": inputs,
        "Graph.outvars": outputs,
        "Eqn.invars": invars,
        "Eqn.outvars": outvars,
        "Var.name": [*shortened(var.name for graph in graphs(program) for var in graph.vars)],
    }


def restore(program: schema.Program) -> None:
    """Turns ages back into variables and names. Changes the program in place."""
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


class Ages:
    """The ages of a graph's variables. Counts the variables while going through its eqns."""

    def __init__(self, graph: schema.Graph) -> None:
        self.count = 0
        self.ageless = {index for index, var in enumerate(graph.vars) if var.literal}
        self.ageless.update(graph.constvars, graph.invars)

    def add(self, variables: tuple[int, ...], to: Lists) -> None:
        """Adds a number for each variable: 0 for the next new one, and the age of an earlier one.
        For a literal, a constant, an input of the graph and a new one out of order, it is -1 - its
        index."""
        to.lengths.append(len(variables))
        for variable in variables:
            age = self.count - variable
            has_age = age == 0 or (age > 0 and variable not in self.ageless)
            to.items.append(age if has_age else ~variable)
            if variable >= self.count:
                self.count = variable + 1


def restored(of: schema.Graph | schema.Eqn, field: str, count: int) -> int:
    """Replaces the ages in a field by variables. `count` variables came before; returns the count
    after it."""
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
            yield QUOTE + name if name == "" or name.startswith(QUOTE) else name
        following = after(name, following)


def named(short: Iterable[str]) -> Iterator[str]:
    """The inverse of `shortened`."""
    following = "a"
    for sent in short:
        name = following if sent == "" else sent.removeprefix(QUOTE)
        yield name
        following = after(name, following)


def after(name: str, following: str) -> str:
    """JAX's next name: `b` after `a`, `ba` after `z`. After a name of another kind it is still
    `following`."""
    if not LETTERS.fullmatch(name):
        return following
    stem = name.rstrip("z")
    end = "a" * (len(name) - len(stem))
    return stem[:-1] + chr(ord(stem[-1]) + 1) + end if stem else "b" + end
