"""Which of the user's parameters an eqn works on, by path.

A value that is a parameter, or made of one parameter and scalars alone (a cast, a reshape, an
optimizer's update), carries that parameter's path. The parameters are the argument whose
leaves' paths return most often: an optimizer's state, `state[0].mu['up']`, holds the paths of
`params['up']` below its own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from jaxviz import schema

Path = tuple[str, ...]
"""Keys below the argument's own name: `("layers", "[0]", "kernel")`."""

PART = re.compile(r"\[(?:'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|([^\]]*))\]|\.([^.\[]+)")
BOXES = frozenset({"value", "raw_value"})
"""Attributes in which libraries keep an array."""
LEAVES = frozenset(
    {"kernel", "bias", "scale", "embedding", "weight", "w", "b", "W", "B", "gamma", "beta"}
)
"""What libraries call the arrays of a layer: a run that uses one of them alone is the layer."""


def keys(path: str) -> tuple[str, Path]:
    """An argument's name and the keys below it. Positions keep their brackets."""
    root = re.match(r"[^.\[]*", path)
    start = root.end() if root else 0
    found: list[str] = []
    for part in PART.finditer(path, start):
        single, double, position, attribute = part.groups()
        name = single if single is not None else double if double is not None else attribute
        found.append(name if name is not None else f"[{position}]")
    if len(found) > 1 and found[-1] in BOXES:
        found.pop()
    return path[:start], tuple(found)


def parameters(paths: Iterable[str]) -> tuple[str, frozenset[Path]]:
    """The argument that holds the parameters, and their paths below its name.

    A position alone tells nothing: `params['layers'][0]` is no `batch[0]` kept below a name.
    """
    below = [(root, tail) for root, tail in map(keys, paths) if tail]
    whole = {tail for _, tail in below}
    owners: Counter[str] = Counter()
    for root, tail in below:
        ends = (tail[k:] for k in range(1, len(tail)))
        if not any(end in whole and not all(key.startswith("[") for key in end) for end in ends):
            owners[root] += 1
    if not owners:
        return "", frozenset()
    best = max(owners.values())
    owner = next(root for root, _ in below if owners[root] == best)
    return owner, frozenset(tail for root, tail in below if root == owner)


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


def worked(stage: schema.Stage, graph: schema.Graph, known: frozenset[Path]) -> list[Path | None]:
    """For each eqn the path that the parameters among its operands and results share."""
    if not known:
        return [None] * len(graph.eqns)
    scalar = [aval.shape is None or not aval.shape for aval in stage.avals]
    path: dict[int, Path] = {}
    for var, name in [*zip(graph.outvars, graph.results), *zip(graph.invars, graph.args)]:  # noqa: B905
        found = parameter(name, known) if name else None
        if found is not None and not graph.vars[var].literal:
            path[var] = found
    shared: list[Path | None] = []
    for eqn in graph.eqns:
        here = None
        pure: Path | None = None
        mixed = False
        for var in eqn.invars:
            record = graph.vars[var]
            if record.literal or scalar[record.aval]:
                continue
            of = path.get(var)
            here = common(here, of)
            mixed = mixed or of is None or (pure is not None and pure != of)
            pure = of
        for var in eqn.outvars:
            if not mixed and pure is not None and not scalar[graph.vars[var].aval]:
                path.setdefault(var, pure)
            here = common(here, path.get(var))
        shared.append(here)
    return shared
