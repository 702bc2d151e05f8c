"""Finds all jaxprs of a program, each once.

Eqns that share a jaxpr hold the same object, so jaxprs are told apart by identity. They may be
nested deep, so a worklist is used in place of recursion. A param of an eqn is a jaxpr, or holds
some in tuples, lists, dicts and dataclasses.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr

from jaxviz.capture.structure import JaxprInParams, bodies_of

_LEAVES: set[type] = {type(None), bool, int, float, complex, str, bytes}


class Inner(NamedTuple):
    """A body of an eqn: as `schema.Body`, with the index of its jaxpr in the walk."""

    label: str
    graph: int
    inputs: list[int]
    outputs: list[int]


class Place(NamedTuple):
    """The eqn through which a jaxpr was met first."""

    graph: int
    eqn: int


class Walk(NamedTuple):
    """The jaxprs of a program, the program itself first."""

    jaxprs: list[Jaxpr]
    inner: list[dict[int, list[Inner]]]
    """For each jaxpr the bodies of those of its eqns that have any, by the eqn's index."""
    met: list[Place | None]
    consts: dict[int, Any]
    """The arrays that the jaxprs close over, by `id`."""


def walk(root: Jaxpr) -> Walk:
    """Every jaxpr reachable from `root`; linear in the number of distinct eqns."""
    found = Walk([root], [], [None], {})
    index = {id(root): 0}
    for graph, jaxpr in enumerate(found.jaxprs):
        inner: dict[int, list[Inner]] = {}
        for number, eqn in enumerate(jaxpr.eqns):
            held = list(jaxprs_in(eqn.params))
            if not held:
                continue
            inner[number] = []
            found.consts.update((id(const), const) for item in held for const in item.consts)
            for body in bodies_of(eqn, held):
                key = id(body.jaxpr)
                if key not in index:
                    index[key] = len(found.jaxprs)
                    found.jaxprs.append(body.jaxpr)
                    found.met.append(Place(graph, number))
                inner[number].append(Inner(body.label, index[key], body.inputs, body.outputs))
        found.inner.append(inner)
    return found


def jaxprs_in(params: dict[str, Any]) -> Iterator[JaxprInParams]:
    """The jaxprs in an eqn's params, in order, each with the path that leads to it."""
    for name, value in params.items():
        if type(value) not in _LEAVES:
            yield from _search(name, value)


def _search(name: str, value: Any) -> Iterator[JaxprInParams]:
    stack: list[tuple[str, Any]] = [(name, value)]
    containers: set[int] = set()
    while stack:
        path, value = stack.pop()
        if isinstance(value, ClosedJaxpr):
            yield JaxprInParams(path, value.jaxpr, value.consts)
        elif isinstance(value, Jaxpr):
            yield JaxprInParams(path, value)
        elif type(value) not in _LEAVES and id(value) not in containers:
            containers.add(id(value))
            stack.extend(reversed(_parts(path, value)))


def _parts(path: str, value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, tuple | list):
        fields = getattr(value, "_fields", None)
        if fields is not None:
            return [(f"{path}.{field}", part) for field, part in zip(fields, value, strict=True)]
        return [(f"{path}[{i}]", part) for i, part in enumerate(value)]
    if isinstance(value, dict):
        return [(f"{path}[{key!r}]", part) for key, part in value.items()]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field.name for field in dataclasses.fields(value)]
        return [(f"{path}.{field}", getattr(value, field, None)) for field in fields]
    return []
