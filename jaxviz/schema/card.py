"""The record of an error card: what failed, where, why, and what to write instead."""

from __future__ import annotations

from jaxviz.schema.graph import Frame, line_text
from jaxviz.schema.record import Record
from jaxviz.schema.sentence import Sentence


class Fix(Record, frozen=True):
    """One fix of a call that failed."""

    title: Sentence
    promise: str
    """`same result` (what Python would compute if it had the values), `other result` (it works, and
    `differs` says how its result differs) or `sketch` (what to do, without an edit)."""
    differs: Sentence
    """What differs, or what to know, in one or two sentences; may be empty."""
    first: int
    last: int
    """Lines `first` to `last` of the cell or file, from 1, are replaced; both are 0 in a sketch."""
    before: list[str]
    lines: list[str]
    """The lines that are replaced, and what replaces them."""
    tries: bool
    """Whether it can be tried: the function is traced with these lines, and nothing is written."""


class Step(Record, frozen=True):
    """One operation on the way from an argument to the value that was asked for."""

    op: str
    line: int
    """The user's line; 0 where not known."""


class Side(Record, frozen=True):
    """One of the arrays, or of the leaves of a loop or a branch, that do not fit together."""

    name: str
    """As the user wrote it."""
    role: str
    """`given` or `returned`, of what a loop carries; else empty."""
    type: str
    """`f32[4,3]`."""
    differ: list[int]
    """The axes, from 0, that do not fit the other side."""


class TreeRow(Record, frozen=True):
    """One line of a tree: a leaf, or what holds leaves."""

    key: str
    """Of the first row the name of what is carried, empty for the result of branches; of all others
    the key: `['w']`, `[0]`, `.w`."""
    depth: int
    types: list[str]
    """What each side has there: `f32[4,3]`; empty where it has no leaf."""
    fits: bool


class Tree(Record, frozen=True):
    """Two pytrees that should be alike, as one: what a loop is given and what it returns, or the
    results of two branches."""

    sides: list[str]
    """`given` and `returned`, or the names of the branches."""
    rows: list[TreeRow]
    others: int
    """Leaves that fit, and are left out."""


class Largest(Record, frozen=True):
    """The largest value of a program for which memory did not suffice."""

    type: str
    bytes: int
    eqn: int
    """The number of the eqn that makes it."""
    at: Frame | None
    """The line that makes it."""
    asked: int | None
    """How many bytes XLA asked for, as its message says."""


class Page(Record, frozen=True):
    """A page of text on a kind of error, in Markdown, in each language (`jaxviz/pages`)."""

    en: str
    ko: str

    def __repr__(self) -> str:
        return f"<Page: {self.en.partition(chr(10))[0].lstrip('# ')}>"


class Card(Record, frozen=True, tag_field="tool", tag="explain"):
    """What is known of an error."""

    kind: str
    """The name of its kind: `condition`, `shapes`, … (`%jaxviz explain KIND` shows its page)."""
    title: str
    error: str
    """The exception's class."""
    why: str
    """Why it is so, in plain words."""
    page: Page
    """All that is said of the kind; it begins with the title and why."""
    at: Frame
    """The failing line, with the columns of the expression that failed."""
    code: list[str]
    """Lines of the cell or file around the expression."""
    start: int
    """The number of the first of these lines."""
    asked: str
    """The type of the value that was asked for; empty where none was."""
    root: Sentence
    """What that value comes from: `argument x f32[3]`; empty where it is not known."""
    story: list[Step]
    """The operations from there to the value."""
    sides: list[Side]
    tree: Tree | None
    """Where leaves of pytrees do not fit; None of arrays, and where JAX's own frames are gone."""
    largest: Largest | None
    born: Frame | None
    """Where a value that leaked was made."""
    fixes: list[Fix]

    def __repr__(self) -> str:
        return f"<Card {self.kind}: {self.title}, {line_text(self.at)}>"
