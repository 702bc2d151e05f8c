"""Reads the attributes of instructions that jaxviz calculates with: `schema.Eqn.attributes`."""

from __future__ import annotations

import json
import math
from typing import Any

from jaxviz.capture.device_groups import along, counted, listed, paired
from jaxviz.schema import Attributes, Convolution, Dot, Groups, Sizes
from jaxviz.schema.params import MOST_DEVICES, in_order, xla_labels


def attributes_of(held: Any, config: bytes) -> Attributes | None:
    """What the message of an instruction, a `HloInstructionProto`, says; None if nothing is read
    of its opcode. `config` is its whole configuration, which the message may lack."""
    try:
        return _read(held, config)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None  # a file may hold anything


def _read(held: Any, config: bytes) -> Attributes | None:
    match held.opcode.removesuffix("-start"):
        case "dot":
            return _dot(held.dot_dimension_numbers)
        case "convolution":
            return _convolution(held, activated=False)
        case "custom-call":
            return _of_library(held, config)
        case "reduce-window" | "select-and-scatter":
            return Sizes(sizes=tuple(one.size for one in held.window.dimensions))
        case "fft":
            return Sizes(sizes=tuple(held.fft_length))
        case "all-gather":
            return _groups(held, tuple(held.dimensions))
        case (
            "all-reduce"
            | "reduce-scatter"
            | "all-to-all"
            | "ragged-all-to-all"
            | "collective-broadcast"
        ):
            return _groups(held, ())
        case "collective-permute":
            return paired([(one.source, one.target) for one in held.source_target_pairs])
        case _:
            return None


def _groups(held: Any, dimensions: tuple[int, ...]) -> Groups:
    """A collective's. Which field has them depends on XLA's version and on the form that it chose;
    before 2023 it was `replica_groups`."""
    if held.HasField("mesh_axes_replica_group_list"):
        return _on_mesh(held.mesh_axes_replica_group_list, dimensions)
    known = held.collective_device_list
    for holds, found in (
        (held.HasField("iota_collective_device_list"), held.iota_collective_device_list),
        (known.HasField("iota_replica_group_list"), known.iota_replica_group_list),
    ):
        if holds:
            return counted(
                found.num_replica_groups,
                found.num_devices_per_group,
                found.iota_reshape_dims,
                found.iota_transpose_perm,
                dimensions,
            )
    groups = known.replica_groups or held.replica_groups
    return listed([one.replica_ids[:] for one in groups], dimensions=dimensions)


def _on_mesh(found: Any, dimensions: tuple[int, ...]) -> Groups:
    mesh, iota = found.mesh, found.mesh.iota_device_ids
    devices = mesh.device_ids[:]
    if mesh.HasField("iota_device_ids") and math.prod(iota.dims) <= MOST_DEVICES:
        devices = in_order(iota.dims, iota.perm)
    used = [
        (one.mesh_axis_index, one.sub_axis_info.pre_size, one.sub_axis_info.size)
        for one in found.axes
    ]
    return along([axis.size for axis in mesh.axes], used, devices, dimensions)


def _dot(numbers: Any) -> Dot:
    return Dot(
        lhs=tuple(numbers.lhs_contracting_dimensions),
        rhs=tuple(numbers.rhs_contracting_dimensions),
        lhs_batch=tuple(numbers.lhs_batch_dimensions),
        rhs_batch=tuple(numbers.rhs_batch_dimensions),
    )


def _convolution(held: Any, activated: bool) -> Convolution:
    numbers, window = held.convolution_dimension_numbers, held.window.dimensions
    return Convolution(
        **xla_labels(numbers),
        strides=tuple(one.stride for one in window),
        padding=tuple(one.padding_low for one in window),
        lhs_dilation=tuple(one.base_dilation for one in window),
        rhs_dilation=tuple(one.window_dilation for one in window),
        activated=activated,
    )


def _of_library(held: Any, config: bytes) -> Attributes | None:
    """What a call of a library says: of cuDNN as a convolution does, of cuBLAS in its
    configuration."""
    if held.HasField("convolution_dimension_numbers"):
        applied = _configured(config, "cudnn_conv_backend_config", "activation_mode")
        return _convolution(held, activated=applied not in (None, "kNone"))
    numbers = _configured(config, "gemm_backend_config", "dot_dimension_numbers")
    return None if numbers is None else _configured_dot(numbers)


def _configured_dot(numbers: dict[str, list[str]]) -> Dot:
    def read(side: str, dimensions: str) -> tuple[int, ...]:
        return tuple(map(int, numbers.get(f"{side}_{dimensions}_dimensions", ())))

    return Dot(
        lhs=read("lhs", "contracting"),
        rhs=read("rhs", "contracting"),
        lhs_batch=read("lhs", "batch"),
        rhs_batch=read("rhs", "batch"),
    )


def known_trips(config: bytes) -> int | None:
    """How often a loop's body runs, from its `WhileLoopBackendConfig`; None if XLA does not
    know."""
    found = _configured(config, "known_trip_count", "n")
    return int(found) if isinstance(found, str | int) and str(found).isdecimal() else None


def _configured(config: bytes, key: str, within: str) -> Any:
    """A value in a configuration, which is JSON; None if it has no such value."""
    try:
        return json.loads(config)[key][within]
    except (KeyError, RecursionError, TypeError, ValueError):
        return None
