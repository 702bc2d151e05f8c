"""Finds the parameter that each eqn works on, by path.

A parameter has its own path. A value that is computed from one parameter and scalars (a cast, a
reshape, an optimizer's update) has the path of this parameter. So does a value that is used only
for its gradient or its new value.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from math import prod
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.groups.facts import parameters
from jaxviz.analysis.groups.facts.name_stacks import NameStack
from jaxviz.analysis.groups.facts.parameters import (
    ARRAYS_OF_A_LAYER,
    Changed,
    Path,
    changed_inputs,
    made_backward,
)
from jaxviz.schema.graph import outside_in

PRODUCTS = frozenset({"dot_general", "conv_general_dilated", "gather", "scan", "while"})
"""Ops that combine an operand with other values: their result does not get its path."""
CALLS = frozenset({"jit", "pjit", "cond"})
ADD_GRADIENTS = "add_any"
"""The op that adds the contributions to a gradient from several uses of a value."""


class StagePaths(NamedTuple):
    """The parameters that the eqns of a stage work on."""

    owner: str
    """The argument that contains the parameters; empty if there is none."""
    of_eqns: list[list[Path | None]]
    """For each graph and eqn, the path that all its parameters share; None if it has none."""
    trained: dict[int, int]
    """The program's differentiated inputs, with their results."""
    var_paths: list[dict[int, Path | None]]
    """For each graph, the paths of its inputs and outputs."""
    made_backward: list[set[int]]
    """For each graph, the variables that depend on the backward pass."""


def stage_paths(stage: schema.Stage, roles: list[list[str]], parsed: list[NameStack]) -> StagePaths:
    """The parameters of all eqns. A body's inputs have the paths of the values passed for them.
    `roles` has the eqns' roles in a training step, `parsed` the stage's parsed scopes."""
    made = made_backward(stage, roles)
    found = parameters.of_program(stage, roles, parsed, made[0])
    var_paths: list[dict[int, Path | None]] = [{} for _ in stage.graphs]
    var_paths[0].update(found.of_vars)
    of_eqns: list[list[Path | None]] = [[] for _ in stage.graphs]
    changed = cache(lambda: changed_inputs(stage, roles))
    for index in outside_in(stage.graphs):
        graph = stage.graphs[index]
        certain = {var: path for var, path in var_paths[index].items() if path}
        of_eqns[index], of_vars = graph_paths(stage, graph, certain, roles[index], changed)
        for eqn in graph.eqns:
            for body in eqn.bodies:
                pass_into(eqn, body, stage.graphs[body.graph], of_vars, var_paths[body.graph])
    return StagePaths(found.owner, of_eqns, found.trained, var_paths, made)


def common(a: Path | None, b: Path | None) -> Path | None:
    """The longest common start of two paths. If one is None, the other one."""
    if a is None or b is None:
        return b if a is None else a
    if a == b:
        return a
    length = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        length += 1
    return a[:length]


def layer_path(path: Path | None, base: Path) -> Path | None:
    """The subtree of parameters that names a run; for the path of a layer's single array, the
    layer. None if it is not longer than `base`."""
    if path is None:
        return None
    subtree = path
    while len(subtree) > 1 and subtree[-1] in ARRAYS_OF_A_LAYER:
        subtree = subtree[:-1]
    return subtree if len(subtree) > len(base) else None


def path_text(path: Path, depth: int, owner: str) -> str:
    """A path as text from the first key below `depth`: `layers[0].attn`. A position follows the
    name of its list."""
    start = depth
    while start > 0 and path[start].startswith("["):
        start -= 1
    text = owner if path[start].startswith("[") else ""
    for key in path[start:]:
        text += key if key.startswith("[") or not text else f".{key}"
    return text


