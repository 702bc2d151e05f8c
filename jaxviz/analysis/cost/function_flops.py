"""The arithmetic of functions that XLA has no op for: elementwise functions, Threefry, linear
algebra.

XLA counts `exp`, `tanh` and similar functions as one transcendental (`HandleElementwiseOp` in its
`hlo_cost_analysis.cc`). JAX lowers other functions before XLA counts, `lgamma` to 53 operations and
4 transcendentals. The figures are those of XLA's cost analysis of the lowered function, for each
element; `tests/analysis/test_cost_functions.py` compares them with XLA.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from jaxviz.analysis.cost.values import CostedEqn, Unknown, Work
from jaxviz.ops import row_of
from jaxviz.schema import Sizes


def elementwise(eqn: CostedEqn) -> Work:
    """The cost of one element of the result. Optimized HLO has other functions only as their
    steps."""
    row = row_of(eqn.op)
    if eqn.hlo:
        return Work(0, 1) if row.cost == "transcendental" else Work(1)
    if eqn.inputs and eqn.input(0).complex:
        found = COMPLEX.get(row.name)
        if found is not None:
            return found
    if row.cost == "transcendental":
        return Work(0, 1)
    return _function(row.name, eqn) if row.cost == "function" else Work(1)


def _function(name: str, eqn: CostedEqn) -> Work:
    if name not in FUNCTIONS or not eqn.output().floating:
        raise Unknown
    dtype = eqn.output().dtype
    if dtype in ("float64", "f64"):
        return DOUBLE.get(name, FUNCTIONS[name])
    if dtype not in ("float32", "f32") and name in WIDENED:
        return FUNCTIONS[name]._replace(flops=FUNCTIONS[name].flops + 2)
    return FUNCTIONS[name]


FUNCTIONS: Mapping[str, Work] = {
    "exp2": Work(1, 1),
    "log2": Work(1, 1),
    "logistic": Work(3, 1),
    "asin": Work(3, 2, least=True),  # 5 before jax 0.12
    "acos": Work(3, 2),
    "sinh": Work(10, 3),
    "cosh": Work(3, 2),
    "asinh": Work(11, 3),
    "acosh": Work(7, 4),
    "atanh": Work(6, 2),
    "erfc": Work(62, 1),
    "erf_inv": Work(37, 2),
    "lgamma": Work(53, 0, least=True),  # and 4 transcendentals before jax 0.12, then 292 flops
    "digamma": Work(73, 3),  # 75 since jax 0.12
    "bessel_i0e": Work(83, 1, least=True),  # 87 in jax 0.6
    "bessel_i1e": Work(83, 1, least=True),
    "nextafter": Work(22, least=True),  # 24 where neither operand is a constant
    "next_after": Work(22, least=True),
    "is_inf": Work(2),
}
"""Costs for real numbers in float32, and in all dtypes without another table. A cost that differs
between versions of XLA by more than two percent is a lower bound (`Work.least`)."""

DOUBLE: Mapping[str, Work] = {
    "erfc": Work(90, 1),
    "erf_inv": Work(100, 2),
    "bessel_i0e": Work(173, 1, least=True),
    "bessel_i1e": Work(173, 1, least=True),
}
"""Costs in float64, if they are not those in float32."""

WIDENED = ("sinh", "cosh", "erfc", "erf_inv", "lgamma", "digamma", "bessel_i0e", "bessel_i1e")
"""Functions that JAX computes in float32 for smaller dtypes: the element and the result are
cast."""

COMPLEX: Mapping[str, Work] = {
    "abs": Work(1, 0, least=True),  # 25 and 1 since jax 0.12
    "conj": Work(4),
    "square": Work(14, 0, least=True),  # 16 in jax 0.6
    "sqrt": Work(86, 7),
    **dict.fromkeys(("exp", "exponential"), Work(15, 4)),
    "exp2": Work(16, 4),
    "log": Work(62, 4),
    "log2": Work(64, 4),
    **dict.fromkeys(("log1p", "log_plus_one"), Work(79, 5)),
    "logistic": Work(18, 4),
    **dict.fromkeys(("sin", "sine"), Work(14, 4)),
    **dict.fromkeys(("cos", "cosine"), Work(15, 4)),
    "asin": Work(105, 9),
    "acos": Work(105, 9),
    "atan": Work(47, 2),
    "sinh": Work(95, 12),
    "cosh": Work(95, 12),
    "asinh": Work(104, 9),
    "acosh": Work(105, 9),
    "atanh": Work(45, 2),
    **dict.fromkeys(("max", "min"), Work(9)),
}
"""Costs for complex numbers. A function in no table counts as one operation, as in XLA."""


# Random numbers by Threefry, JAX's default generator, which hashes a counter with a key.
#
# XLA counts its integer arithmetic. The figures are those of the StableHLO that JAX lowers each
# primitive to, with all iterations of its loop (`tests/analysis/test_cost_functions.py`).

ONCE = 45
"""The operations of one call of the hash that do not depend on the hashed amount."""


def threefry2x32(eqn: CostedEqn) -> int:
    return 119 * eqn.output().size + ONCE


def random_bits(eqn: CostedEqn) -> int:
    """Raises Unknown for numbers of more than 32 bits, which JAX makes from two numbers."""
    width = eqn.number("bit_width")
    if width > 32:
        raise Unknown
    return _hashed(eqn, 118 + (width < 32))


def random_split(eqn: CostedEqn) -> int:
    return _hashed(eqn, 117)


def random_seed(eqn: CostedEqn) -> int:
    return 4 * eqn.input(0).size


def random_fold_in(eqn: CostedEqn) -> int:
    return 121 * _keys(eqn) + ONCE


def _hashed(eqn: CostedEqn, each: int) -> int:
    """The operations for the numbers in `shape` of every key; their counters are made once. The
    last stride is 1 and needs no multiplication."""
    shape = eqn.attributes_as(Sizes).sizes
    count = math.prod(shape)
    counted = (1 + 2 * len(shape)) * count if shape else 0
    return _keys(eqn) * (each * count + 2) + counted + ONCE


def _keys(eqn: CostedEqn) -> int:
    """The number of keys in the first operand. Raises Unknown for keys of another generator."""
    if eqn.input(0).dtype != "key<fry>":
        raise Unknown
    return eqn.input(0).size


# The FFT, as XLA counts it, and matrix decompositions. XLA counts no decomposition, because it
# calls a library for them: the figures are the leading terms of textbooks.
#
# GVL is Golub and Van Loan, *Matrix Computations*, 4th edition. The counts are for real matrices,
# m by n with m ≥ n; complex matrices take four times as many.


def cholesky(m: int, n: int) -> int:
    """n³/3 (GVL 4.2.5)."""
    return n**3 // 3


def lu(m: int, n: int) -> int:
    """n²(m − n/3), which is 2n³/3 for a square matrix (GVL 3.2.11)."""
    return n * n * (3 * m - n) // 3


def householder_qr(m: int, n: int) -> int:
    """2n²(m − n/3), leaving Q as its reflections (GVL 5.2.2)."""
    return 2 * n * n * (3 * m - n) // 3


def householder_product(m: int, n: int) -> int:
    """2n²(m − n/3), to multiply n reflections out into a matrix (GVL 5.1.6)."""
    return 2 * n * n * (3 * m - n) // 3


def qr(m: int, n: int) -> int:
    """The reflections, and Q multiplied out of them."""
    return householder_qr(m, n) + householder_product(m, n)


def eigh(m: int, n: int) -> int:
    """9n³ with eigenvectors (GVL 8.3.3)."""
    return 9 * n**3


def eig(m: int, n: int) -> int:
    """25n³ with eigenvectors (GVL 7.5.6)."""
    return 25 * n**3


def hessenberg(m: int, n: int) -> int:
    """10n³/3 (GVL 7.4.3)."""
    return 10 * n**3 // 3


def tridiagonal(m: int, n: int) -> int:
    """4n³/3 (GVL 8.3.1)."""
    return 4 * n**3 // 3


def svd(m: int, n: int) -> int:
    """14mn² + 8n³ with the first n singular vectors of either side (GVL 8.6.3)."""
    return 14 * m * n * n + 8 * n**3


def singular_values(m: int, n: int) -> int:
    """4mn² − 4n³/3 (GVL 8.6.3)."""
    return 4 * m * n * n - 4 * n**3 // 3


Count = Callable[[int, int], int]


def decomposition(count: Count) -> Callable[[CostedEqn], int]:
    """A formula that applies `count` to each matrix in the first operand's last two dimensions."""

    def flops(eqn: CostedEqn) -> int:
        dims = eqn.input(0).dims
        if len(dims) < 2:
            raise Unknown
        n, m = sorted(dims[-2:])
        each = count(m, n) * (4 if eqn.input(0).complex else 1)
        return math.prod(dims[:-2]) * each

    return flops


