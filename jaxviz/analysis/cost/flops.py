"""Counts the floating-point operations (flops) of one eqn: a formula for each kind of op.

A flop is a step that computes a floating-point number from others. So an elementwise op counts one
for each element, a function such as `exp` too; comparisons, choices and conversions count none. A
complex addition counts 2, a multiplication 6, a division 11, an absolute value 4.

In the formulas below `eqn.each` is what one run of a reducer, or of another function that the eqn
applies to elements, costs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from jaxviz.analysis.cost import linalg
from jaxviz.analysis.cost.contractions import convolution, dot, ragged_dot
from jaxviz.analysis.cost.linalg import decomposition
from jaxviz.analysis.cost.values import Applied, Unknown, Value, numbers_in
from jaxviz.ops import row_of
from jaxviz.ops.targets import target_of

Formula = Callable[[Applied], int]


def flops_of(eqn: Applied) -> int | None:
    """The flops of one run of an eqn; None where they are not known."""
    cost = row_of(eqn.op).cost
    if cost == "custom":
        cost = target_of(eqn.name).cost
    formula = linalg.library(eqn.name) if cost == "library" else FORMULAS.get(cost)
    if formula is None:
        return None
    try:
        return formula(eqn)
    except Unknown:
        return None


def nothing(eqn: Applied) -> int:
    return 0


def elementwise(eqn: Applied) -> int:
    """One for each element of the result."""
    return eqn.output().size * _weight(eqn.op, eqn.output(), eqn.inputs)


_COMPLEX = {"mul": 6, "multiply": 6, "square": 6, "div": 11, "divide": 11, "abs": 4}
_PAIRS = frozenset(("add", "add_any", "sub", "subtract", "neg", "negate"))


def _weight(op: str, result: Value, inputs: list[Value]) -> int:
    if not result.floating:
        return 0
    if inputs and inputs[-1].complex:
        return 2 if op in _PAIRS else _COMPLEX.get(op, 1)
    return 1


def integer_pow(eqn: Applied) -> int:
    """A power by repeated squaring: for each bit of the exponent after the first one
    multiplication, for each such bit that is set one more, and for a negative exponent a
    division."""
    power = eqn.numbers("y")[0]
    bits = abs(power)
    count = max(0, bits.bit_length() + bits.bit_count() - 2) + (power < 0)
    if not eqn.output().floating:
        return 0
    return eqn.output().size * count * (6 if eqn.output().complex else 1)


def one_minus_square(eqn: Applied) -> int:
    """Three for each element, since JAX lowers it to `(1 + x) * (1 - x)`."""
    if not eqn.output().floating:
        return 0
    return eqn.output().size * (10 if eqn.output().complex else 3)


def polynomial(eqn: Applied) -> int:
    """A polynomial by Horner's rule: one multiplication and one addition for each coefficient
    after the first. The first operand is the variable, the others are the coefficients."""
    if not eqn.output().floating:
        return 0
    degree = max(0, len(eqn.inputs) - 2)
    return eqn.output().size * degree * (8 if eqn.output().complex else 2)


def reduction(eqn: Applied) -> int:
    """One run of the reducer for each element that disappears: n elements become one in n - 1
    runs."""
    return max(0, eqn.input(0).size - eqn.output().size) * _reducer(eqn)


def cumulative(eqn: Applied) -> int:
    """One run of the reducer for each element, except the first along the axis."""
    dims = eqn.output().dims
    axis = eqn.numbers("axis")[0]
    if not dims or not dims[axis]:
        return 0
    return (eqn.output().size - eqn.output().size // dims[axis]) * _reducer(eqn)


def windows(eqn: Applied) -> int:
    """For each element of the result, one run of the reducer less than the window has places."""
    return eqn.output().size * max(0, _places(eqn) - 1) * _reducer(eqn)


def select_and_scatter(eqn: Applied) -> int:
    """One addition for each element of the source. Selecting only compares, which counts none."""
    source = eqn.input(0) if eqn.op == "select_and_scatter_add" else eqn.input(1)
    return source.size if source.floating else 0


def scatter(eqn: Applied) -> int:
    """One run of the combining function for each element of the updates, which are the last third
    of the operands."""
    count = len(eqn.inputs)
    updates = eqn.input(2) if count == 3 else eqn.input(count - max(1, (count - 1) // 2))
    if eqn.each is not None:
        return updates.size * eqn.each
    return 0 if eqn.op in ("scatter", "scatter_apply") else updates.size * updates.floating


def applied(eqn: Applied) -> int:
    """One run of the function for each element of the result."""
    if eqn.each is None:
        return eqn.output().size * eqn.output().floating
    return eqn.output().size * eqn.each


def accumulated(eqn: Applied) -> int:
    """One addition for each element that is added to a ref."""
    value = eqn.input(1)
    return value.size * value.floating * (2 if value.complex else 1)


def summed_over_devices(eqn: Applied) -> int:
    """About one run of the reducer for each element of the results, on each device."""
    weight = 1 if eqn.each is None else eqn.each
    return sum(value.size * value.floating * weight for value in eqn.outputs)


def scattered_over_devices(eqn: Applied) -> int:
    """One run of the reducer for each element that disappears, as of a reduction."""
    gone = max(0, eqn.input(0).size - eqn.output().size)
    return gone * eqn.output().floating * (1 if eqn.each is None else eqn.each)


def _reducer(eqn: Applied) -> int:
    """Flops of one run of the reducer; where the eqn holds no function, of the op it names."""
    if eqn.each is not None:
        return eqn.each
    if not eqn.output().floating:
        return 0
    if not eqn.output().complex:
        return 1
    return 6 if "prod" in eqn.op or "mul" in eqn.op else 2


def _places(eqn: Applied) -> int:
    """How many places a window has, from `window_dimensions` or from HLO's `{size=2x2 …}`."""
    text = eqn.params.get("window", "")
    size = re.search(r"size=([\dx]+)", text)
    if size:
        return math.prod(int(part) for part in size[1].split("x"))
    if "window_dimensions" in eqn.params:
        return math.prod(numbers_in(eqn.params["window_dimensions"]))
    return 1


