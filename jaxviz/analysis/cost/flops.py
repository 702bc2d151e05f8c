"""The arithmetic of one eqn: one formula for each kind of op, with the rules of XLA's cost
analysis.

XLA counts one flop for each element of the result of an elementwise op, whatever the dtype. This
includes integers, comparisons, selects and conversions. Functions such as `exp` count separately,
as transcendentals. Moving data counts nothing. So a figure is comparable with
`lowered.cost_analysis()` and `compiled.cost_analysis()`; docs/costs.md compares both.

In the formulas, `eqn.each` is the cost of one run of a reducer, or of another function that the eqn
applies to elements.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from jaxviz.analysis.cost import function_flops
from jaxviz.analysis.cost.function_flops import decomposition
from jaxviz.analysis.cost.values import CostedEqn, Unknown, Work
from jaxviz.ops import row_of
from jaxviz.ops.targets import target_of
from jaxviz.schema import Convolution, Dimensions, Dot, Sizes


def dot(eqn: CostedEqn) -> int:
    """Flops of a matrix product: for each element of the result, one multiplication and one
    addition for each index that is summed over."""
    dims = eqn.input(0).dims
    return 2 * eqn.output().size * math.prod(dims[axis] for axis in eqn.attributes_as(Dot).lhs)


def ragged_dot(eqn: CostedEqn) -> Work:
    """At least the flops of `dot` for each row with the matrix of its own group. On CPU a row is
    multiplied with all matrices. Raises Unknown if the summed dimension is split into groups."""
    if len(eqn.output().dims) != len(eqn.input(0).dims):
        raise Unknown
    return Work(dot(eqn), least=True)


def convolution(eqn: CostedEqn) -> int:
    """Flops of a convolution, counted like `HandleConvolution` in XLA's `hlo_cost_analysis.cc`: one
    product for each element of the result, each input feature of its group, and each place of the
    window on an element of the input. Places in the padding or between dilated elements are not
    computed. For complex numbers JAX lowers three convolutions of their parts."""
    lhs, rhs, out = eqn.input(0).dims, eqn.input(1).dims, eqn.output().dims
    dims = eqn.attributes_as(Convolution)
    count = out[dims.out.index("b")] * out[dims.out.index("f")] * rhs[dims.rhs.index("i")]
    for axis, (stride, low, dilation, spread) in enumerate(
        zip(dims.strides, dims.padding, dims.lhs_dilation, dims.rhs_dilation, strict=True)
    ):
        left, right, result = (labels.index(str(axis)) for labels in (dims.lhs, dims.rhs, dims.out))
        count *= taps(lhs[left], rhs[right], out[result], stride, low, dilation, spread)
    if not eqn.output().complex or eqn.op != "conv_general_dilated":
        return 2 * count
    parts = 3 * eqn.input(0).size + 4 * eqn.input(1).size + 3 * eqn.output().size
    return 3 * 2 * count + parts


def library_convolution(eqn: CostedEqn) -> int:
    """Flops of a convolution by cuDNN, or of one of its gradients.

    A gradient has the window, the dimensions and the products of the convolution itself. (XLA's
    `GetConvolutionFlops` in `gpu_hlo_cost_analysis.cc` counts it as a convolution of its operands.)
    A bias or another operand adds one flop for each element of the result, and so does an
    activation function.
    """
    first, second, made = eqn.input(0), eqn.input(1), eqn.output()
    lhs, rhs, out = first, second, made
    if "BackwardInput" in eqn.name:
        lhs, rhs, out = made, second, first
    if "BackwardFilter" in eqn.name:
        lhs, rhs, out = first, made, second
    added = len(eqn.inputs) - 2
    count = convolution(replace(eqn, inputs=[lhs, rhs], outputs=[out]))
    return count + made.size * (added + eqn.attributes_as(Convolution).activated)


@lru_cache(maxsize=4096)
def taps(
    size: int, window: int, out: int, stride: int, low: int, dilation: int, spread: int
) -> int:
    """The number of pairs, along one dimension, of an element of the result and a place of the
    window that is on an element of the input. Takes time linear in the shorter of the two."""
    last = (size - 1) * dilation
    if window <= out:
        return sum(
            _hits(out, stride, place * spread - low, last, dilation) for place in range(window)
        )
    return sum(_hits(window, spread, place * stride - low, last, dilation) for place in range(out))


def _hits(count: int, step: int, start: int, last: int, dilation: int) -> int:
    """The number of k from 0 to `count - 1` for which `start + k * step` is a multiple of
    `dilation` between 0 and `last`."""
    first = max(0, -(start // step))
    stop = min(count, (last - start) // step + 1)
    period = dilation // math.gcd(step, dilation)
    for k in range(first, min(stop, first + period)):
        if (start + k * step) % dilation == 0:
            return (stop - k + period - 1) // period
    return 0


Formula = Callable[[CostedEqn], Work | int]
"""The cost of one run of an eqn; a number means flops."""


def work_of(eqn: CostedEqn) -> Work | None:
    """The arithmetic of one run of an eqn; None if unknown."""
    cost = row_of(eqn.op).cost
    if cost == "custom":
        cost = target_of(eqn.name).cost
    formula = function_flops.library(eqn.name) if cost == "library" else FORMULAS.get(cost)
    if formula is None:
        return None
    try:
        found = formula(eqn)
    except Unknown:
        return None
    return found if isinstance(found, Work) else Work(found)


def nothing(eqn: CostedEqn) -> int:
    return 0


def elementwise(eqn: CostedEqn) -> Work:
    return function_flops.elementwise(eqn).times(eqn.output().size)


def converted(eqn: CostedEqn) -> int:
    """One for each element, unless the dtype is unchanged. To convert a complex number to a real
    one, its real part is taken first."""
    operand, made = eqn.input(0), eqn.output()
    if operand.dtype == made.dtype and not eqn.hlo:
        return 0
    parts = operand.complex and not made.complex and not eqn.hlo
    same = parts and (operand.dtype, made.dtype) in _PARTS
    return made.size * (2 if parts and not same else 1)


_PARTS = {("complex64", "float32"), ("complex128", "float64")}


def read_as_another_dtype(eqn: CostedEqn) -> int:
    """One for each element, as XLA counts, although no bit changes."""
    return eqn.output().size


def selected(eqn: CostedEqn) -> int:
    """One choice for each element of the result. If the first operand is a number, it is compared
    with each case except the first."""
    cases = len(eqn.inputs) - 1
    if eqn.op == "select" or eqn.input(0).dtype == "bool":
        return eqn.output().size
    return max(0, cases - 1) * (eqn.output().size + eqn.input(0).size)


def integer_pow(eqn: CostedEqn) -> int:
    """A power by repeated squaring: one multiplication for each bit of the exponent after the
    first, one more for each such bit that is set, and a division for a negative exponent."""
    power = eqn.number("y")
    bits = abs(power)
    count = max(0, bits.bit_length() + bits.bit_count() - 2) + (power < 0)
    return eqn.output().size * count


def one_minus_square(eqn: CostedEqn) -> int:
    """Three for each element, since JAX lowers it to `(1 + x) * (1 - x)`."""
    return eqn.output().size * 3


def polynomial(eqn: CostedEqn) -> int:
    """A polynomial by Horner's rule: one multiplication and one addition for each coefficient
    after the first. The first operand is the variable, the others are the coefficients."""
    return eqn.output().size * max(0, len(eqn.inputs) - 2) * 2


def reduction(eqn: CostedEqn) -> Work:
    """One run of the reducer for each element less: n - 1 runs make one element of n."""
    return _reducer(eqn).times(max(0, eqn.input(0).size - eqn.output().size))


def index_of_largest(eqn: CostedEqn) -> int:
    """The same count as in `reduction`, with several steps in each run. Two elements are compared,
    and their indices if they are equal. Floating-point numbers are also compared with NaN."""
    gone = max(0, eqn.input(0).size - eqn.output().size)
    return gone * (9 if eqn.input(0).floating else 7)


def cumulative(eqn: CostedEqn) -> Work:
    """JAX lowers it to windows that reach back to the first element. For each element of the
    result, the reducer runs once less than the axis is long."""
    dims = eqn.output().dims
    [axis] = eqn.attributes_as(Dimensions).dimensions
    each = Work(8, 2) if eqn.op == "cumlogsumexp" else _reducer(eqn)
    return each.times(eqn.output().size * max(0, dims[axis] - 1) if dims else 0)


def windows(eqn: CostedEqn) -> Work:
    """For each element of the result, the reducer runs once less than the window has elements."""
    each = Work(3) if eqn.op == "select_and_gather_add" else _reducer(eqn)
    return each.times(eqn.output().size * max(0, _places(eqn) - 1))


def select_and_scatter(eqn: CostedEqn) -> int:
    """For each element of the source, one addition, and one comparison less than the window has
    elements."""
    source = eqn.input(0) if eqn.op == "select_and_scatter_add" else eqn.input(1)
    return source.size * max(1, _places(eqn))


def sort(eqn: CostedEqn) -> int:
    """n·log₂ n for all n elements of the first operand."""
    count = eqn.input(0).size
    return count * max(0, count - 1).bit_length()


def gather(eqn: CostedEqn) -> int:
    """Nothing, unless an index out of bounds gives a fill value: then each index is compared with
    both bounds, and each element of the result is selected."""
    if "FILL_OR_DROP" not in eqn.params.get("mode", ""):
        return 0
    dims = eqn.input(1).dims
    indices = eqn.input(1).size
    return 3 * indices + indices - math.prod(dims[:-1]) + eqn.output().size


def scatter(eqn: CostedEqn) -> Work:
    """One run of the combining function for each element of the updates (the last third of the
    operands), and one step for each index that is clamped to the bounds."""
    count = len(eqn.inputs)
    arrays = max(1, (count - 1) // 2)
    updates = eqn.input(count - arrays)
    sets = eqn.each is None and eqn.op in ("scatter", "scatter_apply")
    each = eqn.each or Work(0 if sets else 1)
    moved = eqn.input(arrays).size if "CLIP" in eqn.params.get("mode", "") else 0
    found = each.times(updates.size)
    return found._replace(flops=found.flops + moved)


def applied(eqn: CostedEqn) -> Work:
    """One run of the function for each element of the result."""
    return (eqn.each or Work(1)).times(eqn.output().size)


def accumulated(eqn: CostedEqn) -> int:
    """One addition for each element that is added to a ref."""
    return eqn.input(1).size


def drawn(eqn: CostedEqn) -> Work:
    """One transcendental for each random number that XLA makes, and for each 64 bits of the state
    of the generator. JAX stores these as two 32-bit numbers."""
    sizes = [value.size for value in eqn.outputs]
    halves = len(sizes) > 1 and eqn.output().dtype == "uint32"
    return Work(0, sum(sizes) - (sizes[0] // 2 if halves else 0))


def summed_over_devices(eqn: CostedEqn) -> int:
    """One for each element of the results on each device, as for two devices."""
    return sum(value.size for value in eqn.outputs)


def _reducer(eqn: CostedEqn) -> Work:
    """The cost of one run of the reducer. Without one, it is that of the op that the eqn names."""
    if eqn.each is not None:
        return eqn.each
    compares = eqn.output().complex and ("max" in eqn.op or "min" in eqn.op)
    return Work(9 if compares else 1)


def _places(eqn: CostedEqn) -> int:
    """The number of places of a window."""
    return math.prod(eqn.attributes_as(Sizes).sizes)


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
    "random_bits": function_flops.random_bits,
    "random_split": function_flops.random_split,
    "random_seed": function_flops.random_seed,
    "random_fold_in": function_flops.random_fold_in,
    "threefry2x32": function_flops.threefry2x32,
    "summed_over_devices": summed_over_devices,
    "fft": function_flops.fft,
    "cholesky": decomposition(function_flops.cholesky),
    "lu": decomposition(function_flops.lu),
    "qr": decomposition(function_flops.qr),
    "householder_qr": decomposition(function_flops.householder_qr),
    "householder_product": decomposition(function_flops.householder_product),
    "eigh": decomposition(function_flops.eigh),
    "eig": decomposition(function_flops.eig),
    "hessenberg": decomposition(function_flops.hessenberg),
    "tridiagonal": decomposition(function_flops.tridiagonal),
    "svd": function_flops.any_svd,
    "triangular_solve": function_flops.triangular_solve,
    "tridiagonal_solve": function_flops.tridiagonal_solve,
}
"""The formulas by the `cost` in rows of `jaxviz/ops`. The kinds of cost in the first line compute
nothing; they differ in the bytes that they move (`bytes_moved.py`)."""
