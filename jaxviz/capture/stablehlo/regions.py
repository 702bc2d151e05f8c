"""Says what each region is to the op that holds it (`condition`, `body`), and which operands and
results of the op are its arguments and results."""

from __future__ import annotations

from jaxviz.capture.stablehlo.operations import Op, Region

_LABELS = {
    "stablehlo.while": ("condition", "body"),
    "stablehlo.if": ("true", "false"),
    "stablehlo.reduce": ("reducer",),
    "stablehlo.reduce_window": ("reducer",),
    "stablehlo.reduce_scatter": ("reducer",),
    "stablehlo.all_reduce": ("reducer",),
    "stablehlo.scatter": ("update",),
    "stablehlo.select_and_scatter": ("select", "scatter"),
    "stablehlo.sort": ("comparator",),
}
_CHOOSES = {"stablehlo.if": "pred", "stablehlo.case": "index"}
_FED = frozenset(("stablehlo.while", "sdy.manual_computation"))
_RETURNING = frozenset(("stablehlo.if", "stablehlo.case", "sdy.manual_computation"))


def label(op: Op, number: int) -> str:
    """What the region with this number is to the op: `condition`, `branch 2`."""
    labels = _LABELS.get(op.name, ())
    if number < len(labels):
        return labels[number]
    return f"branch {number}" if op.name == "stablehlo.case" else "body"


def roles(op: Op, operands: list[str]) -> list[str]:
    """The op's `schema.Eqn.roles`. `operands` are its own and, after these, the values from outside
    that its regions use: a loop carries the former, and the latter are its constants."""
    own = len(op.operands)
    if op.name == "stablehlo.while":
        return ["carry"] * own + ["const"] * (len(operands) - own)
    chooses = _CHOOSES.get(op.name)
    return [chooses] + [""] * (len(operands) - 1) if chooses else []


def inputs(op: Op, region: Region) -> list[int]:
    """For each argument of the region the index of the operand that feeds it; -1 for none."""
    count = len(region.arguments)
    fed = op.name in _FED and count == len(op.operands)
    return list(range(count)) if fed else [-1] * count


def outputs(op: Op, number: int, region: Region) -> list[int]:
    """For each result of the region the index of the op's result that it becomes; -1 for none."""
    count = len(region.results)
    loop = op.name == "stablehlo.while" and number == 1
    becomes = (loop or op.name in _RETURNING) and count == len(op.results)
    return list(range(count)) if becomes else [-1] * count
