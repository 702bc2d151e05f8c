"""Which of the user's parameters an eqn works on, by path.

A value that is a parameter, or made of one parameter and scalars alone (a cast, a reshape, an
optimizer's update), carries that parameter's path; so does what alone makes its gradient or its
new value. The parameters are the argument whose leaves' paths return most often: an optimizer's
state, `state[0].mu['up']`, holds the paths of `params['up']` below its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable
from math import prod

from jaxviz import schema
from jaxviz.schema.order import outside_in

Path = tuple[str, ...]
"""Keys below the argument's own name: `("layers", "[0]", "kernel")`."""

PRODUCTS = frozenset({"dot_general", "conv_general_dilated", "gather", "scan", "while"})
SUM = "add_any"
"""Adds up what several uses of a value give to its gradient."""
PART = re.compile(r"\[(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\]]*))\]|\.([^.\[]+)")
BOXES = frozenset({"value", "raw_value"})
"""Attributes in which libraries keep an array."""
LEAVES = frozenset(
    {"kernel", "bias", "scale", "embedding", "weight", "w", "b", "W", "B", "gamma", "beta"}
    | {"g", "offset", "gain", "weights"}
)
"""What libraries call the arrays of a layer: a run that uses one of them alone is the layer."""


def keys(path: str) -> tuple[str, Path]:
    """An argument's name and the keys below it. Positions keep their brackets; a key with
    slashes is several (Haiku's `mlp/~/linear_0`)."""
    root = re.match(r"[^.\[]*", path)
    start = root.end() if root else 0
    found: list[str] = []
    for part in PART.finditer(path, start):
        single, double, position, attribute = part.groups()
        name = single if single is not None else double if double is not None else attribute
        if name is None:
            found.append(f"[{position}]")
        else:
            found += [key for key in name.split("/") if key not in ("", "~")] or [name]
    if len(found) > 1 and found[-1] in BOXES:
        found.pop()
    return path[:start], tuple(found)


def parameters(args: Iterable[str], results: Iterable[str]) -> tuple[str, frozenset[Path]]:
    """The argument (or its part `params`) that holds the parameters, and their paths below it.

    The paths of its leaves return most often: in another argument, an optimizer's state; else
    among the results. An argument that has other leaves of the same layers belongs to it.
    """
    full = [(root, *below) for root, below in map(keys, args) if below]
    if not full:
        return "", frozenset()
    returned = {tail for root, below in map(keys, results) for tail in tails((root, *below))}
    kept = Counter(tail for path in full for tail in tails(path))
    in_state: Counter[str] = Counter(path[0] for path in full if kept[path[1:]] > 1)
    in_results: Counter[str] = Counter(path[0] for path in full if path[1:] in returned)
    (owner, _), *_ = (in_state or in_results or Counter(path[0] for path in full)).most_common(1)
    within = any(path[:2] == (owner, "params") for path in full)
    start = (owner, "params") if within else (owner,)
    known = {path[len(start) :] for path in full if path[: len(start)] == start} - {()}
    layers = {path[:-1] for path in known} - {()}
    for root in dict.fromkeys(path[0] for path in full if path[0] != owner):
        more = {path[1:] for path in full if path[0] == root}
        if more.isdisjoint(known) and not layers.isdisjoint(path[:-1] for path in more):
            known |= more
    return start[-1], frozenset(known)


def tails(path: Path) -> list[Path]:
    """The ends of a path that tell something: a position alone does not (`params['layers'][0]`
    is no `batch[0]` kept below a name)."""
    ends = [path[k:] for k in range(1, len(path))]
    return [end for end in ends if not all(key.startswith("[") for key in end)]


def parameter(path: str, known: frozenset[Path]) -> Path | None:
    """The parameter that an argument's or result's path ends in."""
    _, tail = keys(path)
    return next((tail[k:] for k in range(len(tail)) if tail[k:] in known), None)


def holders(graph: schema.Graph, known: frozenset[Path]) -> list[str]:
    """For each eqn the name under which its result is returned for a parameter: `mu` for
    `result[1][0].mu['up']`, else empty."""
    names: dict[int, str] = {}
    for var, path in zip(graph.outvars, graph.results, strict=False):
        _, tail = keys(path)
        start = next((k for k in range(len(tail)) if tail[k:] in known), 0)
        if start > 0 and not tail[start - 1].startswith("["):
            names[var] = tail[start - 1]
    return [next((names[v] for v in eqn.outvars if v in names), "") for eqn in graph.eqns]


def common(a: Path | None, b: Path | None) -> Path | None:
    """The longest path that both begin with; None is no path at all."""
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


