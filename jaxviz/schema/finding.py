"""The record of a finding: a cost of a program that can be fixed."""

from __future__ import annotations

from jaxviz.schema.card import Page
from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record
from jaxviz.schema.sentence import Sentence


class Finding(Record, frozen=True):
    """One thing in a program, or in what was traced, that costs more than it needs to."""

    kind: str
    """The name of its kind (`upcast`, `constant`), as `# jaxviz: ignore upcast` writes it."""
    what: Sentence
    """What is so, in one sentence."""
    cost: Sentence
    """What it costs, in one sentence."""
    fix: Sentence
    """What to do about it, in one sentence."""
    page: Page
    """The help page of the kind, with an example and its fix."""
    at: Frame | None
    """The user's line where it begins; None where there is none."""
    eqns: list[int]
    """The eqns of the jaxpr that it is about, numbered through all graphs in their order."""
    names: list[str]
    """The arguments or constants that it is about, by the user's paths."""
    bytes: int | None
    """How large the values are that it is about, all together."""

    @property
    def lines(self) -> tuple[str, str, str]:
        """Its kind with what is so and where, what it costs, and the fix."""
        where = f"line {self.at.line}: " if self.at is not None else ""
        return f"{self.kind} · {where}{self.what}", f"costs: {self.cost}", f"fix: {self.fix}"

    def __repr__(self) -> str:
        first, *others = self.lines
        return "\n  ".join([f"<Finding {first}", *others]) + ">"

    def __str__(self) -> str:
        return "\n  ".join(self.lines)
