"""In which order silent traces came, as far as the jaxprs around them tell. JAX's cache of traces
keeps none.

The jaxprs of the function around stand in the order in which it called them. A trace is as old as
the first of these that it made, but it is not always known which: under grad, vmap and the like JAX
derives another jaxpr, which does not say what it was derived from.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Sequence
from itertools import accumulate
from math import inf
from typing import Any, NamedTuple

from jaxviz.capture._traces import Body
from jaxviz.capture.events.functions import function_named
from jaxviz.capture.events.programs import UsersCall
from jaxviz.schema.signature import Function

Key = tuple[Function | None, tuple[Any, ...], int]
"""The function and the avals of a trace, and the `id` of its tuple of paths (0 without paths), so
that traces of one function with the same avals are told apart."""


class SilentTrace(NamedTuple):
    """A trace that JAX did not announce, found among the keys of its cache."""

    whose: UsersCall
    body: Body
    jaxpr: Any
    """The jaxpr that it made, or one that grad or the like made of that; None if not known."""


class Place(NamedTuple):
    """A jaxpr in the function around, in the order of its calls."""

    key: Key
    jaxpr: Any


def key_of(body: Body) -> Key:
    return function_named(body.source), body.avals, number_of(body.paths)


def number_of(paths: Any) -> int:
    """The `id` of a tuple of paths; 0 for None and for the empty tuple, which all traces share."""
    return id(paths) if paths else 0


class _Span(NamedTuple):
    """Among which places a trace was made."""

    likely: float
    first: float
    last: float


def in_order(
    found: Sequence[SilentTrace], places: Sequence[Place]
) -> tuple[list[SilentTrace], set[Function]]:
    """The traces in their order, as far as it is known, and the functions of which several were
    found and nobody knows which came first."""
    traces: defaultdict[Function | None, list[SilentTrace]] = defaultdict(list)
    for one in found:
        traces[key_of(one.body)[0]].append(one)
    spans: dict[int, _Span] = {}
    unordered: set[Function] = set()
    for function, own in traces.items():
        held = [(at, place.key) for at, place in enumerate(places) if place.key[0] == function]
        types = {one.body.avals for one in own}
        spans |= {id(one): _span(one, held, types) for one in own}
        if _overlap(sorted(spans[id(one)][1:] for one in own)):
            unordered.update(one.whose.function for one in own)
    return sorted(found, key=lambda one: spans[id(one)]), unordered


def _span(trace: SilentTrace, places: Sequence[tuple[int, Key]], known: Container[Any]) -> _Span:
    """Where a trace may have been made, of the places of its function. `known` has the avals of all
    traces of it: what has others was made of one of these by vmap or the like."""
    _, avals, paths = key_of(trace.body)
    own = [at for at, key in places if paths and key[2] == paths]
    alike = [at for at, (_, types, of) in places if not of and types == avals]
    unlike = [at for at, (_, types, of) in places if not of and types not in known]
    likely = min(own or alike or unlike, default=inf)
    first = min(own + alike + unlike, default=0)
    return _Span(likely, first, min(own) if own else max(alike, default=inf))


def _overlap(spans: list[tuple[float, float]]) -> bool:
    """Whether any of these spans, which are sorted, begins before one that came earlier ends."""
    ends = accumulate((last for _, last in spans), max)
    return any(end >= first for end, (first, _) in zip(ends, spans[1:], strict=False))
