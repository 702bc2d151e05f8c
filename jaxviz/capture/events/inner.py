"""The jitted functions within a jaxpr."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxviz.capture.walk import jaxprs_in

_LIMIT = 200_000
"""Eqns that are counted at most."""


class Census(NamedTuple):
    """What a jaxpr holds, each body once."""

    eqns: int
    jits: list[Any]
    """The jaxprs of `jit` eqns, outermost first."""


def census(root: Any) -> Census:
    """Counts eqns, and finds the jaxprs of functions that were called through a jit."""
    jaxprs, known, jits, eqns = [root], {id(root)}, list[Any](), 0
    for jaxpr in jaxprs:
        eqns += len(jaxpr.eqns)
        if eqns > _LIMIT:
            break
        for eqn in jaxpr.eqns:
            for held in jaxprs_in(eqn.params):
                if id(held.jaxpr) not in known:
                    known.add(id(held.jaxpr))
                    jaxprs.append(held.jaxpr)
                    if eqn.primitive.name in ("jit", "pjit"):
                        jits.append(held.jaxpr)
    return Census(eqns, jits)
