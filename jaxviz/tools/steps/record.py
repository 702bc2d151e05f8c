"""The records of a trace's steps: what each of the user's lines did while JAX traced a function."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record
from jaxviz.schema.sentence import Sentence


class Bound(Record, frozen=True):
    """A name of the user's and what it stands for after a line."""

    name: str
    kind: str
    """`traced` (JAX knows its type alone, or that of a part of it), `array` (an array that is
    there, with its values), `static` (a plain value of Python's) or `object` (of which it is not
    known what it holds). What holds a traced value, such as a model, is traced; else what holds an
    array is one."""
    text: str
    """A traced value or an array by its type (`f32[2,3]`), others as they are (`(2, 3)`) or by
    their type and how many arrays they hold (`MLP with 6 arrays`)."""


class TraceStep(Record, frozen=True):
    """One line that ran, the beginning of a call, or what no line added."""

    kind: str
    """`enter` (a call begins: `bound` has its arguments), `line`, `return` (the last line of a
    call) or `rest` (the last step: eqns that no line of the user's added)."""
    frame: int
    """The line, as an index into `Steps.frames`; the function's first line where it is entered."""
    depth: int
    """How many calls of the user's functions it lies in; 0 in the function itself."""
    bound: list[Bound]
    """The names that the line set."""
    eqns: list[int]
    """The eqns that it added to the jaxpr, with what library code put into their bodies, numbered
    through all graphs in their order."""
    printed: str
    notes: list[Sentence]
    """What it called whose Python did not run, and why."""


class Steps(Record, frozen=True, tag_field="tool", tag="steps"):
    """All steps of one trace, in their order."""

    frames: list[Frame]
    steps: list[TraceStep]
    notes: list[Sentence]
    """What is not in the steps, and why."""
