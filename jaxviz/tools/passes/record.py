"""The records of XLA's passes over a program."""

from __future__ import annotations

from jaxviz.schema.record import Record


class OpCount(Record, frozen=True):
    """The number of instructions of one opcode before and after a pass."""

    op: str
    before: int
    after: int


class Pass(Record, frozen=True):
    """A pass that changed the program, or a change of XLA between two passes."""

    pipeline: str
    """The pipeline that it belongs to; empty after the last pipeline."""
    name: str
    """XLA's name of the pass: `algsimp`. Empty for a change between passes."""
    instructions: int
    """The number of instructions after it, in all computations, counted as in the stage after
    it."""
    ops: list[OpCount]
    """The opcodes whose number changed, the largest change first."""
    gone: list[int]
    """The eqns of the jaxpr, by number, after which no instruction is named from here on: the pass
    folded, removed or renamed it. Optimized HLO has no instruction of theirs, not even by a
    guess."""


class Passes(Record, frozen=True, tag_field="tool", tag="passes"):
    """XLA's passes over a program, in order."""

    before: int
    """The number of instructions before the first pass."""
    passes: list[Pass]
    unnamed: list[int]
    """The eqns after which no instruction was named even before the first pass."""
    constants: int | None
    """The bytes of constants that XLA would write to a private folder for a moment, if the reader
    has to agree first. Then there are no passes here. None if no agreement is needed."""