def graph_paths(
    stage: schema.Stage,
    graph: schema.Graph,
    certain: dict[int, Path],
    roles: list[str],
    changed: Callable[[], list[Changed]],
) -> tuple[list[Path | None], dict[int, Path]]:
    """For each eqn, the path that the parameters among its operands and results share; and the
    paths of all variables.

    `certain` has the paths of inputs and outputs. A gradient has the path of its parameter.
    """
    if not certain:
        return [None] * len(graph.eqns), {}
    sizes = [array_size(aval) for aval in stage.avals]
    elements = [0 if var.literal else sizes[var.aval] for var in graph.vars]
    path = {var: found for var, found in certain.items() if not graph.vars[var].literal}
    follow_forward(graph, path, elements)
    follow_backward(graph, path, elements, roles)
    for eqn, role in zip(graph.eqns, roles, strict=True):
        if eqn.op in CALLS and not role:
            unknown = {var for var in eqn.invars if elements[var]} - path.keys()
            for body in eqn.bodies if unknown and not path.keys().isdisjoint(eqn.outvars) else ():
                called = stage.graphs[body.graph], changed()[body.graph]
                follow_call(eqn, body, path, unknown, *called)
    follow_forward(graph, path, elements)
    found: list[Path | None] = []
    for eqn in graph.eqns:
        shared = None
        for var in (*eqn.invars, *eqn.outvars):
            if elements[var] or var in certain:
                shared = common(shared, path.get(var))
        found.append(shared)
    return found, path


def array_size(aval: schema.Aval) -> Hashable:
    """The number of elements of an array, with the names of symbolic dimensions; 0 for a scalar or
    another value."""
    if not aval.shape:
        return 0
    named = tuple(sorted(dim for dim in aval.shape if isinstance(dim, str)))
    count = prod(dim for dim in aval.shape if isinstance(dim, int))
    return (count, named) if named else count


def follow_forward(graph: schema.Graph, path: dict[int, Path], elements: list[Hashable]) -> None:
    """Gives values that are computed from one parameter and scalars the path of this parameter, in
    place."""
    for eqn in graph.eqns:
        made_of = {path.get(var) for var in eqn.invars if elements[var]}
        if len(made_of) == 1 and None not in made_of:
            (only,) = made_of
            for var in eqn.outvars:
                if only is not None and elements[var]:
                    path.setdefault(var, only)


def follow_backward(
    graph: schema.Graph, path: dict[int, Path], elements: list[Hashable], roles: list[str]
) -> None:
    """Gives values that become a parameter's gradient or new value the path of this parameter, in
    place.

    These values are rearranged, or added to others. In an optimizer (eqns without a role), any
    elementwise change counts.
    """
    for eqn, role in zip(reversed(graph.eqns), reversed(roles), strict=True):
        made = next((v for v in eqn.outvars if v in path and elements[v]), None)
        if made is None or eqn.op in PRODUCTS:
            continue
        arrays = dict.fromkeys(v for v in eqn.invars if elements[v] == elements[made])
        is_only = eqn.op == ADD_GRADIENTS or sum(1 for var in eqn.invars if elements[var]) == 1
        if is_only or not (role or {path.get(var, path[made]) for var in arrays} - {path[made]}):
            for var in arrays:
                path.setdefault(var, path[made])


def follow_call(
    eqn: schema.Eqn,
    body: schema.Body,
    path: dict[int, Path],
    unknown: set[int],
    inner: schema.Graph,
    changed: Changed,
) -> None:
    """Gives the `unknown` values with which a called function changes a parameter the path of this
    parameter, in place."""
    inputs = zip(inner.invars, body.inputs, strict=True)
    operand = {var: eqn.invars[at] for var, at in inputs if at >= 0}
    for var, at in zip(inner.outvars, body.outputs, strict=True):
        made = path.get(eqn.outvars[at]) if at >= 0 else None
        sources, _ = changed.get(var, (frozenset[int](), False))
        used = [operand[one] for one in sources if one in operand]
        if made and {path.get(one, made) for one in used} == {made}:
            path.update(dict.fromkeys(unknown.intersection(used), made))


def pass_into(
    eqn: schema.Eqn,
    body: schema.Body,
    inner: schema.Graph,
    outer_paths: dict[int, Path],
    inner_paths: dict[int, Path | None],
) -> None:
    """Gives a body's inputs and outputs the paths of the values that an eqn passes, in place; None
    if eqns pass values with different paths."""
    inputs = zip(inner.invars, body.inputs, strict=True)
    outputs = zip(inner.outvars, body.outputs, strict=True)
    passed = [(var, eqn.invars[at]) for var, at in inputs if at >= 0]
    passed += [(var, eqn.outvars[at]) for var, at in outputs if at >= 0]
    for var, operand in passed:
        path = outer_paths.get(operand)
        if var not in inner_paths:
            inner_paths[var] = path
        elif inner_paths[var] != path:
            inner_paths[var] = None
