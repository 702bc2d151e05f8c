"""Reads the instructions of a `HloModuleProto`, and their attributes (`schema.Eqn.attributes`).

Each access to a message makes an object, so the fields of all instructions are read once. Then
`strip` removes values that the text must not show.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from itertools import count
from typing import Any

from msgspec import Struct

from jaxviz.capture.device_groups import along, counted, listed, paired
from jaxviz.capture.jaxprs.params import VALUE_LIMIT
from jaxviz.capture.stages.hlo.messages import is_scalar
from jaxviz.capture.stages.op_names import Names
from jaxviz.schema import Attributes, Convolution, Dot, Groups, Sizes
from jaxviz.schema.params import MOST_DEVICES, in_order, xla_labels


class Instruction(Struct, gc=False):
    """The fields of an instruction's message. The message itself would slow Python's collector."""

    place: int
    """Its index in its computation."""
    name: str
    opcode: str
    id: int
    shape: bytes
    """A `ShapeProto`."""
    metadata: bytes
    """An `OpMetadata`."""
    backend_config: bytes
    operands: tuple[int, ...]
    """The ids of its operands."""
    called: Sequence[int]
    """The ids of the computations that it calls."""
    shows_too_much: bool
    """True if XLA's text of it has values that must not be shown."""


class Computation(Struct, gc=False):
    """A computation of the module."""

    proto: Any
    """The `HloComputationProto`."""
    name: str
    id: int
    instructions: list[Instruction]

    def message(self, one: Instruction) -> Any:
        """The `HloInstructionProto`."""
        return self.proto.instructions[one.place]

    @property
    def parameters(self) -> list[Instruction]:
        """The parameters, ordered by number."""
        found = [one for one in self.instructions if one.opcode == "parameter"]
        return sorted(found, key=lambda one: self.message(one).parameter_number)


def computations_of(module: Any) -> list[Computation]:
    """The computations of a `HloModuleProto` in its order: callees first."""
    return [
        Computation(message, message.name, message.id, [*map(_read, count(), message.instructions)])
        for message in module.computations
    ]


def _read(place: int, message: Any) -> Instruction:
    opcode, shape, config = message.opcode, message.shape, message.backend_config
    operands, called = tuple(message.operand_ids[:]), message.called_computation_ids
    called = called[:] if called else ()
    shows_too_much = _is_long(config) or message.HasField("original_value") or _has_array(message)
    return Instruction(
        place,
        message.name,
        opcode,
        message.id,
        shape,
        message.metadata,
        config,
        operands,
        called,
        shows_too_much,
    )


def strip(found: list[Computation]) -> bool:
    """Removes values from the messages that must not be shown: those of arrays, values before
    optimization, and very long configurations. Scalars stay. XLA prints a missing literal as
    `{...}`. True if there were any."""
    pairs = [(each, one) for each in found for one in each.instructions if one.shows_too_much]
    for each, one in pairs:
        message = each.message(one)
        message.ClearField("original_value")
        if _has_array(message):
            message.ClearField("literal")
        if _is_long(one.backend_config):
            message.ClearField("backend_config")
    return bool(pairs)


def rename(found: list[Computation], names: Names) -> bool:
    """Renames computations and instructions that XLA named after a scope with the number of an eqn,
    also in the messages. True if there were any."""
    called = [one.name for one in found] + [one.name for each in found for one in each.instructions]
    if not names.are_numbered(called):
        return False
    taken = set(called)
    for one in found:
        one.name = one.proto.name = names.free(one.name, "computation", taken)
    for each in found:
        for one in each.instructions:
            one.name = each.message(one).name = names.free(one.name, one.opcode, taken)
    return True


def _has_array(message: Any) -> bool:
    """True if an instruction contains the values of an array: a constant, or a custom call."""
    return bool(message.HasField("literal")) and not is_scalar(message.shape)


def _is_long(config: bytes) -> bool:
    return len(config) > VALUE_LIMIT or b"\n" in config


def attributes_of(message: Any, config: bytes) -> Attributes | None:
    """The attributes in a `HloInstructionProto`; None for an opcode without attributes. `config` is
    the whole configuration, which the message may lack."""
    try:
        return _attributes(message, config)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None  # a file may contain anything


def _attributes(message: Any, config: bytes) -> Attributes | None:
    match message.opcode.removesuffix("-start"):
        case "dot":
            return _dot(message.dot_dimension_numbers)
        case "convolution":
            return _convolution(message, activated=False)
        case "custom-call":
            return _of_library(message, config)
        case "reduce-window" | "select-and-scatter":
            return Sizes(sizes=tuple(one.size for one in message.window.dimensions))
        case "fft":
            return Sizes(sizes=tuple(message.fft_length))
        case "all-gather":
            return _groups(message, tuple(message.dimensions))
        case (
            "all-reduce"
            | "reduce-scatter"
            | "all-to-all"
            | "ragged-all-to-all"
            | "collective-broadcast"
        ):
            return _groups(message, ())
        case "collective-permute":
            return paired([(one.source, one.target) for one in message.source_target_pairs])
        case _:
            return None


def _groups(message: Any, dimensions: tuple[int, ...]) -> Groups:
    """The groups of a collective. Their field depends on XLA's version and on their form. Before
    2023 it was `replica_groups`."""
    if message.HasField("mesh_axes_replica_group_list"):
        return _on_mesh(message.mesh_axes_replica_group_list, dimensions)
    devices = message.collective_device_list
    for exists, found in (
        (message.HasField("iota_collective_device_list"), message.iota_collective_device_list),
        (devices.HasField("iota_replica_group_list"), devices.iota_replica_group_list),
    ):
        if exists:
            return counted(
                found.num_replica_groups,
                found.num_devices_per_group,
                found.iota_reshape_dims,
                found.iota_transpose_perm,
                dimensions,
            )
    groups = devices.replica_groups or message.replica_groups
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


def _convolution(message: Any, activated: bool) -> Convolution:
    numbers, window = message.convolution_dimension_numbers, message.window.dimensions
    return Convolution(
        **xla_labels(numbers),
        strides=tuple(one.stride for one in window),
        padding=tuple(one.padding_low for one in window),
        lhs_dilation=tuple(one.base_dilation for one in window),
        rhs_dilation=tuple(one.window_dilation for one in window),
        activated=activated,
    )


def _of_library(message: Any, config: bytes) -> Attributes | None:
    """The attributes of a library call: cuDNN's are those of a convolution, cuBLAS's are in the
    configuration."""
    if message.HasField("convolution_dimension_numbers"):
        applied = _configured(config, "cudnn_conv_backend_config", "activation_mode")
        return _convolution(message, activated=applied not in (None, "kNone"))
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


def trips_of(config: bytes) -> int | None:
    """The number of iterations of a loop, from its `WhileLoopBackendConfig`; None if XLA does not
    know it."""
    found = _configured(config, "known_trip_count", "n")
    return int(found) if isinstance(found, str | int) and str(found).isdecimal() else None


def _configured(config: bytes, key: str, within: str) -> Any:
    """A value in a configuration, which is JSON; None if it has no such value."""
    try:
        return json.loads(config)[key][within]
    except (KeyError, RecursionError, TypeError, ValueError):
        return None
