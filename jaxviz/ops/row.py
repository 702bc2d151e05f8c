"""What there is to know of one operation, and how the meaning of a param is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Family = Literal[
    "contraction",
    "elementwise",
    "reduction",
    "movement",
    "control",
    "call",
    "random",
    "collective",
    "other",
]
"""What kind of work an operation does, and so its colour, in the order of the legend."""

Bodies = Literal["", "called", "looped", "chosen", "applied"]
"""What an operation does with its bodies: runs each of them once, runs them over and over, runs one
of them, or applies one to its elements. Empty where nothing is known of how often they run."""

NOT_REPORTED = ""
"""The cost of what has no formula: its flops are not known; it reads its operands and writes its
results."""
UNKNOWN = "unknown"
"""The cost of what has no row: nothing is known of it."""
OLDEST = "0.6.2"
"""The oldest JAX that is supported: an operation may be older."""
NO_PRIMITIVE = ""


@dataclass(frozen=True)
class Meaning:
    """What a param means: one sentence for all its values, or sentences that depend on the value.

    `form` is the function of `js/src/words/params/forms.ts` that makes the text, of
    `arguments`, these sentences, the value and the eqn's `attributes`.
    """

    form: str
    sentences: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def when(value: str, sentence: str) -> Meaning:
    """Said for that value alone."""
    return Meaning("when", (sentence,), (value,))


def unless(value: str, sentence: str) -> Meaning:
    """Said for all other values."""
    return Meaning("unless", (sentence,), (value,))


def along(sentence: str) -> Meaning:
    """Of a param that lists dimensions; `%1` stands for "dimensions 0 and 1"."""
    return Meaning("along", (sentence,))


def choice(sentences: Mapping[str, str]) -> Meaning:
    """A sentence for each value."""
    return Meaning("choice", tuple(sentences.values()), tuple(sentences))


def counted(one: str, more: str) -> Meaning:
    """Of a number; `%1` stands for it."""
    return Meaning("counted", (one, more))


def spread(sentence: str) -> Meaning:
    """Of a list of numbers, said where one of them is not 1."""
    return Meaning("spread", (sentence,))


def read_by(form: str) -> Meaning:
    """For a param whose parts have a meaning; `forms.ts` has its sentences."""
    return Meaning(form)


Params = Mapping[str, str | Meaning]


@dataclass(frozen=True)
class Op:
    """A primitive of JAX, an operation of StableHLO or an instruction of HLO: those of one name do
    the same work."""

    name: str
    """As JAX writes its primitives, `-` written `_`, without a dialect: `dot_general`."""
    does: str
    """What it does, in a sentence. Empty for what is no primitive: nothing shows it there."""
    params: Params = field(default_factory=dict)
    """What its params mean, of those that mean something to users."""
    family: Family = "other"
    cost: str = NOT_REPORTED
    """The formula of its flops and bytes, by its name in `jaxviz/analysis/cost/flops.py`."""
    bodies: Bodies = ""
    operands: str = ""
    """What its operands are called, where their order alone does not tell: `lhs rhs`. The last name
    stands for all further ones if `…` follows it."""
    idle: bool = False
    """Nothing is done when it runs: it names, or holds together, what is there."""
    alias: bool = False
    """Its results are its operands by another name, and live as long."""
    since: str = OLDEST
    """The first JAX that has it; empty for what is no primitive."""
    until: str = ""
    """The last JAX that has it; empty where the newest does."""
