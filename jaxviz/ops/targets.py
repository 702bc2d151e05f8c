"""The targets of custom calls: functions of libraries, which XLA and JAX call by name.

The pattern of a row matches the beginning of a name. A target without a row, such as a user's own
function, is unknown.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jaxviz.ops.row import NOT_REPORTED, Family


class Target(NamedTuple):
    names: str
    """A regular expression, also valid in JavaScript, that matches a name or its beginning."""
    family: Family
    cost: str = NOT_REPORTED


TARGETS = (
    Target(r"Sharding$|SPMDFullToShardShape$|SPMDShardToFullShape$", "collective", "moves"),
    Target(
        r"xla\.sdy\.(?:FuncResultSharding|GlobalToLocalShape|LocalToGlobalShape)$"
        r"|tmp_global_to_local_shape$",
        "collective",
        "moves",
    ),
    Target(r"(?:cu|hip)_threefry2x32(?:_ffi)?$", "random", "moves"),
    Target(r"(?:(?:__gpu\$|Approx)?TopK|(?:mhlo\.)?topk|PartialReduce)$", "reduction", "moves"),
    Target(r"(?:__cub\$DeviceRadixSort|xla\.gpu\.ext\.cub_sort)", "reduction"),
    Target(r"(?:cu|hip)_lu_pivots_to_permutation", "movement", "moves"),
    Target(r"__cudnn\$conv", "contraction", "library_convolution"),
    Target(r"__(?:cu|hip)blas\$triangularSolve", "contraction", "triangular_solve"),
    Target(r"(?:cu|hip)sparse_gtsv2", "contraction", "tridiagonal_solve"),
    Target(r"__(?:cublas|onednn|triton)\$\w*\$?(?:gemm|matmul)", "contraction", "dot"),
    Target(r"__(?:cublas|cudnn|onednn|hipblas|miopen)\$", "contraction"),
    Target(r"(?:lapack|blas|cusolver|hipsolver|cublas|hipblas)_", "contraction", "library"),
    Target(r"(?:dynamic_)?ducc_fft|cufft|hipfft", "contraction"),
    Target(
        r"(?:AllocateBuffer|annotate_device_placement|LayoutConstraint|Pin|Unpin)$",
        "other",
        "moves",
    ),
)
_COMPILED = [(re.compile(target.names), target) for target in TARGETS]
UNKNOWN = Target("", "other")


def target_of(name: str) -> Target:
    """The first target whose pattern matches the beginning of the name."""
    return next((target for names, target in _COMPILED if names.match(name)), UNKNOWN)
