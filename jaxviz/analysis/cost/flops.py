"""Floating-point operations of one eqn.

An operation makes a floating-point number of others. So an elementwise op counts one for each
element, a function such as `exp` too; comparisons, choices and conversions count none. A complex
addition counts 2, a multiplication 6, a division 11, an absolute value 4.
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
    """None where it is not known."""
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
    """By squaring: a multiplication for each bit of the exponent but the first, and one more for
    each that is set; a division where it is negative."""
    power = eqn.numbers("y")[0]
    bits = abs(power)
    count = max(0, bits.bit_length() + bits.bit_count() - 2) + (power < 0)
    if not eqn.output().floating:
        return 0
    return eqn.output().size * count * (6 if eqn.output().complex else 1)


def one_minus_square(eqn: Applied) -> int:
    """`(1 + x) * (1 - x)`: JAX lowers it so."""
    if not eqn.output().floating:
        return 0
    return eqn.output().size * (10 if eqn.output().complex else 3)


def polynomial(eqn: Applied) -> int:
    """By Horner's rule: a multiplication and an addition for each coefficient but one. The first
    operand is no coefficient."""
    if not eqn.output().floating:
        return 0
    degree = max(0, len(eqn.inputs) - 2)
    return eqn.output().size * degree * (8 if eqn.output().complex else 2)


def reduction(eqn: Applied) -> int:
    """A run of the reducer for each element that is not left."""
    left = eqn.output().size
    return max(0, eqn.input(0).size - left) * _reducer(eqn)


def cumulative(eqn: Applied) -> int:
    """A run of the reducer for each element but the first of each line."""
    dims = eqn.output().dims
    axis = eqn.numbers("axis")[0]
    if not dims or not dims[axis]:
        return 0
    return (eqn.output().size - eqn.output().size // dims[axis]) * _reducer(eqn)


def windows(eqn: Applied) -> int:
    """For each element of the result a run of the reducer for each place of the window but
    one."""
    return eqn.output().size * max(0, _places(eqn) - 1) * _reducer(eqn)


def select_and_scatter(eqn: Applied) -> int:
    """An addition for each element of the source; to select is to compare."""
    source = eqn.input(0) if eqn.op == "select_and_scatter_add" else eqn.input(1)
    return source.size if source.floating else 0


def scatter(eqn: Applied) -> int:
    """A run of the function that combines, for each element of the updates: the last third of
    the operands."""
    count = len(eqn.inputs)
    updates = eqn.input(2) if count == 3 else eqn.input(count - max(1, (count - 1) // 2))
    if eqn.each is not None:
        return updates.size * eqn.each
    return 0 if eqn.op in ("scatter", "scatter_apply") else updates.size * updates.floating


def applied(eqn: Applied) -> int:
    """A run of the function for each element of the result."""
    if eqn.each is None:
        return eqn.output().size * eqn.output().floating
    return eqn.output().size * eqn.each


def accumulated(eqn: Applied) -> int:
    """An addition for each element that is added to a ref."""
    value = eqn.input(1)
    return value.size * value.floating * (2 if value.complex else 1)


def summed_over_devices(eqn: Applied) -> int:
    """On each device about one run of the reducer for each element of its results."""
    weight = 1 if eqn.each is None else eqn.each
    return sum(value.size * value.floating * weight for value in eqn.outputs)


def scattered_over_devices(eqn: Applied) -> int:
    """A run of the reducer for each element that is not left."""
    gone = max(0, eqn.input(0).size - eqn.output().size)
    return gone * eqn.output().floating * (1 if eqn.each is None else eqn.each)


def _reducer(eqn: Applied) -> int:
    if eqn.each is not None:
        return eqn.each
    if not eqn.output().floating:
        return 0
    if not eqn.output().complex:
        return 1
    return 6 if "prod" in eqn.op or "mul" in eqn.op else 2


def _places(eqn: Applied) -> int:
    """Elements of a window: of `window_dimensions`, or of HLO's `{size=2x2 …}`."""
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
"""By the names that rows of `jaxviz/ops` give. Those without arithmetic on floating-point numbers
differ in the bytes that they move: `moved.py`."""
