"""Counts the arithmetic of one eqn, a formula for each kind of op, as XLA's cost analysis does.

XLA counts one flop for each element of the result of an elementwise op, whatever the dtype:
integers, comparisons, choices and conversions too. Functions such as `exp` are counted apart, as
transcendentals. Data that is only moved counts nothing. So a figure can be held against
`lowered.cost_analysis()` and `compiled.cost_analysis()`; docs/costs.md has a table of both.

In the formulas below `eqn.each` is what one run of a reducer, or of another function that the eqn
applies to elements, costs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from jaxviz.analysis.cost import functions, linalg, threefry
from jaxviz.analysis.cost.contractions import convolution, dot, library_convolution, ragged_dot
from jaxviz.analysis.cost.linalg import decomposition
from jaxviz.analysis.cost.values import Applied, Unknown, Work
from jaxviz.ops import row_of
from jaxviz.ops.targets import target_of
from jaxviz.schema import Dimensions, Sizes

Formula = Callable[[Applied], Work | int]
"""What one run of an eqn costs; a number is of flops."""


def work_of(eqn: Applied) -> Work | None:
    """The arithmetic of one run of an eqn; None where it is not known."""
    cost = row_of(eqn.op).cost
    if cost == "custom":
        cost = target_of(eqn.name).cost
    formula = linalg.library(eqn.name) if cost == "library" else FORMULAS.get(cost)
    if formula is None:
        return None
    try:
        found = formula(eqn)
    except Unknown:
        return None
    return found if isinstance(found, Work) else Work(found)


def nothing(eqn: Applied) -> int:
    return 0


def elementwise(eqn: Applied) -> Work:
    return functions.elementwise(eqn).times(eqn.output().size)


def converted(eqn: Applied) -> int:
    """One for each element, unless the dtype stays as it is. Of a complex number the real part is
    taken first."""
    given, made = eqn.input(0), eqn.output()
    if given.dtype == made.dtype and not eqn.hlo:
        return 0
    parts = given.complex and not made.complex and not eqn.hlo
    same = parts and (given.dtype, made.dtype) in _PARTS
    return made.size * (2 if parts and not same else 1)


_PARTS = {("complex64", "float32"), ("complex128", "float64")}


def read_as_another_dtype(eqn: Applied) -> int:
    """One for each element, though no bit changes."""
    return eqn.output().size


def selected(eqn: Applied) -> int:
    """One choice for each element of the result; where a number chooses among cases, it is compared
    as well, once for each case but the first."""
    cases = len(eqn.inputs) - 1
    if eqn.op == "select" or eqn.input(0).dtype == "bool":
        return eqn.output().size
    return max(0, cases - 1) * (eqn.output().size + eqn.input(0).size)


def integer_pow(eqn: Applied) -> int:
    """A power by repeated squaring: for each bit of the exponent after the first one
    multiplication, for each such bit that is set one more, and for a negative exponent a
    division."""
    power = eqn.number("y")
    bits = abs(power)
    count = max(0, bits.bit_length() + bits.bit_count() - 2) + (power < 0)
    return eqn.output().size * count


def one_minus_square(eqn: Applied) -> int:
    """Three for each element, since JAX lowers it to `(1 + x) * (1 - x)`."""
    return eqn.output().size * 3


def polynomial(eqn: Applied) -> int:
    """A polynomial by Horner's rule: one multiplication and one addition for each coefficient
    after the first. The first operand is the variable, the others are the coefficients."""
    return eqn.output().size * max(0, len(eqn.inputs) - 2) * 2


def reduction(eqn: Applied) -> Work:
    """One run of the reducer for each element that disappears: n elements become one in n - 1
    runs."""
    return _reducer(eqn).times(max(0, eqn.input(0).size - eqn.output().size))


def index_of_largest(eqn: Applied) -> int:
    """As `reduction`. Two elements are compared, and their indices where they are equal; numbers
    with a fraction are also looked at for NaN."""
    gone = max(0, eqn.input(0).size - eqn.output().size)
    return gone * (9 if eqn.input(0).floating else 7)


def cumulative(eqn: Applied) -> Work:
    """JAX lowers it to windows that reach back to the first element: for each element of the
    result, one run of the reducer less than the axis is long."""
    dims = eqn.output().dims
    [axis] = eqn.said(Dimensions).dimensions
    each = Work(8, 2) if eqn.op == "cumlogsumexp" else _reducer(eqn)
    return each.times(eqn.output().size * max(0, dims[axis] - 1) if dims else 0)


def windows(eqn: Applied) -> Work:
    """For each element of the result, one run of the reducer less than the window has places."""
    each = Work(3) if eqn.op == "select_and_gather_add" else _reducer(eqn)
    return each.times(eqn.output().size * max(0, _places(eqn) - 1))


def select_and_scatter(eqn: Applied) -> int:
    """For each element of the source one comparison less than the window has places, and one
    addition."""
    source = eqn.input(0) if eqn.op == "select_and_scatter_add" else eqn.input(1)
    return source.size * max(1, _places(eqn))


def sort(eqn: Applied) -> int:
    """n·log₂ n for all n elements of the first operand."""
    count = eqn.input(0).size
    return count * max(0, count - 1).bit_length()


def gather(eqn: Applied) -> int:
    """Nothing; but where an index out of bounds gives a fill value, each index is compared with
    both bounds, and each element of the result chosen."""
    if "FILL_OR_DROP" not in eqn.params.get("mode", ""):
        return 0
    dims = eqn.input(1).dims
    indices = eqn.input(1).size
    return 3 * indices + indices - math.prod(dims[:-1]) + eqn.output().size


def scatter(eqn: Applied) -> Work:
    """One run of the combining function for each element of the updates, which are the last third
    of the operands, and one step for each index that is moved within bounds."""
    count = len(eqn.inputs)
    arrays = max(1, (count - 1) // 2)
    updates = eqn.input(count - arrays)
    sets = eqn.each is None and eqn.op in ("scatter", "scatter_apply")
    each = eqn.each or Work(0 if sets else 1)
    moved = eqn.input(arrays).size if "CLIP" in eqn.params.get("mode", "") else 0
    found = each.times(updates.size)
    return found._replace(flops=found.flops + moved)


def applied(eqn: Applied) -> Work:
    """One run of the function for each element of the result."""
    return (eqn.each or Work(1)).times(eqn.output().size)


def accumulated(eqn: Applied) -> int:
    """One addition for each element that is added to a ref."""
    return eqn.input(1).size


def drawn(eqn: Applied) -> Work:
    """One transcendental for each random number that XLA makes, and for each 64 bits of the
    generator's state, which JAX has as 32 bits twice."""
    sizes = [value.size for value in eqn.outputs]
    halves = len(sizes) > 1 and eqn.output().dtype == "uint32"
    return Work(0, sum(sizes) - (sizes[0] // 2 if halves else 0))


def summed_over_devices(eqn: Applied) -> int:
    """One for each element of the results, on each device, as if there were two devices."""
    return sum(value.size for value in eqn.outputs)


def _reducer(eqn: Applied) -> Work:
    """One run of the reducer; where the eqn holds no function, of the op it names."""
    if eqn.each is not None:
        return eqn.each
    compares = eqn.output().complex and ("max" in eqn.op or "min" in eqn.op)
    return Work(9 if compares else 1)


def _places(eqn: Applied) -> int:
    """How many places a window has."""
    return math.prod(eqn.said(Sizes).sizes)


FORMULAS: dict[str, Formula] = {
    **dict.fromkeys(("moves", "free", "tuple", "views", "slices", "update_slice", "swap"), nothing),
    **dict.fromkeys(("elementwise", "transcendental", "function", "halves"), elementwise),
    "converted": converted,
    "bits": read_as_another_dtype,
    "selected": selected,
    "integer_pow": integer_pow,
    "one_minus_square": one_minus_square,
    "polynomial": polynomial,
    "dot": dot,
    "ragged_dot": ragged_dot,
    "convolution": convolution,
    "library_convolution": library_convolution,
    "reduction": reduction,
    "index_of_largest": index_of_largest,
    "cumulative": cumulative,
    "windows": windows,
    "select_and_scatter": select_and_scatter,
    "sort": sort,
    "gather": gather,
    "scatter": scatter,
    "add_to_ref": accumulated,
    "applied": applied,
    "drawn": drawn,
    "random_bits": threefry.random_bits,
    "random_split": threefry.random_split,
    "random_seed": threefry.random_seed,
    "random_fold_in": threefry.random_fold_in,
    "threefry2x32": threefry.threefry2x32,
    "summed_over_devices": summed_over_devices,
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
