"""Which of a program's inputs are its parameters: those that it differentiates and returns anew.

An input is one where the forward pass reads it, and where a result of the same place in its pytree
and the same type is made from what runs backward: its gradient, or its new value. So running means
are none, though they come back too, and neither is an optimizer's state, which forward never reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from jaxviz import schema
from jaxviz.analysis.groups.name_stacks import BACKWARD, Names
from jaxviz.schema.graph import outside_in

Reads = dict[int, Names]
"""For each input that is read, as an index, the names of the scope that reads it first."""
Place = tuple[str, Names, int]
"""An argument's name, the keys below it, and the aval of what is there."""
CASTS = frozenset({"convert_element_type", "reshape", "copy", "squeeze"})
"""Ops whose result stands for their operand: a parameter in another precision is read as well."""


def reads_of(
    stage: schema.Stage, roles: list[list[str]], scopes: Callable[[schema.Eqn], Names], by: str
) -> Reads:
    """The program's inputs that an eqn with the role `by` reads, in a body too."""
    inputs: list[dict[int, int]] = [{} for _ in stage.graphs]
    inputs[0] = {var: index for index, var in enumerate(stage.graphs[0].invars)}
    reads: Reads = {}
    for index in outside_in(stage.graphs):
        here = inputs[index]
        if not here:
            continue
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            found = [here[var] for var in eqn.invars if var in here]
            if not found:
                continue
            if eqn.op in CASTS:
                here[eqn.outvars[0]] = found[0]
            elif role == by:
                for leaf in found:
                    reads[leaf] = reads.get(leaf) or scopes(eqn)
            for body in eqn.bodies:
                given = zip(stage.graphs[body.graph].invars, body.inputs, strict=True)
                for var, at in given:
                    if at >= 0 and eqn.invars[at] in here:
                        inputs[body.graph].setdefault(var, here[eqn.invars[at]])
    return reads


def made_backward(stage: schema.Stage, roles: list[list[str]]) -> list[set[int]]:
    """For each graph its variables that are made from what runs backward."""
    made: list[set[int]] = [set() for _ in stage.graphs]
    for index in reversed(outside_in(stage.graphs)):
        here = made[index]
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            if role == BACKWARD or (here and not here.isdisjoint(eqn.invars)):
                here.update(eqn.outvars)
            for body in eqn.bodies:
                inner = made[body.graph]
                if inner:
                    outputs = zip(stage.graphs[body.graph].outvars, body.outputs, strict=True)
                    here.update(eqn.outvars[at] for var, at in outputs if at >= 0 and var in inner)
    return made


def pair_results(args: Sequence[Place], results: Sequence[Place]) -> dict[int, int]:
    """For each of `args` that one of `results` stands for, that result: the first of its type whose
    path ends as it does, and which stands for no other. A result below a name that the argument
    has not (`mu`) comes last."""
    ends: dict[tuple[Names, int], list[int]] = {}
    for at, (_, path, aval) in enumerate(results):
        for start in range(len(path) + 1):
            ends.setdefault((path[start:], aval), []).append(at)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for named in (False, True):
        for index, (name, path, aval) in enumerate(args):
            for start in range(len(path)):
                end = path[start:]
                if index in pairs or (start > 0 and is_position(end)):
                    break
                for at in ends.get((end, aval), ()):
                    above = results[at][1][: len(results[at][1]) - len(end)]
                    if at not in taken and (named or is_position(above, name)):
                        pairs[index] = at
                        taken.add(at)
                        break
        if pairs:
            break
    return pairs


def is_position(path: Names, but: str = "") -> bool:
    """Whether a path has positions alone, and no names but one."""
    return all(key.startswith("[") or key == but for key in path)
