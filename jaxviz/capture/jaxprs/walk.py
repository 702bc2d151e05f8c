"""Finds the jaxprs of a program, each once, and the arrays that functions in its params close over.

Eqns that share a jaxpr have the same object, so jaxprs are compared by identity. They may be nested
deep, so a worklist replaces recursion. A param of an eqn is a jaxpr, or contains some in tuples,
lists, dicts and dataclasses. Functions in params are rules of derivatives, and callbacks.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

from jaxviz.capture.jaxprs.structure import JaxprInParams, bodies_of
from jaxviz.capture.shown.objects import (
    Types,
    attribute,
    class_attribute,
    dataclass_fields,
    has_attribute,
    inherits,
    is_a,
    slots_of,
    vars_of,
)
from jaxviz.capture.shown.shown_values import shown

_LEAVES = Types(
    *(type(None), bool, int, float, complex, str, bytes),
    *{type(np.dtype(code)) for code in np.typecodes["All"]},
)


class Inner(NamedTuple):
    """A `schema.Body` whose `graph` is the index of its jaxpr in the walk."""

    label: str
    graph: int
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


class FirstUse(NamedTuple):
    """The eqn through which the walk found a jaxpr."""

    graph: int
    eqn: int


class Walk(NamedTuple):
    """The jaxprs of a program, the program itself first."""

    jaxprs: list[Jaxpr]
    inner: list[dict[int, list[Inner]]]
    """For each jaxpr the bodies of its eqns, by the eqn's index."""
    first_uses: list[FirstUse | None]
    consts: dict[int, Any]
    """The arrays that the jaxprs close over, by `id`."""


def walk(root: Jaxpr) -> Walk:
    """Every jaxpr reachable from `root`; linear in the number of distinct eqns."""
    found = Walk([root], [], [None], {})
    index = {id(root): 0}
    for graph, jaxpr in enumerate(found.jaxprs):
        inner: dict[int, list[Inner]] = {}
        for number, eqn in enumerate(jaxpr.eqns):
            if all(map(_is_leaf, eqn.params.values())):
                continue
            in_params = list(jaxprs_in(eqn.params))
            if not in_params:
                continue
            inner[number] = []
            found.consts.update((id(const), const) for item in in_params for const in item.consts)
            for body in bodies_of(eqn, in_params):
                key = id(body.jaxpr)
                if key not in index:
                    index[key] = len(found.jaxprs)
                    found.jaxprs.append(body.jaxpr)
                    found.first_uses.append(FirstUse(graph, number))
                inner[number].append(Inner(body.label, index[key], body.inputs, body.outputs))
        found.inner.append(inner)
    return found


def bodies_first(walk: Walk) -> list[int]:
    """The jaxprs' indices, each after those of its bodies."""
    order: list[int] = []
    done = [False] * len(walk.jaxprs)
    stack = [(0, False)]
    while stack:
        graph, bodies_done = stack.pop()
        if bodies_done:
            order.append(graph)
        elif not done[graph]:
            done[graph] = True
            stack.append((graph, True))
            stack.extend(
                (body.graph, False)
                for bodies in walk.inner[graph].values()
                for body in bodies
                if not done[body.graph]
            )
    return order


def jaxprs_in(params: dict[str, Any]) -> Iterator[JaxprInParams]:
    """The jaxprs in an eqn's params, in order, with their paths."""
    for name, value in params.items():
        if not _is_leaf(value):
            yield from _search(name, value)


def _is_leaf(value: Any) -> bool:
    """True if a value certainly contains no jaxpr, as do most: numbers, dtypes, nested tuples."""
    kind = type(value)
    if kind is tuple:
        return _LEAVES.has_all_of(value) or all(map(_is_leaf, value))
    return kind in _LEAVES


def _search(name: str, value: Any) -> Iterator[JaxprInParams]:
    stack: list[tuple[str, Any]] = [(name, value)]
    containers: set[int] = set()
    while stack:
        path, value = stack.pop()
        if inherits(type(value), ClosedJaxpr):
            yield JaxprInParams(path, value.jaxpr, value.consts)
        elif inherits(type(value), Jaxpr):
            yield JaxprInParams(path, value)
        elif type(value) not in _LEAVES and id(value) not in containers:
            containers.add(id(value))
            stack.extend(reversed(_parts(path, value)))


def _parts(path: str, value: Any) -> list[tuple[str, Any]]:
    kind = type(value)
    if inherits(kind, tuple, list):
        parts = [*(tuple if inherits(kind, tuple) else list).__iter__(value)]
        fields = class_attribute(kind, "_fields")
        if type(fields) is tuple:
            return [(f"{path}.{field}", part) for field, part in zip(fields, parts, strict=True)]
        return [(f"{path}[{i}]", part) for i, part in enumerate(parts)]
    if inherits(kind, dict):
        return [(f"{path}[{shown(key)}]", part) for key, part in dict.items(value)]
    fields = [field.name for field in dataclass_fields(kind)]
    return [(f"{path}.{field}", attribute(value, field)) for field in fields]


