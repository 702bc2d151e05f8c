"""The records of a trace's steps: the effect of each of the user's lines while JAX traced a
function."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record, Sentence


class Bound(Record, frozen=True):
    """A user's name and its value after a line."""

    name: str
    kind: str
    """`traced` (JAX knows only its type, or that of a part of it), `array` (a concrete array with
    its values), `static` (a plain Python value) or `object` (with unknown contents). An object that
    contains a traced value, such as a model, is traced. Else one that contains an array is an
    array."""
    text: str
    """The type of a traced value or an array (`f32[2,3]`), the text of other values (`(2, 3)`), or
    their type and their number of arrays (`MLP with 6 arrays`)."""


class TraceStep(Record, frozen=True):
    """One line that ran, the beginning of a call, or eqns that no line added."""

    kind: str
    """`enter` (a call begins: `bound` has its arguments), `line`, `return` (the last line of a
    call) or `rest` (the last step: eqns that no line of the user added)."""
    frame: int
    """The line, as an index into `Steps.frames`; the first line of an entered function."""
    depth: int
    """The number of nested calls of the user's functions; 0 in the function itself."""
    bound: list[Bound]
    """The names that the line set."""
    eqns: list[int]
    """The eqns that it added to the jaxpr, including those that library code added to their bodies,
    numbered through all graphs in their order."""
    printed: str
    notes: list[Sentence]
    """The called functions whose Python did not run, and why."""


class Steps(Record, frozen=True, tag_field="tool", tag="steps"):
    """All steps of one trace, in their order."""

    frames: list[Frame]
    steps: list[TraceStep]
    notes: list[Sentence]
    """The omissions of the steps, and why."""
