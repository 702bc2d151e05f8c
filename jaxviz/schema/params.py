"""The parameters of an eqn, as text."""

from __future__ import annotations

from collections.abc import Iterable

from jaxviz.schema.record import Record


class Param(Record, frozen=True):
    """One parameter of an eqn, as readable text.

    Parameters that only say what the operands are to the eqn are left out: `Eqn.roles` has that.
    """

    name: str
    value: str
    """At most 400 characters. Arrays are never written out, only their type."""
    size: int
    """How many characters the whole value has: more than `value` where it was cut."""


def param_of(params: Iterable[Param], name: str) -> str:
    """Find the text of a parameter; empty where there is none of that name."""
    return next((param.value for param in params if param.name == name), "")
