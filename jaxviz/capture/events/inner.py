"""Counts the eqns of a jaxpr with all its bodies, and finds the jitted functions in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from jaxviz.capture.walk import jaxprs_in

_MOST_EQNS_COUNTED = 200_000
"""Beyond this many eqns a census ends: it runs within the user's call."""


class Census(NamedTuple):
    """What a jaxpr and its bodies hold. A body that is used several times counts once."""

    eqns: int
    jits: list[Any]
    """The jaxprs of `jit` eqns in the order in which their traces ended, inner ones first."""


class OpenJaxpr(NamedTuple):
    """A jaxpr in the middle of a walk."""

    jaxpr: Any
    jitted: bool
    """Whether it is that of a `jit` eqn."""
    held: Iterator[tuple[Any, bool]]
    """The jaxprs in it that are still to be walked, as `_held` gives them."""


def census(root: Any) -> Census:
    """The eqns and the jitted functions of `root`, an open jaxpr."""
    known, jits, eqns = {id(root)}, list[Any](), len(root.eqns)
    walked = [OpenJaxpr(root, False, _held(root))]
    while walked and eqns <= _MOST_EQNS_COUNTED:
        jaxpr, jitted = next(walked[-1].held, (None, False))
        if jaxpr is None:
            done = walked.pop()
            jits += [done.jaxpr] if done.jitted else []
        elif id(jaxpr) not in known:
            known.add(id(jaxpr))
            eqns += len(jaxpr.eqns)
            walked.append(OpenJaxpr(jaxpr, jitted, _held(jaxpr)))
    return Census(eqns, jits)


def _held(jaxpr: Any) -> Iterator[tuple[Any, bool]]:
    """The jaxprs in the params of all eqns, in the order in which JAX traced them, each with
    whether its eqn is a jit.

    `lax.cond` and `lax.switch` both become `cond` eqns. The first traces its second branch first,
    and is known by its index, a converted bool; `switch` clamps its own (seen on 0.6.2 to 0.12).
    """
    converted = set[int]()
    for eqn in jaxpr.eqns:
        primitive = eqn.primitive.name
        if primitive == "convert_element_type":
            converted.add(id(eqn.outvars[0]))
        held = [one.jaxpr for one in jaxprs_in(eqn.params)]
        if primitive == "cond" and id(eqn.invars[0]) in converted:
            held.reverse()
        yield from ((one, primitive in ("jit", "pjit")) for one in held)
