"""What a loop hands from one turn to the next. As `js/src/model/carry.ts`."""

from __future__ import annotations

from typing import NamedTuple

from jaxviz import schema
from jaxviz.picture.model.family import plain_name


class Carry(NamedTuple):
    pairs: list[tuple[int, int]]
    """For each value the input of the body that it is, and the output that returns as it."""
    turns: str
    """`×100`, the turns of a loop whose length is known."""


def carry_of(eqn: schema.Eqn, number: int) -> Carry | None:
    """The carry of body `number` of a loop, None for what is none.

    The parameters are those of `jax.lax.scan_p` and `jax.lax.while_p`: constants come before the
    carry. In later stages, which have no such parameters, what a loop only reads comes after it.
    """
    body = eqn.bodies[number]
    if eqn.op == "scan":
        consts, count = _number(eqn, "num_consts"), _number(eqn, "num_carry")
        length = _number(eqn, "length")
    elif plain_name(eqn.op) == "while" and body.label == "body":
        consts, count, length = _number(eqn, "body_nconsts") or 0, len(body.outputs), None
    else:
        return None
    if consts is None or count is None:
        return None
    length = length if eqn.trips is None else eqn.trips
    turns = "" if length is None else f"×{length:,}"
    return Carry([(consts + k, k) for k in range(count)], turns)


def _number(eqn: schema.Eqn, name: str) -> int | None:
    """A parameter that is a whole number."""
    value = next((param.value for param in eqn.params if param.name == name), "")
    return int(value) if value.isascii() and value.isdigit() else None
