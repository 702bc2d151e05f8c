"""Ops on each element by itself: one arithmetic operation for each, or a function."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Op, choice

_elementwise = partial(Op, family="elementwise")
_arithmetic = partial(_elementwise, cost="elementwise")
"""Ops with one arithmetic operation for each element of the result."""
_transcendental = partial(_elementwise, cost="transcendental")
"""A function that XLA counts separately, since it takes many operations for each element."""
_function = partial(_elementwise, cost="function")
"""A function that is lowered to other ops (`analysis/cost/function_flops.py`). The cost of a
function with a loop is unknown."""
_unchanged = partial(_elementwise, cost="free")
"""Ops that return their operand and do nothing at run time."""

OPS = (
    _arithmetic("abs", "The absolute value of each element."),
    _arithmetic(
        "sign", "The sign of each element: -1, 0 or 1; a complex number over its magnitude."
    ),
    _arithmetic("neg", "Each element with the opposite sign."),
    _arithmetic("add", "Adds element by element."),
    _arithmetic("add_any", "The sum of the gradients of a value that is used more than once."),
    _arithmetic("sub", "Subtracts the second operand from the first, element by element."),
    _arithmetic("mul", "Multiplies element by element."),
    _arithmetic("div", "Divides the first operand by the second, element by element."),
    _arithmetic("rem", "The remainder of a division, with the sign of the dividend."),
    _arithmetic("max", "The larger of two elements."),
    _arithmetic("min", "The smaller of two elements."),
    _transcendental("pow", "The first operand to the power of the second, element by element."),
    _elementwise(
        "integer_pow",
        "Each element to the power of a fixed integer.",
        {"y": "The exponent: a Python integer, known when it was traced."},
        cost="integer_pow",
    ),
    _arithmetic("square", "Each element times itself."),
    _elementwise(
        "one_minus_square",
        "One minus the square of each element, exact near 1.",
        cost="one_minus_square",
        since="0.11.2",
    ),
    _elementwise(
        "polynomial",
        "A polynomial of each element: the coefficients are its other operands.",
        cost="polynomial",
        since="0.12.0",
    ),
    _arithmetic("reciprocal", "One over each element (Pallas)."),
    _transcendental("sqrt", "The square root of each element."),
    _transcendental("rsqrt", "One over the square root."),
    _transcendental("cbrt", "The cube root of each element."),
    _transcendental("exp", "The exponential of each element."),
    _function("exp2", "Two to the power of each element."),
    _transcendental("expm1", "The exponential minus 1, exact near 0."),
    _transcendental("log", "The natural logarithm of each element."),
    _function("log2", "The logarithm of each element to base 2.", since="0.11.2"),
    _transcendental("log1p", "The logarithm of one plus each element, exact near 0."),
    _function("logistic", "The logistic function of each element: 1 / (1 + exp(-x))."),
    _transcendental("sin", "The sine of each element, which is an angle in radians."),
    _transcendental("cos", "The cosine of each element, which is an angle in radians."),
    _transcendental("tan", "The tangent of each element, which is an angle in radians."),
    _function("asin", "The arcsine of each element, in radians."),
    _function("acos", "The arccosine of each element, in radians."),
    _transcendental("atan", "The arctangent of each element, in radians."),
    _transcendental(
        "atan2", "The angle of the point (x, y): y is the first operand, x is the second."
    ),
    _function("sinh", "The hyperbolic sine of each element."),
    _function("cosh", "The hyperbolic cosine of each element."),
    _transcendental("tanh", "The hyperbolic tangent of each element."),
    _function("asinh", "The inverse hyperbolic sine of each element."),
    _function("acosh", "The inverse hyperbolic cosine of each element."),
    _function("atanh", "The inverse hyperbolic tangent of each element."),
    _transcendental("erf", "The error function of each element."),
    _function("erfc", "One minus the error function of each element."),
    _function("erf_inv", "The inverse of the error function."),
    _function(
        "lgamma", "The logarithm of the absolute value of the gamma function of each element."
    ),
    _function("digamma", "The derivative of the logarithm of the gamma function, at each element."),
    _function("polygamma", "The polygamma function: its first operand is the order."),
    _function("zeta", "The Hurwitz zeta function of its two operands."),
    _function("igamma", "The regularized lower incomplete gamma function."),
    _function("igammac", "The regularized upper incomplete gamma function."),
    _function(
        "igamma_grad_a", "The derivative of the incomplete gamma function by its first operand."
    ),
    _function("regularized_incomplete_beta", "The regularized incomplete beta function."),
    _function("bessel_i0e", "The modified Bessel function of order 0, exponentially scaled."),
    _function("bessel_i1e", "The modified Bessel function of order 1, exponentially scaled."),
    _arithmetic("floor", "Rounds each element down to a whole number."),
    _arithmetic("ceil", "Rounds each element up to a whole number."),
    _arithmetic(
        "round",
        "The nearest whole number to each element.",
        {
            "rounding_method": choice(
                {
                    "AWAY_FROM_ZERO": "Halves are rounded away from zero.",
                    "TO_NEAREST_EVEN": "Halves are rounded to the even number.",
                }
            )
        },
    ),
    _arithmetic(
        "clamp",
        "Each element, but no less than min and no more than max.",
        operands="min operand max",
    ),
    _function("nextafter", "The next number of the dtype, towards the other operand."),
    _arithmetic(
        "reduce_precision",
        "Rounds to fewer bits, in the same dtype.",
        {
            "exponent_bits": "Rounds as if floats had an exponent with this many bits.",
            "mantissa_bits": "Rounds as if floats had a mantissa with this many bits.",
        },
    ),
    _function(
        "stochastic_round",
        "Rounds each element to a smaller dtype, up or down by random bits (Pallas).",
        since="0.8.1",
    ),
    _arithmetic("is_finite", "True where an element is neither infinite nor NaN."),
    _arithmetic("eq", "True where two elements are equal."),
    _arithmetic("ne", "True where two elements are not equal."),
    _arithmetic("lt", "True where the first of two elements is less."),
    _arithmetic("le", "True where the first of two elements is less or equal."),
    _arithmetic("gt", "True where the first of two elements is greater."),
    _arithmetic("ge", "True where the first of two elements is greater or equal."),
    _arithmetic(
        "eq_to", "True where two elements are equal in the total order, in which NaN equals itself."
    ),
    _arithmetic(
        "lt_to", "True where the first of two elements is less in the total order of floats."
    ),
    _arithmetic(
        "le_to",
        "True where the first of two elements is less or equal in the total order of floats.",
    ),
    _arithmetic("and", "Logical and of booleans, or of each bit of integers."),
    _arithmetic("or", "Logical or of booleans, or of each bit of integers."),
    _arithmetic("xor", "Exclusive or of booleans, or of each bit of integers."),
    _arithmetic("not", "Logical not of each boolean, or of each bit of integers."),
    _arithmetic("shift_left", "Shifts the bits of each integer left; zeros fill the right."),
    _arithmetic(
        "shift_right_logical", "Shifts the bits of each integer right; zeros fill the left."
    ),
    _arithmetic(
        "shift_right_arithmetic",
        "Shifts the bits of each integer right; copies of its sign fill the left.",
    ),
    _arithmetic("population_count", "The number of 1 bits in each integer."),
    _arithmetic("clz", "The number of leading 0 bits in each integer."),
    _arithmetic("conj", "The complex conjugate of each element."),
    _arithmetic("complex", "Complex numbers, made of their real and imaginary parts."),
    _elementwise("real", "The real part of each element.", cost="halves"),
    _elementwise("imag", "The imaginary part of each element.", cost="halves"),
    _arithmetic(
        "mulhi", "The upper half of the bits of each product of two integers.", since="0.10.2"
    ),
    _elementwise(
        "select_n",
        "Picks each element from one of several arrays; the first operand says which.",
        operands="which case …",
        cost="selected",
    ),
    _unchanged(
        "name",
        "The same value with a name, so that a policy of remat can save it.",
        {"name": "The name."},
    ),
    _unchanged("stop_gradient", "The same value, without a derivative."),
    _unchanged("tie", "Its second operand, unchanged; the first is not used."),
)
