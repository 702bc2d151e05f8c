"""What a function of each element costs: the arithmetic that XLA makes of those it does not have.

XLA counts `exp`, `tanh` and their like as one transcendental (`HandleElementwiseOp` in its
`hlo_cost_analysis.cc`). Other functions are written out before it counts, `lgamma` as 53
operations and 4 transcendentals. The figures below are those of XLA's cost analysis of the lowered
function, for each element; `tests/test_cost_functions.py` asks XLA again.
"""

from __future__ import annotations

from collections.abc import Mapping

from jaxviz.analysis.cost.values import Applied, Unknown, Work
from jaxviz.ops import row_of


def elementwise(eqn: Applied) -> Work:
    """What one element of the result costs. In optimized HLO all is written out already."""
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


def _function(name: str, eqn: Applied) -> Work:
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
"""Of real numbers in float32, and in all dtypes but those below. What differs from one version of
XLA to another by more than two in a hundred is a lower bound (`Work.least`)."""

DOUBLE: Mapping[str, Work] = {
    "erfc": Work(90, 1),
    "erf_inv": Work(100, 2),
    "bessel_i0e": Work(173, 1, least=True),
    "bessel_i1e": Work(173, 1, least=True),
}
"""In float64, where it differs."""

WIDENED = ("sinh", "cosh", "erfc", "erf_inv", "lgamma", "digamma", "bessel_i0e", "bessel_i1e")
"""Computed in float32 for smaller dtypes: the element is converted, and the result converted
back."""

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
"""Of complex numbers. What is in no table is one operation, as it is for XLA."""
