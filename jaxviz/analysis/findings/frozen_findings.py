"""Values that a program keeps from its trace, and that are others now."""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.analysis.findings.indexed_program import Draft, IndexedProgram
from jaxviz.schema import FrozenValue
from jaxviz.schema.record import Sentence
from jaxviz.sentences import sentence

EARLIER = sentence("traced earlier")


def frozen_values(indexed: IndexedProgram) -> Iterator[Draft]:
    """The values that the program keeps from an earlier trace."""
    for one in indexed.program.frozen:
        yield Draft(fact_of(one), names=[one.path], at=one.at)


def fact_of(one: FrozenValue) -> Sentence:
    """The sentence that says which value is used, and which it is now."""
    parts = {"function": one.function, "path": one.path, "traced": _traced(one)}
    if one.kind == "value":
        return sentence("frozen-value", **parts, before=one.before, now=one.now)
    return sentence(f"frozen-value, {one.kind}", **parts)


def _traced(one: FrozenValue) -> Sentence:
    """The trace that read the value: `(traced for f32[3] in cell 2)`."""
    if one.traced is None:
        return sentence("traced somewhere", types=one.types) if one.types else EARLIER
    if not one.types:
        return sentence("traced, no arguments", place=one.traced.file)
    return sentence("traced", types=one.types, place=one.traced.file)