_MOST_EQNS_COUNTED = 200_000
"""A census ends after this many eqns, since it runs within the user's call."""


class Census(NamedTuple):
    """The eqns and jits of a jaxpr and its bodies. A shared body counts once."""

    eqns: int
    jits: list[Any]
    """The jaxprs of `jit` eqns in the order in which their traces ended, inner ones first."""


class OpenJaxpr(NamedTuple):
    """A jaxpr in the middle of a walk."""

    jaxpr: Any
    jitted: bool
    """True for the body of a `jit` eqn."""
    bodies: Iterator[tuple[Any, bool]]
    """The bodies still to be walked, from `_traced_bodies`."""


def census(root: Any) -> Census:
    """The eqns and the jitted functions of `root`, an open jaxpr."""
    seen, eqns = {id(root)}, len(root.eqns)
    jits: list[Any] = []
    walked = [OpenJaxpr(root, False, _traced_bodies(root))]
    while walked and eqns <= _MOST_EQNS_COUNTED:
        jaxpr, jitted = next(walked[-1].bodies, (None, False))
        if jaxpr is None:
            done = walked.pop()
            jits += [done.jaxpr] if done.jitted else []
        elif id(jaxpr) not in seen:
            seen.add(id(jaxpr))
            eqns += len(jaxpr.eqns)
            walked.append(OpenJaxpr(jaxpr, jitted, _traced_bodies(jaxpr)))
    return Census(eqns, jits)


def _traced_bodies(jaxpr: Any) -> Iterator[tuple[Any, bool]]:
    """The bodies of all eqns in the order in which JAX traced them, with True for those of jits.

    `lax.cond` and `lax.switch` both become `cond` eqns. `lax.cond` traces its second branch first.
    Its index is a converted bool, while `lax.switch` clamps the index (seen on 0.6.2 to 0.12).
    """
    converted: set[int] = set()
    for eqn in jaxpr.eqns:
        primitive = eqn.primitive.name
        if primitive == "convert_element_type":
            converted.add(id(eqn.outvars[0]))
        if all(map(_is_leaf, eqn.params.values())):
            continue
        bodies = [one.jaxpr for one in jaxprs_in(eqn.params)]
        if primitive == "cond" and id(eqn.invars[0]) in converted:
            bodies.reverse()
        yield from ((one, primitive in ("jit", "pjit")) for one in bodies)


SEEN = 20_000
"""The search ends after this many objects."""
_CLOSED = (type, ModuleType, BuiltinFunctionType, Jaxpr, ClosedJaxpr, str, bytes, int, float)


def functions_of(eqn: JaxprEqn) -> list[Any]:
    """The functions in the params of an eqn: rules or callbacks."""
    if not (is_custom(eqn) or eqn.primitive.name.endswith("callback")):
        return []
    return [value for value in eqn.params.values() if is_function(value)]


def is_function(value: Any) -> bool:
    """True for a function, and for one that JAX has wrapped (`linear_util.WrappedFun`)."""
    return (callable(value) or has_attribute(value, "call_wrapped")) and not _is_closed(value)


def is_custom(eqn: JaxprEqn) -> bool:
    """True if its functions are rules of derivatives or batching, which lowering never calls."""
    return eqn.primitive.name.startswith("custom_")


def arrays_of(functions: list[Any]) -> dict[int, Any]:
    """The arrays that functions close over, by identity. Calls none of the user's code."""
    arrays: dict[int, Any] = {}
    seen = set(map(id, functions))
    room = len(seen) + SEEN
    waiting = [*functions]
    for value in waiting:
        if is_a(value, jax.Array, np.ndarray):
            arrays[id(value)] = value
            continue
        for part in parts(value):
            if id(part) not in seen and len(seen) < room and not _is_closed(part):
                seen.add(id(part))
                waiting.append(part)
    return arrays


def _is_closed(value: Any) -> bool:
    return value is None or is_a(value, *_CLOSED)


def parts(value: Any) -> Iterator[Any]:
    """The objects in a value that can be found without running the user's code."""
    kind = type(value)
    if kind is FunctionType:
        yield from (cell.cell_contents for cell in value.__closure__ or () if cell != CellType())
        yield from value.__defaults__ or ()
        yield from (value.__kwdefaults__ or {}).values()
    elif kind is MethodType:
        yield from (value.__self__, value.__func__)
    elif kind is partial:
        yield from (value.func, *value.args, *value.keywords.values())
    elif kind is tuple or kind is list:
        yield from value
    elif kind is dict:
        yield from value.values()
    else:
        yield vars_of(value)
        yield from (part for _, part in slots_of(value))