def any_svd(eqn: CostedEqn) -> int:
    values_alone = eqn.params.get("compute_uv") == "False"
    return decomposition(singular_values if values_alone else svd)(eqn)


def triangular_solve(eqn: CostedEqn) -> int:
    """n² for each right-hand side of n numbers (GVL 3.1.2). XLA counts twice that for an
    instruction, and nothing for a library call."""
    count = math.prod(eqn.input(0).dims[-1:]) * eqn.input(1).size
    if eqn.hlo and eqn.op == "triangular_solve":
        return 2 * count
    return count * (4 if eqn.input(1).complex else 1)


def tridiagonal_solve(eqn: CostedEqn) -> int:
    """3n for the elimination, and 5n for the back substitution of each right-hand side of n
    numbers (GVL 4.3.6)."""
    factor = 4 if eqn.output().complex else 1
    return (3 * eqn.input(0).size + 5 * eqn.output().size) * factor


def fft(eqn: CostedEqn) -> int:
    """Eight for each element of the input, times the product of the logarithms of the lengths, each
    rounded down (`HandleFft` in XLA's `hlo_cost_analysis.cc`). The literature has 5·n·log₂ n."""
    lengths = eqn.attributes_as(Sizes).sizes
    return 8 * eqn.input(0).size * math.prod(n.bit_length() - 1 for n in lengths if n > 0)


