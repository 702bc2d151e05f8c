"""The records of what XLA's passes made of a program."""

from __future__ import annotations

from jaxviz.schema.record import Record


class OpCount(Record, frozen=True):
    """How many instructions of one opcode there were before a pass, and how many after it."""

    op: str
    before: int
    after: int


class Pass(Record, frozen=True):
    """A pass that changed the program, or what XLA changed between two passes."""

    pipeline: str
    """The pipeline that it is a step of; empty for what came after the last one."""
    name: str
    """XLA's name of it: `algsimp`. Empty for what was changed between passes."""
    instructions: int
    """How many there are after it, in all computations, as the stage after it counts them."""
    ops: list[OpCount]
    """The opcodes of which there are more or fewer than before, those that changed most first."""
    gone: list[int]
    """The eqns of the jaxpr, by number, after which no instruction is named from here on: the pass
    folded, removed or renamed it. Optimized HLO has none of theirs, not even by a guess."""


class Passes(Record, frozen=True, tag_field="tool", tag="passes"):
    """What XLA's passes made of a program, in their order."""

    before: int
    """How many instructions there were before the first pass."""
    passes: list[Pass]
    unnamed: list[int]
    """The eqns after which no instruction was named before the first pass either."""
    constants: int | None
    """For how many bytes of constants, which XLA would write to a private folder for a moment, the
    reader has to agree first; then there are no passes here. None where there is no need to."""