def shared(
    stage: schema.Stage, graph: schema.Graph, seeds: dict[int, Path], roles: list[str]
) -> tuple[list[Path | None], dict[int, Path]]:
    """For each eqn the path that the parameters among its operands and results share, and the
    paths of all vars. `seeds` are the paths of inputs, and of outputs: a gradient is known by
    the parameter that it changes."""
    if not seeds:
        return [None] * len(graph.eqns), {}
    sizes = [size(aval) for aval in stage.avals]
    elements = [0 if var.literal else sizes[var.aval] for var in graph.vars]
    path = {var: found for var, found in seeds.items() if not graph.vars[var].literal}
    forward(graph, path, elements)
    backward(graph, path, elements, roles)
    forward(graph, path, elements)
    found: list[Path | None] = []
    for eqn in graph.eqns:
        here = None
        for var in (*eqn.invars, *eqn.outvars):
            if elements[var]:
                here = common(here, path.get(var))
        found.append(here)
    return found, path


def size(aval: schema.Aval) -> Hashable:
    """How many elements an array holds; nothing where it is a scalar, or no array."""
    if not aval.shape:
        return 0
    named = tuple(sorted(dim for dim in aval.shape if isinstance(dim, str)))
    count = prod(dim for dim in aval.shape if isinstance(dim, int))
    return (count, named) if named else count


def forward(graph: schema.Graph, path: dict[int, Path], elements: list[Hashable]) -> None:
    """What is made of one parameter and scalars alone has its path."""
    for eqn in graph.eqns:
        made_of = {path.get(var) for var in eqn.invars if elements[var]}
        if len(made_of) == 1 and None not in made_of:
            (only,) = made_of
            for var in eqn.outvars:
                if only is not None and elements[var]:
                    path.setdefault(var, only)


def backward(
    graph: schema.Graph, path: dict[int, Path], elements: list[Hashable], roles: list[str]
) -> None:
    """What is but rearranged into a parameter's new value or gradient, is a part of its sum, or
    changes it elementwise in an optimizer, has its path."""
    for eqn, role in zip(reversed(graph.eqns), reversed(roles), strict=True):
        made = next((v for v in eqn.outvars if v in path and elements[v]), None)
        if made is None or eqn.op in PRODUCTS:
            continue
        arrays = dict.fromkeys(v for v in eqn.invars if elements[v] == elements[made])
        alone = eqn.op == SUM or sum(1 for var in eqn.invars if elements[var]) == 1
        if alone or not (role or {path.get(var, path[made]) for var in arrays} - {path[made]}):
            for var in arrays:
                path.setdefault(var, path[made])


def of_stage(
    stage: schema.Stage, roles: list[list[str]]
) -> tuple[str, list[list[Path | None]], list[list[str]]]:
    """The argument that holds the parameters, and for each graph the paths of its eqns and the
    names under which their results are kept. A body's inputs have the paths of what the eqns
    around it pass."""
    root = stage.graphs[0]
    owner, known = parameters(root.args, root.results)
    seeds: list[dict[int, Path | None]] = [{} for _ in stage.graphs]
    for var, name in [*zip(root.outvars, root.results), *zip(root.invars, root.args)]:  # noqa: B905
        found = parameter(name, known) if name else None
        if found is not None:
            seeds[0][var] = found
    paths: list[list[Path | None]] = [[] for _ in stage.graphs]
    for index in outside_in(stage.graphs):
        graph = stage.graphs[index]
        sure = {var: path for var, path in seeds[index].items() if path}
        paths[index], held = shared(stage, graph, sure, roles[index])
        for eqn in graph.eqns:
            for body in eqn.bodies:
                pass_on(eqn, body, stage.graphs[body.graph], held, seeds[body.graph])
    names = [holders(graph, known) for graph in stage.graphs]
    return owner, paths, names


def pass_on(
    eqn: schema.Eqn,
    body: schema.Body,
    inner: schema.Graph,
    held: dict[int, Path],
    seeds: dict[int, Path | None],
) -> None:
    """Gives a body's inputs and outputs the paths of the eqn's; None where its eqns differ."""
    pairs = [*zip(inner.invars, body.inputs, strict=True)]
    outer = [(var, eqn.invars[at]) for var, at in pairs if at >= 0]
    pairs = [*zip(inner.outvars, body.outputs, strict=True)]
    outer += [(var, eqn.outvars[at]) for var, at in pairs if at >= 0]
    for var, operand in outer:
        path = held.get(operand)
        if var not in seeds:
            seeds[var] = path
        elif seeds[var] != path:
            seeds[var] = None
