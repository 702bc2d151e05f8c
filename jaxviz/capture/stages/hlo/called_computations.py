"""What the computations that an instruction calls are to it.

A loop calls its condition and body, a fusion what it fuses. They become the bodies of its eqn,
labelled by what they are to it. XLA's `called_computation_ids` has them in an order that depends on
the opcode.
"""

from __future__ import annotations

from typing import NamedTuple

from jaxviz.schema import Body


class CalledComputation(NamedTuple):
    """A computation that an instruction calls."""

    graph: int
    """The index of its graph in the stage."""
    name: str
    parameters: int
    """How many parameters it has."""


def bodies_of(
    opcode: str, operands: int, called: list[CalledComputation], by_pred: bool
) -> tuple[Body, ...]:
    """The bodies of an instruction that calls these computations, and has so many operands.
    `by_pred` says that the first is a pred, which a conditional may choose by."""
    whole = tuple(range(operands))
    match opcode:
        case "while":
            body, condition = called
            return _body("condition", condition, whole, ()), _body("body", body, whole, (0,))
        case "conditional":
            numbered = [f"branch {number}" for number in range(len(called))]
            labels = ["true", "false"] if by_pred else numbered
            pairs = enumerate(zip(labels, called, strict=True), 1)
            return tuple(_body(label, one, (number,), (0,)) for number, (label, one) in pairs)
        case "fusion":
            return tuple(_body("fused", inner, whole, (0,)) for inner in called)
        case "call" | "async-start":
            return tuple(_body("body", inner, whole, (0,)) for inner in called)
        case "custom-call":
            return tuple(_body("called", inner, (), ()) for inner in called)
        case "select-and-scatter":
            pairs = zip(("select", "scatter"), called, strict=True)
            return tuple(_body(label, inner, (), ()) for label, inner in pairs)
        case _:
            return tuple(_body("to apply", inner, (), ()) for inner in called)


def roles_of(opcode: str, operands: int, by_pred: bool) -> tuple[str, ...]:
    """The `schema.Eqn.roles` of an instruction, as for `bodies_of`. The carry of a loop is one
    operand, a tuple."""
    match opcode:
        case "while":
            return ("carry",)
        case "conditional":
            return ("pred" if by_pred else "index",) + ("",) * (operands - 1)
        case _:
            return ()


def _body(
    label: str, called: CalledComputation, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> Body:
    """The body; its inputs are -1 if the computation takes another number of parameters."""
    if len(inputs) != called.parameters:
        inputs = (-1,) * called.parameters
    return Body(label=label, graph=called.graph, inputs=inputs, outputs=outputs or (-1,))
