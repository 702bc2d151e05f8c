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


def shows_too_much(one: Instruction) -> bool:
    """Whether XLA prints more of an instruction than is shown."""
    return _has_array(one) or _is_long(one.backend_config) or one.held.HasField("original_value")


def strip(instructions: list[Instruction]) -> None:
    """Takes out of the messages what is not shown: arrays' values, configurations too long to
    read, and values before optimization. XLA prints a literal that is missing as `{...}`; scalars
    stay."""
    for one in filter(shows_too_much, instructions):
        one.held.ClearField("original_value")
        if _has_array(one):
            one.held.ClearField("literal")
        if _is_long(one.backend_config):
            one.held.ClearField("backend_config")


def _has_array(one: Instruction) -> bool:
    return one.held.HasField("literal") and not is_scalar(one.held.shape)


def _is_long(config: bytes) -> bool:
    return len(config) > VALUE_LIMIT or b"\n" in config


def is_scalar(shape: Any) -> bool:
    return not shape.dimensions and not shape.tuple_shapes
