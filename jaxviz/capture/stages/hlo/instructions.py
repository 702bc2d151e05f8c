"""Reads the instructions of a `HloModuleProto` once, before what its text must not show is taken
out of it: each look at a message makes an object."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from msgspec import Struct

from jaxviz.capture.jaxprs.params import VALUE_LIMIT
from jaxviz.capture.stages.hlo.shapes import is_scalar
from jaxviz.capture.stages.op_names import Names


class Instruction(Struct, gc=False):
    """The fields of an instruction's message. The message itself would slow Python's collector."""

    place: int
    """Which one of its computation's it is."""
    name: str
    opcode: str
    id: int
    shape: bytes
    """A `ShapeProto`."""
    metadata: bytes
    """An `OpMetadata`."""
    backend_config: bytes
    operands: tuple[int, ...]
    """The ids of the instructions whose values it takes."""
    called: Sequence[int]
    """The ids of the computations that it calls."""
    shows_too_much: bool
    """Whether XLA prints more of it than is shown."""


class Computation(Struct, gc=False):
    """One computation."""

    held: Any
    """The `HloComputationProto`."""
    name: str
    id: int
    instructions: list[Instruction]

    def message(self, one: Instruction) -> Any:
        """The `HloInstructionProto`."""
        return self.held.instructions[one.place]

    @property
    def parameters(self) -> list[Instruction]:
        """Its parameters, by their numbers."""
        found = [one for one in self.instructions if one.opcode == "parameter"]
        return sorted(found, key=lambda one: self.message(one).parameter_number)


def computations_of(module: Any) -> list[Computation]:
    """Those of a `HloModuleProto`, in its order: callees first."""
    return [
        Computation(held, held.name, held.id, [*map(_read, count(), held.instructions)])
        for held in module.computations
    ]


def _read(place: int, held: Any) -> Instruction:
    opcode, shape, config = held.opcode, held.shape, held.backend_config
    operands, called = tuple(held.operand_ids[:]), held.called_computation_ids
    called = called[:] if called else ()
    too_much = _is_long(config) or held.HasField("original_value") or _has_array(held)
    return Instruction(
        place, held.name, opcode, held.id, shape, held.metadata, config, operands, called, too_much
    )


def strip(found: list[Computation]) -> bool:
    """Takes out of the messages what is not shown: arrays' values, configurations too long to
    read, and values before optimization. XLA prints a literal that is missing as `{...}`; scalars
    stay. Whether there was any."""
    pairs = [(each, one) for each in found for one in each.instructions if one.shows_too_much]
    for each, one in pairs:
        held = each.message(one)
        held.ClearField("original_value")
        if _has_array(held):
            held.ClearField("literal")
        if _is_long(one.backend_config):
            held.ClearField("backend_config")
    return bool(pairs)


def rename(found: list[Computation], names: Names) -> bool:
    """Gives other names to the computations and instructions that XLA named after a scope with the
    number of an eqn, in the messages too. Whether there were any."""
    called = [one.name for one in found] + [one.name for each in found for one in each.instructions]
    if not names.are_numbered(called):
        return False
    taken = set(called)
    for one in found:
        one.name = one.held.name = names.free(one.name, "computation", taken)
    for each in found:
        for one in each.instructions:
            one.name = each.message(one).name = names.free(one.name, one.opcode, taken)
    return True


def _has_array(held: Any) -> bool:
    """Whether more values than one are written in an instruction: XLA lets a custom call have them,
    too, not a constant alone."""
    return bool(held.HasField("literal")) and not is_scalar(held.shape)


def _is_long(config: bytes) -> bool:
    return len(config) > VALUE_LIMIT or b"\n" in config
