"""Reads the params that jaxviz calculates with: `schema.Eqn.attributes`.

A user's primitive may have any object as a param. So only numbers in JAX's own containers are read,
and unexpected params are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jax.extend.core import JaxprEqn
from jax.sharding import NamedSharding

from jaxviz.capture.device_groups import listed, paired
from jaxviz.capture.jaxprs.avals import spec_text
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.strings import name
from jaxviz.schema import (
    Attributes,
    Convolution,
    Dimensions,
    Dot,
    Groups,
    Manual,
    MeshAxis,
    Pairs,
    Sharding,
    Sizes,
)
from jaxviz.schema.params import labels


def attributes_of(eqn: JaxprEqn) -> Attributes | None:
    """The eqn's attributes; None if it has none, or if its params are not as expected."""
    rule = _RULES.get(eqn.primitive.name)
    if rule is None:
        return None
    try:
        return rule(eqn.params)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return None


def trips_of(eqn: JaxprEqn) -> int | None:
    """The number of iterations of a scan; None for other eqns, and if the length is symbolic."""
    length = eqn.params.get("length") if eqn.primitive.name == "scan" else None
    return length if type(length) is int else None


def _numbers(values: Any) -> tuple[int, ...]:
    """Integers, or one integer as a tuple. Raises TypeError for others, such as symbolic sizes."""
    found = values if type(values) in (tuple, list) else (values,)
    if any(type(one) not in _WHOLE for one in found):
        raise TypeError
    return tuple(map(int, found))


_WHOLE = (int, np.int32, np.int64)


def _dot(params: dict[str, Any]) -> Dot:
    found = params.get("dimension_numbers")
    if found is None:
        found = params["ragged_dot_dimension_numbers"].dot_dimension_numbers
    (lhs, rhs), (lhs_batch, rhs_batch) = found
    return Dot(
        lhs=_numbers(lhs),
        rhs=_numbers(rhs),
        lhs_batch=_numbers(lhs_batch),
        rhs_batch=_numbers(rhs_batch),
    )


def _convolution(params: dict[str, Any]) -> Convolution:
    numbers = params["dimension_numbers"]
    lhs, rhs, out = map(
        _numbers, map(tuple, (numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec))
    )
    return Convolution(
        lhs=labels(lhs[2:], b=lhs[0], f=lhs[1]),
        rhs=labels(rhs[2:], o=rhs[0], i=rhs[1]),
        out=labels(out[2:], b=out[0], f=out[1]),
        strides=_numbers(params["window_strides"]),
        padding=tuple(_numbers(pair)[0] for pair in params["padding"]),
        lhs_dilation=_numbers(params["lhs_dilation"]),
        rhs_dilation=_numbers(params["rhs_dilation"]),
        activated=False,
    )


def _groups(params: dict[str, Any]) -> Groups:
    """The groups of a collective. Without `axis_index_groups`, all devices of the axes form one."""
    found = params.get("axis_index_groups")
    return listed([] if found is None else [*map(_numbers, found)], _axes(params))


def _pairs(params: dict[str, Any]) -> Pairs:
    return paired([*map(_numbers, params["perm"])], _axes(params))


def _axes(params: dict[str, Any]) -> tuple[str, ...]:
    """The named axes of a collective. A number among them would be an axis of the array."""
    return _names(params.get("axes", params.get("axis_name", ())))


def _names(axes: Any) -> tuple[str, ...]:
    found = axes if type(axes) in (tuple, list, set, frozenset) else (axes,)
    return tuple(name(axis) for axis in found if type(axis) is str)


def _manual(params: dict[str, Any]) -> Manual:
    """The mesh of a `shard_map`. From 0.7 on an inner one has `newly_manual_axes`."""
    mesh = _mesh(params["mesh"])
    named = _names(params.get("newly_manual_axes", params.get("manual_axes", ())))
    return Manual(
        mesh=mesh, axes=tuple(axis.name for axis in mesh if axis.name in named or not named)
    )


def _mesh(mesh: Any) -> tuple[MeshAxis, ...]:
    return tuple(MeshAxis(name=name(axis), size=size) for axis, size in mesh.shape.items())


def _sharding(param: str) -> Callable[[dict[str, Any]], Sharding]:
    def read(params: dict[str, Any]) -> Sharding:
        found = params[param]
        if not is_a(found, NamedSharding) or params.get("unconstrained_dims"):
            raise TypeError
        return Sharding(
            spec=name(spec_text(found.spec)),
            mesh=_mesh(found.mesh),
            memory=name(found.memory_kind or ""),
        )

    return read


def _mapped(params: dict[str, Any]) -> Manual:
    """The one axis of a `pmap`."""
    axes = _names(params["axis_name"])
    [size] = _numbers(params["global_axis_size"])
    return Manual(mesh=tuple(MeshAxis(name=axis, size=size) for axis in axes), axes=axes)


def _sizes(param: str) -> Callable[[dict[str, Any]], Sizes]:
    return lambda params: Sizes(sizes=_numbers(params[param]))


def _along(param: str) -> Callable[[dict[str, Any]], Dimensions]:
    return lambda params: Dimensions(dimensions=_numbers(params[param]))


_RULES: dict[str, Callable[[dict[str, Any]], Attributes]] = {
    **dict.fromkeys(("dot_general", "ragged_dot", "ragged_dot_general"), _dot),
    "conv_general_dilated": _convolution,
    "fft": _sizes("fft_lengths"),
    **dict.fromkeys(("random_bits", "random_split"), _sizes("shape")),
    **{
        op: _sizes("window_dimensions")
        for op in (
            *(f"reduce_window{reducer}" for reducer in ("", "_sum", "_max", "_min")),
            *("select_and_scatter", "select_and_scatter_add", "select_and_gather_add"),
        )
    },
    **dict.fromkeys(
        ("reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_and", "reduce_or"),
        _along("axes"),
    ),
    **dict.fromkeys(
        tuple(
            f"{op}{start}"
            for op in (
                *("psum", "psum2", "psum_invariant", "pmax", "pmin", "reduce_scatter"),
                *("unreduced_psum", "unreduced_pmax", "unreduced_pmin"),
                *("unreduced_reduce_scatter", "all_gather", "all_gather_invariant"),
                *("all_gather_reduced", "all_to_all", "pbroadcast"),
            )
            for start in ("", "_start")
        ),
        _groups,
    ),
    **dict.fromkeys(("ppermute", "ppermute_start"), _pairs),
    "shard_map": _manual,
    "sharding_constraint": _sharding("sharding"),
    "reshard": _sharding("dst_sharding"),
    "xla_pmap": _mapped,
    **dict.fromkeys(
        ("cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"),
        _along("axis"),
    ),
}