LIBRARY: dict[str, Callable[[CostedEqn], int]] = {
    "potrf": decomposition(cholesky),
    "getrf": decomposition(lu),
    "geqrf": decomposition(householder_qr),
    "orgqr": decomposition(householder_product),
    "ungqr": decomposition(householder_product),
    "syevd": decomposition(eigh),
    "heevd": decomposition(eigh),
    "geev": decomposition(eig),
    "gehrd": decomposition(hessenberg),
    "sytrd": decomposition(tridiagonal),
    "hetrd": decomposition(tridiagonal),
    "gesdd": decomposition(svd),
    "gesvd": decomposition(svd),
    "gesvdj": decomposition(svd),
    "gesvdp": decomposition(svd),
    "trsm": triangular_solve,
}
"""The formulas by LAPACK's names without the letter of the type: `lapack_spotrf_ffi` and
`cusolver_potrf_ffi` are `potrf`. Custom calls have such names on CPU only."""

_CALLED = re.compile(
    r"(?:(?:lapack|blas)_[sdcz]|(?:cusolver|hipsolver|cublas|hipblas)_)([a-z]+?)(?:_ffi)?$"
)


def library(name: str) -> Callable[[CostedEqn], int] | None:
    """The formula for a custom call's target; None if it is no known decomposition."""
    found = _CALLED.match(name)
    return LIBRARY.get(found[1]) if found else None
