"""What a computation is to the instruction that calls it, and which operand feeds which of its
parameters. In the order of `called_computation_ids`, as XLA's instructions keep them."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxviz.capture.hlo.messages import primitive_types
from jaxviz.schema import Body


class Called(NamedTuple):
    """A computation that an instruction calls."""

    graph: int
    parameters: int


def bodies_of(instruction: Any, called: list[Called], shapes: list[Any]) -> list[Body]:
    """`shapes` are those of its operands."""
    operands = list(range(len(instruction.operand_ids)))
    match instruction.opcode:
        case "while":
            body, condition = called
            return [
                _body("condition", condition, operands, []),
                _body("body", body, operands, [0]),
            ]
        case "conditional":
            chosen = primitive_types()[shapes[0].element_type] == "pred"
            labels = ["true", "false"] if chosen else [f"branch {n}" for n in range(len(called))]
            return [
                _body(label, branch, [number], [0])
                for number, (label, branch) in enumerate(zip(labels, called, strict=True), 1)
            ]
        case "fusion":
            return [_body("fused", inner, operands, [0]) for inner in called]
        case "call" | "async-start":
            return [_body("body", inner, operands, [0]) for inner in called]
        case "custom-call":
            return [_body("called", inner, [], []) for inner in called]
        case "select-and-scatter":
            return [
                _body(*pair, [], []) for pair in zip(("select", "scatter"), called, strict=True)
            ]
        case _:
            return [_body("to apply", inner, [], []) for inner in called]


def _body(label: str, called: Called, inputs: list[int], outputs: list[int]) -> Body:
    """A computation of another number of parameters is not matched: its operands are elements."""
    if len(inputs) != called.parameters:
        inputs = [-1] * called.parameters
    return Body(label=label, graph=called.graph, inputs=inputs, outputs=outputs or [-1])
