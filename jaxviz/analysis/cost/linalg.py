"""Flops of the FFT, as XLA counts them, and of matrix decompositions: of these the leading terms
that textbooks give, since XLA does not count what it leaves to a library.

GVL is Golub and Van Loan, *Matrix Computations*, 4th edition. The counts are for real matrices, m
by n with m ≥ n; complex matrices take four times as many.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from jaxviz.analysis.cost.values import Applied, Unknown
from jaxviz.schema import Sizes


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


def decomposition(count: Count) -> Callable[[Applied], int]:
    """A formula that applies `count` to each matrix in the first operand's last two dimensions."""

    def flops(eqn: Applied) -> int:
        dims = eqn.input(0).dims
        if len(dims) < 2:
            raise Unknown
        n, m = sorted(dims[-2:])
        each = count(m, n) * (4 if eqn.input(0).complex else 1)
        return math.prod(dims[:-2]) * each

    return flops


def any_svd(eqn: Applied) -> int:
    values_alone = eqn.params.get("compute_uv") == "False"
    return decomposition(singular_values if values_alone else svd)(eqn)


def triangular_solve(eqn: Applied) -> int:
    """n² for each right-hand side of n numbers (GVL 3.1.2). XLA counts twice that for an
    instruction of its own, but not at all where a library solves."""
    count = math.prod(eqn.input(0).dims[-1:]) * eqn.input(1).size
    if eqn.hlo and eqn.op == "triangular_solve":
        return 2 * count
    return count * (4 if eqn.input(1).complex else 1)


def tridiagonal_solve(eqn: Applied) -> int:
    """3n for the elimination, and 5n for the back substitution of each right-hand side of n
    numbers (GVL 4.3.6)."""
    factor = 4 if eqn.output().complex else 1
    return (3 * eqn.input(0).size + 5 * eqn.output().size) * factor


def fft(eqn: Applied) -> int:
    """Eight for each element of the input, times the product of the logarithms of the lengths, each
    rounded down (`HandleFft` in XLA's `hlo_cost_analysis.cc`). The literature has 5·n·log₂ n."""
    lengths = eqn.said(Sizes).sizes
    return 8 * eqn.input(0).size * math.prod(n.bit_length() - 1 for n in lengths if n > 0)


LIBRARY: dict[str, Callable[[Applied], int]] = {
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
"""The formulas by LAPACK's names without the letter of the type, which custom calls have on a CPU
alone: `lapack_spotrf_ffi` and `cusolver_potrf_ffi` are `potrf`."""

_CALLED = re.compile(
    r"(?:(?:lapack|blas)_[sdcz]|(?:cusolver|hipsolver|cublas|hipblas)_)([a-z]+?)(?:_ffi)?$"
)


def library(name: str) -> Callable[[Applied], int] | None:
    """The formula for a custom call's target; None where it is no known decomposition."""
    found = _CALLED.match(name)
    return LIBRARY.get(found[1]) if found else None
