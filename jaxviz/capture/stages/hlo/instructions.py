"""Reads the instructions of a `HloModuleProto` once, before what its text must not show is taken
out of it: each look at a message makes an object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from jaxviz.capture.jaxprs.params import VALUE_LIMIT


class Instruction(Struct, gc=False):
    """One instruction, and what its message holds."""

    held: Any
    """The `HloInstructionProto`."""
    name: str
    opcode: str
    id: int
    op_name: bytes
    backend_config: bytes
    called: Sequence[int]
    """The ids of the computations that it calls."""


class Computation(Struct, gc=False):
    """One computation."""

    held: Any
    """The `HloComputationProto`."""
    name: str
    id: int
    instructions: list[Instruction]

    @property
    def parameters(self) -> list[Instruction]:
        """Its parameters, by their numbers."""
        found = (one for one in self.instructions if one.opcode == "parameter")
        return sorted(found, key=lambda one: one.held.parameter_number)


def computations_of(module: Any) -> list[Computation]:
    """Those of a `HloModuleProto`, in its order: callees first."""
    return [
        Computation(held, held.name, held.id, [*map(_read, held.instructions)])
        for held in module.computations
    ]


def _read(held: Any) -> Instruction:
    called, op_name = held.called_computation_ids, held.metadata.op_name
    ids = [*called] if called else ()
    return Instruction(held, held.name, held.opcode, held.id, op_name, held.backend_config, ids)


def strip(module: Any, computations: list[Computation]) -> None:
    """Takes out of a module what its text must not show: metadata and its tables of files,
    configurations too long to read, and arrays' values. XLA prints a literal that is missing as
    `{...}`; scalars stay."""
    module.ClearField("stack_frame_index")
    for computation in computations:
        for one in computation.instructions:
            held, config = one.held, one.backend_config
            held.ClearField("metadata")
            held.ClearField("original_value")
            if len(config) > VALUE_LIMIT or b"\n" in config:
                held.ClearField("backend_config")
            if held.HasField("literal") and not is_scalar(held.shape):
                held.ClearField("literal")
            if held.HasField("sharding"):
                _without_metadata(held.sharding)


def is_scalar(shape: Any) -> bool:
    return not shape.dimensions and not shape.tuple_shapes


def _without_metadata(sharding: Any) -> None:
    sharding.ClearField("metadata")
    for part in sharding.tuple_shardings:
        _without_metadata(part)
    if hasattr(sharding, "named_sharding") and sharding.HasField("named_sharding"):
        _without_metadata(sharding.named_sharding)
