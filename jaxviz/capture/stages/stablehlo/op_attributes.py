"""Reads the attributes of ops that jaxviz calculates with: `schema.Eqn.attributes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, sdy, stablehlo

from jaxviz.capture.device_groups import Used, along, counted, listed, paired
from jaxviz.schema import Attributes, Convolution, Dimensions, Dot, Groups, Pairs, Sizes
from jaxviz.schema.params import MOST_DEVICES, xla_labels

Meshes = dict[str, list[tuple[str, int]]]
"""The axes and sizes of each mesh that a module defines, by the mesh's name."""

Held = dict[str, Any]
"""The attributes of an op, by MLIR's names."""
Rule = Callable[[Held, Meshes], Attributes]


def meshes_of(module: Any) -> Meshes:
    found: Meshes = {}
    for block in module.regions[0].blocks:
        for op in block.operations:
            if op.operation.name == "sdy.mesh":
                held = op.operation.attributes
                axes = map(sdy.MeshAxisAttr, sdy.MeshAttr(held["mesh"]).axes)
                found[held["sym_name"].value] = [(axis.name, axis.size) for axis in axes]
    return found


def attributes_of(held: Held, meshes: Meshes) -> Attributes | None:
    """What an op's attributes say. None if it has none that is read, or one of another form."""
    for key, rule in _RULES.items():
        if key in held:
            try:
                return rule(held, meshes)
            except (ArithmeticError, LookupError, TypeError, ValueError):
                return None
    return None


def axes_on_mesh(found: Any, meshes: Meshes) -> tuple[list[tuple[str, int]], list[Used]] | None:
    """The mesh on which groups of devices lie, and along which of its axes. None for groups that
    are said otherwise, and for those on an unknown mesh. JAX writes a mesh from 0.11 on."""
    kind = getattr(stablehlo, "ReplicaGroupMeshAxesAttr", None)
    if kind is None or not kind.isinstance(found):
        return None
    groups = kind(found)
    mesh = meshes.get(ir.FlatSymbolRefAttr(groups.mesh).value)
    if mesh is None:
        return None
    names = [axis for axis, _ in mesh]
    used: list[Used] = []
    for one in map(stablehlo.AxisRefAttr, groups.axes):
        info: Any = one.sub_axis_info
        part = info and stablehlo.SubAxisInfoAttr(info)
        before, some = (part.pre_size, part.size) if part else (1, 0)
        used.append((names.index(one.name), before, some))
    return mesh, used


def _groups(held: Held, meshes: Meshes) -> Groups:
    found = held["replica_groups"]
    on_mesh = axes_on_mesh(found, meshes)
    if on_mesh is not None:
        mesh, used = on_mesh
        return along([size for _, size in mesh], used)
    count, size = found.type.shape
    if count * size > MOST_DEVICES:
        return counted(count, size)
    devices = _integers(found)
    return listed([devices[at : at + size] for at in range(0, count * size, size)])


def _pairs(held: Held, meshes: Meshes) -> Pairs:
    devices = _integers(held["source_target_pairs"])
    return paired([*zip(devices[::2], devices[1::2], strict=True)])


def _dot(key: str, kind: type[Any]) -> Rule:
    def read(held: Held, meshes: Meshes) -> Dot:
        numbers = kind(held[key])
        return Dot(
            lhs=tuple(numbers.lhs_contracting_dimensions),
            rhs=tuple(numbers.rhs_contracting_dimensions),
            lhs_batch=tuple(numbers.lhs_batching_dimensions),
            rhs_batch=tuple(numbers.rhs_batching_dimensions),
        )

    return read


def _convolution(held: Held, meshes: Meshes) -> Convolution:
    numbers = stablehlo.ConvDimensionNumbers(held["dimension_numbers"])
    count = len(numbers.output_spatial_dimensions)
    padding = held.get("padding")
    return Convolution(
        **xla_labels(numbers),
        strides=_each(held, "window_strides", count),
        padding=(0,) * count if padding is None else _integers(padding)[::2],
        lhs_dilation=_each(held, "lhs_dilation", count),
        rhs_dilation=_each(held, "rhs_dilation", count),
        activated=False,
    )


def _each(held: Held, key: str, count: int) -> tuple[int, ...]:
    return _integers(held[key]) if key in held else (1,) * count


def _integers(found: Any) -> tuple[int, ...]:
    """The elements of an array, rows after rows, or the one number."""
    if isinstance(found, ir.IntegerAttr):
        return (found.value,)
    if len(found) > MOST_DEVICES:
        raise ValueError  # a file may hold any array
    return tuple(found[at] for at in range(len(found)))


def _sizes(key: str) -> Rule:
    return lambda held, _: Sizes(sizes=_integers(held[key]))


def _along(key: str) -> Rule:
    return lambda held, _: Dimensions(dimensions=_integers(held[key]))


_RULES: dict[str, Rule] = {
    "dot_dimension_numbers": _dot("dot_dimension_numbers", stablehlo.DotDimensionNumbers),
    "ragged_dot_dimension_numbers": _dot(
        "ragged_dot_dimension_numbers", chlo.RaggedDotDimensionNumbers
    ),
    "dimension_numbers": _convolution,
    "window_dimensions": _sizes("window_dimensions"),
    "fft_length": _sizes("fft_length"),
    "replica_groups": _groups,
    "source_target_pairs": _pairs,
    "dimensions": _along("dimensions"),
    "permutation": _along("permutation"),
    "dimension": _along("dimension"),
}
"""The rules by the name of an attribute that an op has."""
