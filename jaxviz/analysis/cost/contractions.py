"""Flops of `dot_general` and of convolutions, whose params each stage writes in its own way."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from functools import lru_cache

from jaxviz.analysis.cost.values import Applied, Unknown, Work, numbers_in


def dot(eqn: Applied) -> int:
    """Flops of a matrix product: for each element of the result, one multiplication and one
    addition for each index that is summed over."""
    dims = eqn.input(0).dims
    return 2 * eqn.output().size * math.prod(dims[axis] for axis in contracted(eqn))


def contracted(eqn: Applied) -> list[int]:
    """The dimensions of the first operand that are summed over. Raises Unknown where no param
    says which."""
    if "lhs_contracting_dims" in eqn.params:
        return numbers_in(eqn.params["lhs_contracting_dims"])
    for name in ("dimension_numbers", "ragged_dot_dimension_numbers", "dot_dimension_numbers"):
        found = eqn.params.get(name, "")
        if found.startswith("#stablehlo.dot<") and "contracting" not in found:
            return []
        for pattern in (r"^\(\(\(([\d, ]*)\)", r"numbers=\(\(\(([\d, ]*)\)", _LISTED):
            match = re.search(pattern, found)
            if match:
                return numbers_in(match[1])
    configured = re.search(_CONFIGURED, eqn.params.get("backend_config", ""))
    if configured is None:
        raise Unknown
    return numbers_in(configured[1])


def ragged_dot(eqn: Applied) -> Work:
    """At least the flops of `dot`, where each row is multiplied with the matrix of its own group
    alone: on CPU it is multiplied with all of them. Raises Unknown where the summed dimension is
    the one that is split into groups."""
    if len(eqn.output().dims) != len(eqn.input(0).dims):
        raise Unknown
    return Work(dot(eqn), least=True)


_CONFIGURED = r'"lhs_contracting_dimensions": ?\[([\d", ]*)\]'
"""How the `backend_config` of a custom call to cuBLAS gives them."""
_LISTED = r"lhs_contracting_dim\w* *= *\[([\d, ]*)\]"


def convolution(eqn: Applied) -> int:
    """Flops of a convolution, counted as `HandleConvolution` in XLA's `hlo_cost_analysis.cc` does:
    one product for each element of the result, each input feature of its group, and each place of
    the window that lies on an element of the input. Places in the padding or between dilated
    elements are not computed. Of complex numbers three convolutions of their parts are made, as JAX
    lowers them.
    """
    lhs, rhs, out = eqn.input(0).dims, eqn.input(1).dims, eqn.output().dims
    layout = _layout(eqn)
    window = _window(eqn, len(layout.lhs))
    count = out[layout.out_batch] * out[layout.out_feature] * rhs[layout.rhs_feature]
    for axis, (left, right, result) in enumerate(
        zip(layout.lhs, layout.rhs, layout.out, strict=True)
    ):
        stride, low, dilation, spread = window[axis]
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
    config = eqn.params.get("backend_config", "")
    applied = re.search(r'"activation_mode": ?"(?!kNone)', config) is not None
    count = convolution(replace(eqn, inputs=[lhs, rhs], outputs=[out]))
    return count + made.size * (added + applied)


class _Layout:
    """What each dimension of a convolution's arrays is: batch, feature or spatial."""

    def __init__(self, lhs: str, rhs: str, out: str) -> None:
        """Takes one label for each dimension, such as `b01f`, `01io` and `b01f`."""
        spatial = sorted(label for label in out if label.isdigit())
        self.lhs = [lhs.index(label) for label in spatial]
        self.rhs = [rhs.index(label) for label in spatial]
        self.out = [out.index(label) for label in spatial]
        self.rhs_feature = rhs.index("i")
        self.out_batch = out.index("b")
        self.out_feature = out.index("f")


def _layout(eqn: Applied) -> _Layout:
    """Reads the layout from the params of any stage.

    A jaxpr has `ConvDimensionNumbers(lhs_spec=(0, 3, 1, 2), …)`: batch, feature, then the spatial
    dimensions (of the kernel: output feature, input feature, spatial ones). StableHLO has
    `#stablehlo.conv<[b, 0, 1, f]x…>`, optimized HLO `b01f_01io->b01f`."""
    text = next((eqn.params[n] for n in ("dimension_numbers", "dim_labels") if n in eqn.params), "")
    specs = [numbers_in(found) for found in re.findall(r"spec=\(([\d, ]*)\)", text)]
    if len(specs) == 3:
        return _Layout(_labels(specs[0], "bf"), _labels(specs[1], "oi"), _labels(specs[2], "bf"))
    labels = re.findall(r"[bfio\d]+", re.sub(r"^#stablehlo\.conv|[, \[\]<>]", "", text))
    if len(labels) != 3:
        raise Unknown
    return _Layout(*labels)


def _labels(spec: list[int], first: str) -> str:
    names = [*first, *map(str, range(len(spec) - 2))]
    return "".join(name for _, name in sorted(zip(spec, names, strict=True)))


def _window(eqn: Applied, rank: int) -> list[tuple[int, int, int, int]]:
    """For each spatial dimension: the stride, the padding before the first element, the dilation
    of the input and the dilation of the window."""
    text = eqn.params.get("window", "")
    if text or "dim_labels" in eqn.params:
        return _written(text, rank)
    stride = _each(eqn, rank, "window_strides")
    pads = _each(eqn, 2 * rank, "padding", default=0)[::2]
    dilation = _each(eqn, rank, "lhs_dilation")
    spread = _each(eqn, rank, "rhs_dilation")
    return list(zip(stride, pads, dilation, spread, strict=True))


def _each(eqn: Applied, count: int, name: str, default: int = 1) -> list[int]:
    if name not in eqn.params:
        return [default] * count
    found = eqn.numbers(name)
    if len(found) == 1:
        return found * count
    if len(found) < count:
        raise Unknown
    return found[-count:]


def _written(text: str, rank: int) -> list[tuple[int, int, int, int]]:
    """The same from HLO's way to write it: `{size=3x3 pad=1_1x1_1 lhs_dilate=2x2}`."""
    written = dict(re.findall(r"(\w+)=([-\dx_]+)", text))

    def each(name: str, default: int) -> list[int]:
        found = [int(part.partition("_")[0]) for part in written.get(name, "").split("x") if part]
        return found or [default] * rank

    parts = each("stride", 1), each("pad", 0), each("lhs_dilate", 1), each("rhs_dilate", 1)
    if any(len(part) != rank for part in parts):
        raise Unknown
    return list(zip(*parts, strict=True))


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
