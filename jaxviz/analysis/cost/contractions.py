"""Flops of `dot_general` and of convolutions."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

from jaxviz.analysis.cost.values import Applied, Unknown, Work
from jaxviz.schema import Convolution, Dot


def dot(eqn: Applied) -> int:
    """Flops of a matrix product: for each element of the result, one multiplication and one
    addition for each index that is summed over."""
    dims = eqn.input(0).dims
    return 2 * eqn.output().size * math.prod(dims[axis] for axis in eqn.said(Dot).lhs)


def ragged_dot(eqn: Applied) -> Work:
    """At least the flops of `dot`, where each row is multiplied with the matrix of its own group
    alone: on CPU it is multiplied with all of them. Raises Unknown where the summed dimension is
    the one that is split into groups."""
    if len(eqn.output().dims) != len(eqn.input(0).dims):
        raise Unknown
    return Work(dot(eqn), least=True)


def convolution(eqn: Applied) -> int:
    """Flops of a convolution, counted as `HandleConvolution` in XLA's `hlo_cost_analysis.cc` does:
    one product for each element of the result, each input feature of its group, and each place of
    the window that lies on an element of the input. Places in the padding or between dilated
    elements are not computed. Of complex numbers three convolutions of their parts are made, as JAX
    lowers them.
    """
    lhs, rhs, out = eqn.input(0).dims, eqn.input(1).dims, eqn.output().dims
    said = eqn.said(Convolution)
    count = out[said.out.index("b")] * out[said.out.index("f")] * rhs[said.rhs.index("i")]
    for axis, (stride, low, dilation, spread) in enumerate(
        zip(said.strides, said.padding, said.lhs_dilation, said.rhs_dilation, strict=True)
    ):
        left, right, result = (labels.index(str(axis)) for labels in (said.lhs, said.rhs, said.out))
        count *= taps(lhs[left], rhs[right], out[result], stride, low, dilation, spread)
    if not eqn.output().complex or eqn.op != "conv_general_dilated":
        return 2 * count
    parts = 3 * eqn.input(0).size + 4 * eqn.input(1).size + 3 * eqn.output().size
    return 3 * 2 * count + parts


def library_convolution(eqn: Applied) -> int:
    """Flops of a convolution that cuDNN makes, or of one of its gradients.

    A gradient has the window, the dimensions and the products of the convolution itself. (XLA's
    `GetConvolutionFlops` in `gpu_hlo_cost_analysis.cc` counts it as a convolution of its operands.)
    A bias or another operand adds one for each element of the result, and so does a function that
    is applied to it."""
    first, second, made = eqn.input(0), eqn.input(1), eqn.output()
    lhs, rhs, out = first, second, made
    if "BackwardInput" in eqn.name:
        lhs, rhs, out = made, second, first
    if "BackwardFilter" in eqn.name:
        lhs, rhs, out = first, made, second
    added = len(eqn.inputs) - 2
    count = convolution(replace(eqn, inputs=[lhs, rhs], outputs=[out]))
    return count + made.size * (added + eqn.said(Convolution).activated)


@lru_cache(maxsize=4096)
def taps(
    size: int, window: int, out: int, stride: int, low: int, dilation: int, spread: int
) -> int:
    """Along one dimension, in how many pairs of an element of the result and a place of the window
    that place lies on an element of the input. Takes time linear in the shorter of the two."""
    last = (size - 1) * dilation
    if window <= out:
        return sum(
            _hits(out, stride, place * spread - low, last, dilation) for place in range(window)
        )
    return sum(_hits(window, spread, place * stride - low, last, dilation) for place in range(out))


def _hits(count: int, step: int, start: int, last: int, dilation: int) -> int:
    """How many of the numbers `start + k * step`, k from 0 to `count - 1`, are multiples of
    `dilation` between 0 and `last`."""
    first = max(0, -(start // step))
    stop = min(count, (last - start) // step + 1)
    period = dilation // math.gcd(step, dilation)
    for k in range(first, min(stop, first + period)):
        if (start + k * step) % dilation == 0:
            return (stop - k + period - 1) // period
    return 0
