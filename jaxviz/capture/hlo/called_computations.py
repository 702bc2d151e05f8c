"""Finds what each computation is to the instruction that calls it, and which operand feeds which of
its parameters. Computations come in the order of XLA's `called_computation_ids`."""

from __future__ import annotations

from typing import Any, NamedTuple

from jaxviz.capture.hlo.messages import primitive_types
from jaxviz.schema import Body


class Called(NamedTuple):
    """A computation that an instruction calls."""

    graph: int
    name: str
    parameters: int


def bodies_of(opcode: str, operands: list[Any], called: list[Called]) -> list[Body]:
    """`operands` are the shapes of the instruction's."""
    if not called:
        return []
    whole = list(range(len(operands)))
    match opcode:
        case "while":
            body, condition = called
            return [
                _body("condition", condition, whole, []),
                _body("body", body, whole, [0]),
            ]
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
    """As `schema.Eqn.roles`, of an instruction whose operands have these shapes. The carry of a
    loop is one tuple."""
    match opcode:
        case "while":
            return ["carry"]
        case "conditional":
            chooses = "pred" if _is_pred(operands[0]) else "index"
            return [chooses] + [""] * (len(operands) - 1)
        case _:
            return []


def _branches(chosen_by: Any, count: int) -> list[str]:
    """Two are chosen by a pred, of more each by its number."""
    if _is_pred(chosen_by):
        return ["true", "false"]
    return [f"branch {number}" for number in range(count)]


def _is_pred(shape: Any) -> bool:
    return primitive_types()[shape.element_type] == "pred"


def _body(label: str, called: Called, inputs: list[int], outputs: list[int]) -> Body:
    """Not matched where the computation takes something else than the operands."""
    if len(inputs) != called.parameters:
        inputs = [-1] * called.parameters
    return Body(label=label, graph=called.graph, inputs=inputs, outputs=outputs or [-1])
