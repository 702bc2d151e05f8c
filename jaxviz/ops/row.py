"""The row of one operation, and the meanings of its params."""

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
"""The kind of work that an operation does, in the order of the legend. It sets the colour."""

Bodies = Literal["", "called", "looped", "chosen", "applied"]
"""The use of an operation's bodies: it runs each once, runs them repeatedly, runs one of them, or
applies one to its elements. Empty if the number of runs is unknown."""

NOT_REPORTED = ""
"""The cost of an operation without a formula: its flops are unknown, and its bytes are those of its
operands and results."""
UNKNOWN = "unknown"
"""The cost of an operation without a row: both are unknown."""
OLDEST = "0.6.2"
"""The oldest supported JAX. An operation may be older."""
NO_PRIMITIVE = ""


@dataclass(frozen=True)
class Meaning:
    """The meaning of a param: one sentence for all its values, or sentences that depend on the
    value.

    `form` names the function of `js/src/words/params/forms.ts` that makes the text from
    `arguments`, `sentences`, the value and the eqn's `attributes`.
    """

    form: str
    sentences: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def when(value: str, sentence: str) -> Meaning:
    """A sentence that is shown for one value only."""
    return Meaning("when", (sentence,), (value,))


def unless(value: str, sentence: str) -> Meaning:
    """A sentence that is shown for all values except one."""
    return Meaning("unless", (sentence,), (value,))


def along(sentence: str) -> Meaning:
    """The meaning of a param that lists dimensions; `%1` becomes "dimensions 0 and 1"."""
    return Meaning("along", (sentence,))


def choice(sentences: Mapping[str, str]) -> Meaning:
    """A sentence for each value."""
    return Meaning("choice", tuple(sentences.values()), tuple(sentences))


def counted(one: str, more: str) -> Meaning:
    """The meaning of a number; `%1` becomes this number."""
    return Meaning("counted", (one, more))


def spread(sentence: str) -> Meaning:
    """The meaning of a list of numbers, shown if one of them is not 1."""
    return Meaning("spread", (sentence,))


def read_by(form: str) -> Meaning:
    """The meaning of a param in several parts; `forms.ts` has its sentences."""
    return Meaning(form)


Params = Mapping[str, str | Meaning]


@dataclass(frozen=True)
class Op:
    """A primitive of JAX, an operation of StableHLO or an instruction of HLO. Ops with one name do
    the same work."""

    name: str
    """The name in JAX's style, with `_` for `-` and without a dialect: `dot_general`."""
    does: str
    """Its effect in one sentence; empty for an op that is no primitive."""
    params: Params = field(default_factory=dict)
    """The meanings of its params that matter to users."""
    family: Family = "other"
    cost: str = NOT_REPORTED
    """The formula of its flops and bytes, by its name in `jaxviz/analysis/cost/flops.py`."""
    bodies: Bodies = ""
    operands: str = ""
    """The names of its operands, if their order alone is unclear: `lhs rhs`. If `…` follows the
    last name, it applies to all further ones."""
    idle: bool = False
    """True if it does nothing at run time: it names or groups values."""
    alias: bool = False
    """True if its results are its operands under another name, with the same lifetime."""
    titled: bool = False
    """True for a call that shows only the name of its function: `relu`, not `custom_jvp_call
    relu`; and for a loop or choice, which shows the function of JAX that made it: `fori_loop`."""
    since: str = OLDEST
    """The first JAX that has it; empty if it is no primitive."""
    until: str = ""
    """The last JAX that has it; empty if the newest does."""
