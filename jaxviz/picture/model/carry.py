"""What a loop hands from one turn to the next. As `js/src/facts/loop-carry.ts`."""

from __future__ import annotations

from typing import NamedTuple

from jaxviz import schema


class Carry(NamedTuple):
    pairs: list[tuple[int, int]]
    """For each value the input of the body that it is, and the output that returns as it."""
    turns: str
    """`×100`, the turns of a loop whose length is known."""


def carry_of(eqn: schema.Eqn, number: int) -> Carry | None:
    """The carry of body `number` of a loop, None for what is none."""
    body = eqn.bodies[number]
    if body.label != "body" or "carry" not in eqn.roles:
        return None
    inputs = [
        place
        for place, operand in enumerate(body.inputs)
        if operand >= 0 and eqn.roles[operand] == "carry"
    ]
    turns = "" if eqn.trips is None else f"×{eqn.trips:,}"
    return Carry(list(zip(inputs, range(len(body.outputs)), strict=False)), turns)
