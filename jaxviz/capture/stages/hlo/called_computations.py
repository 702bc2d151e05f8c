"""What the computations that an instruction calls are to it.

A loop calls its condition and body, a fusion what it fuses. They become the bodies of its eqn,
labelled by what they are to it. XLA's `called_computation_ids` has them in an order that depends on
the opcode.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxviz.capture.stages.hlo.shapes import primitive_types
from jaxviz.schema import Body


class CalledComputation(NamedTuple):
    """A computation that an instruction calls."""

    graph: int
    """The index of its graph in the stage."""
    name: str
    parameters: int
    """How many parameters it has."""


def bodies_of(opcode: str, operands: list[Any], called: list[CalledComputation]) -> list[Body]:
    """The bodies of an instruction that calls these computations. `operands` has the `ShapeProto`
    of each of its operands."""
    whole = list(range(len(operands)))
    match opcode:
        case "while":
            body, condition = called
            return [_body("condition", condition, whole, []), _body("body", body, whole, [0])]
        case "conditional":
            labels = _branches(operands[0], len(called))
            pairs = enumerate(zip(labels, called, strict=True), 1)
            return [_body(label, branch, [number], [0]) for number, (label, branch) in pairs]
        case "fusion":
            return [_body("fused", inner, whole, [0]) for inner in called]
        case "call" | "async-start":
            return [_body("body", inner, whole, [0]) for inner in called]
        case "custom-call":
            return [_body("called", inner, [], []) for inner in called]
        case "select-and-scatter":
            pairs = zip(("select", "scatter"), called, strict=True)
            return [_body(label, inner, [], []) for label, inner in pairs]
        case _:
            return [_body("to apply", inner, [], []) for inner in called]


def roles_of(opcode: str, operands: list[Any]) -> list[str]:
    """The `schema.Eqn.roles` of an instruction with operands of these shapes. The carry of a loop
    is one operand, a tuple."""
    match opcode:
        case "while":
            return ["carry"]
        case "conditional":
            chooses = "pred" if _is_pred(operands[0]) else "index"
            return [chooses] + [""] * (len(operands) - 1)
        case _:
            return []


def _branches(chosen_by: Any, count: int) -> list[str]:
    """The labels of the branches: `true` and `false` if a pred chooses, else numbers from 0."""
    if _is_pred(chosen_by):
        return ["true", "false"]
    return [f"branch {number}" for number in range(count)]


def _is_pred(shape: Any) -> bool:
    return primitive_types()[shape.element_type] == "pred"


def _body(label: str, called: CalledComputation, inputs: list[int], outputs: list[int]) -> Body:
    """The body; its inputs are -1 if the computation takes another number of parameters."""
    if len(inputs) != called.parameters:
        inputs = [-1] * called.parameters
    return Body(label=label, graph=called.graph, inputs=inputs, outputs=outputs or [-1])