FORMULAS: dict[str, Formula] = {
    **dict.fromkeys(
        ("moves", "free", "views", "slices", "halves", "update_slice", "swap"), nothing
    ),
    "elementwise": elementwise,
    "integer_pow": integer_pow,
    "one_minus_square": one_minus_square,
    "polynomial": polynomial,
    "dot": dot,
    "ragged_dot": ragged_dot,
    "convolution": convolution,
    "reduction": reduction,
    "cumulative": cumulative,
    "windows": windows,
    "select_and_scatter": select_and_scatter,
    "scatter": scatter,
    "add_to_ref": accumulated,
    "applied": applied,
    "summed_over_devices": summed_over_devices,
    "scattered_over_devices": scattered_over_devices,
    "fft": linalg.fft,
    "cholesky": decomposition(linalg.cholesky),
    "lu": decomposition(linalg.lu),
    "qr": decomposition(linalg.qr),
    "householder_qr": decomposition(linalg.householder_qr),
    "householder_product": decomposition(linalg.householder_product),
    "eigh": decomposition(linalg.eigh),
    "eig": decomposition(linalg.eig),
    "hessenberg": decomposition(linalg.hessenberg),
    "tridiagonal": decomposition(linalg.tridiagonal),
    "svd": linalg.any_svd,
    "triangular_solve": linalg.triangular_solve,
    "tridiagonal_solve": linalg.tridiagonal_solve,
}
"""The formulas by the name that a row of `jaxviz/ops` gives as its `cost`. The names of the first
line compute nothing; they differ in the bytes that they move (`moved.py`)."""
