"""The jitted functions within a jaxpr."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from jaxviz.capture.walk import jaxprs_in

_MOST_EQNS_COUNTED = 200_000
"""How many eqns of a jaxpr are counted at most."""


class Census(NamedTuple):
    """What a jaxpr holds, each body once."""

    eqns: int
    jits: list[Any]
    """The jaxprs of `jit` eqns, in the order in which their traces ended: what is within one comes
    before it."""


class Open(NamedTuple):
    """A jaxpr that is walked through."""

    jaxpr: Any
    jitted: bool
    held: Iterator[tuple[Any, bool]]


def census(root: Any) -> Census:
    """Counts eqns, and finds the jaxprs of functions that were called through a jit."""
    known, jits, eqns = {id(root)}, list[Any](), len(root.eqns)
    walked = [Open(root, False, _held(root))]
    while walked and eqns <= _MOST_EQNS_COUNTED:
        jaxpr, jitted = next(walked[-1].held, (None, False))
        if jaxpr is None:
            done = walked.pop()
            jits += [done.jaxpr] if done.jitted else []
        elif id(jaxpr) not in known:
            known.add(id(jaxpr))
            eqns += len(jaxpr.eqns)
            walked.append(Open(jaxpr, jitted, _held(jaxpr)))
    return Census(eqns, jits)


def _held(jaxpr: Any) -> Iterator[tuple[Any, bool]]:
    """The jaxprs of the eqns in the order in which they were traced, each with whether its eqn is
    a jit. `lax.cond` traces what it keeps as its second branch first, `lax.switch` does not: its
    index is clamped, and that of the former a bool that was converted (seen on 0.6.2 to 0.12)."""
    converted = set[int]()
    for eqn in jaxpr.eqns:
        primitive = eqn.primitive.name
        if primitive == "convert_element_type":
            converted.add(id(eqn.outvars[0]))
        held = [one.jaxpr for one in jaxprs_in(eqn.params)]
        if primitive == "cond" and id(eqn.invars[0]) in converted:
            held.reverse()
        yield from ((one, primitive in ("jit", "pjit")) for one in held)
