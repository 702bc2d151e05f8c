"""The records of an error card (the failing line, the reason, and fixes), and of a question."""

from __future__ import annotations

from typing import Literal

from jaxviz.schema.graph import Frame, line_text
from jaxviz.schema.record import Record, Sentence


class Fix(Record, frozen=True):
    """One fix of a call that failed."""

    title: Sentence
    promise: str
    """`same result` (the result that Python would compute if it had the values), `other result` (it
    works, and `differs` says how its result differs) or `sketch` (advice, without an edit)."""
    differs: Sentence
    """The difference, or other information, in one or two sentences; may be empty."""
    first: int
    last: int
    """Lines `first` to `last` of the cell or file, from 1, are replaced; both are 0 in a sketch."""
    before: list[str]
    lines: list[str]
    """The lines that are replaced, and the new lines."""
    tries: bool
    """True if it can be tried: the function is traced with these lines, and nothing is written."""


class Step(Record, frozen=True):
    """One operation between an argument and the value that Python asked for."""

    op: str
    line: int
    """The user's line; 0 if not known."""


class Side(Record, frozen=True):
    """One of several arrays, or leaves of a loop or a branch, that do not fit together."""

    name: str
    """The user's name."""
    role: str
    """For a loop's carry: `given` or `returned`; else empty."""
    type: str
    """`f32[4,3]`."""
    differ: list[int]
    """The axes, from 0, that do not fit the other side."""


class TreeRow(Record, frozen=True):
    """One line of a tree: a leaf, or a node above leaves."""

    key: str
    """The key: `['w']`, `[0]`, `.w`. In the first row, the name of a loop's carry, or empty for the
    result of branches."""
    depth: int
    types: list[str]
    """The leaf of each side: `f32[4,3]`; empty if it has no leaf there."""
    fits: bool


class Tree(Record, frozen=True):
    """Two pytrees that should be alike: a loop's input and output carry, or the results of two
    branches."""

    sides: list[str]
    """`given` and `returned`, or the names of the branches."""
    rows: list[TreeRow]
    others: int
    """The number of leaves that fit and are left out."""


class Largest(Record, frozen=True):
    """The largest value of a program that ran out of memory."""

    type: str
    bytes: int
    eqn: int
    """The number of the eqn that makes it."""
    at: Frame | None
    """The line that makes it."""
    asked: int | None
    """The bytes that XLA requested, from its message."""


class Page(Record, frozen=True):
    """A help page on a kind of error or finding, in Markdown, in each language."""

    en: str
    ko: str

    def __repr__(self) -> str:
        return f"<Page: {self.en.partition(chr(10))[0].lstrip('# ')}>"


class Card(Record, frozen=True, tag_field="tool", tag="explain"):
    """The card of an error."""

    kind: str
    """The name of its kind: `condition`, `shapes`, … (`%jaxviz explain KIND` shows its page)."""
    title: str
    error: str
    """The exception's class."""
    why: str
    """The reason, in plain words."""
    page: Page
    """The help page of the kind. It begins with the title and the reason."""
    at: Frame
    """The failing line, with the columns of the expression that failed."""
    code: list[str]
    """Lines of the cell or file around the expression."""
    start: int
    """The number of the first of these lines."""
    asked: str
    """The type of the value that Python asked for; empty if it asked for none."""
    root: Sentence
    """Where that value comes from: `argument x f32[3]`; empty if not known."""
    story: list[Step]
    """The operations from there to the value."""
    sides: list[Side]
    tree: Tree | None
    """The pytrees whose leaves do not fit; None for arrays, and if JAX's own frames are gone."""
    largest: Largest | None
    born: Frame | None
    """The line that made a leaked value."""
    fixes: list[Fix]

    def __repr__(self) -> str:
        return f"<Card {self.kind}: {self.title}, {line_text(self.at)}>"


class QuizAnswer(Record, frozen=True):
    """An answer that readers give to a question."""

    text: str
    """A choice as its label, or the answer as a reader types it."""
    right: bool
    because: str
    """The explanation that a reader sees after this answer. Backticks mark code."""


class Quiz(Record, frozen=True):
    """A question. The page compares the reader's answer, without a kernel."""

    version: int
    name: str
    language: str
    """The language of its texts: `en` or `ko`."""
    kind: Literal["choice", "number", "text", "value"]
    """The form of an answer: one of the choices, one number, a short text, or a value that only
    Python can check."""
    question: str
    """Backticks mark code."""
    answers: list[QuizAnswer]
    """The choices in their order, or the right answer and the wrong ones that readers give."""
    otherwise: str
    """The hint for any other answer; empty if there is none."""
    given: str | None
    """The answer that Python compared; None if there is none."""


class QuizDisplay(Record, frozen=True):
    """A question as an output contains it (MIME type `application/vnd.jaxviz.quiz.v1+json`)."""

    version: int
    jaxviz: str
    """The version of jaxviz that wrote it; empty if that is not known."""
    quiz: str
    """A `Quiz` as JSON, deflated (zlib, RFC 1950), in base64: so nobody reads the answer by
    accident."""
