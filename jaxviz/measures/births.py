"""Where a NaN or an infinity was born, and how that is said. Nothing is run here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from jaxviz.schema import Frame, Hidden, Listing
from jaxviz.schema.graph import line_text


@dataclass(frozen=True, slots=True)
class Birth:
    """The first NaN, or infinity, of those that reached a result.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> born = jaxviz.find_nan(lambda x, y: (x / y).sum())(jnp.zeros(3), jnp.zeros(3)).nan
    >>> (born.op, born.index, born.type)
    ('div', (0,), 'f32[3]')
    """

    result: str
    """The result that it reached, as the program's picture calls it: `∂x`, `result[0]`."""
    argument: str | None
    """The argument that held it already; then there is no eqn."""
    op: str
    """The eqn's primitive, such as `log`."""
    graph: int
    eqn: int
    """`graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`; -1 where there is
    none."""
    constant: bool
    """Whether the eqn has it from a constant that is written in the program, such as `jnp.nan`."""
    frame: Frame | None
    """The user's line."""
    backward: bool
    """Whether the eqn is of the backward pass: then the line is of the forward eqn whose
    derivative it is."""
    around: tuple[str, ...]
    """The loops and branches around it, outermost first: `scan, index 37`."""
    index: tuple[int, ...]
    """The first element that was so. What is so in the result follows from it; empty where that is
    not known of any."""
    one_of: int
    """How many elements were so, if it is not known from which the result follows; else 1."""
    type: str
    """The type of what has that element: `f32[8,3]`."""
    device: int | None
    """The device of the mesh, counted along its axes, where it was in `shard_map`."""
    others: bool
    """Whether it met some of other origins in one array, of which a part was then left out: one of
    those may be what reached the result."""
    hidden: Hidden | None
    """The `where` that hides it in the values, not in their derivatives; None if there is none."""
    at: str
    to: str
    """The eqn or argument, and the result, by their ids in the program's picture: `3.0/5` is eqn 5
    in the first body of eqn 3, `in0` the first argument, `out0` the first result."""

    def sentence(self, what: str) -> str:
        """The birth of `what`, in a sentence."""
        who = "it, or one of the others that it met on the way," if self.others else "it"
        reached = f"{who} reached {self.result}"
        if self.argument is not None:
            return f"{what} was in {self.argument} already; {reached}."
        part = "the backward pass of " if self.backward else ""
        line = f" in {part}{line_text(self.frame)}" if self.frame is not None else ""
        around = "".join(f", in {one}" for one in self.around)
        device = "" if self.device is None else f", on device {self.device} of the mesh"
        born = "came from a constant of" if self.constant else "was born in"
        where = f"{self.op}{line}{around}{device}"
        some = self.index and not self.constant
        which = f" The first in its {self.type} is element {_index(self.index)}." if some else ""
        if self.one_of > 1 and not self.constant:
            which = f" It was one of {self.one_of:,} elements of its {self.type}."
        why = "" if self.hidden is None else f" {why_hidden(self.hidden)}"
        return f"{what} {born} {where}; {reached}.{which}{why}"


def why_hidden(hidden: Hidden) -> str:
    """Why a `where` does not help, and what to write."""
    line, other = hidden.choice.line, hidden.at.line
    there = "" if (line, hidden.choice.file) == (other, hidden.at.file) else f" in line {other}"
    return (
        f"The choice in line {line} does not help: JAX also differentiates the branch that is not "
        f"chosen. Choose the input before `{hidden.before}`{there}, with jnp.where."
    )


def expression_of(listings: Sequence[Listing], frame: Frame) -> str:
    """The expression of a frame, where it stands on one line; empty where that is not known."""
    if not frame.column or frame.end_line != frame.line:
        return ""
    for one in listings:
        lines, at = one.text.split("\n"), frame.line - one.start
        if (one.file, one.cell) == (frame.file, frame.cell) and 0 <= at < len(lines):
            return lines[at][frame.column - 1 : frame.end_column - 1].strip()
    return ""


def called_in(expression: str) -> str:
    """The function that an expression calls, `sqrt` of `jnp.sqrt(x)`; of others themselves."""
    found = re.match(r"(?:\w+\.)*(\w+)\(.*\)$", expression)
    return found[1] if found else expression


def _index(index: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, index))}]"


class Told(NamedTuple):
    """What one run told."""

    nan: Birth | None
    infinity: Birth | None
    left_out: tuple[str, ...]
    run_again: bool


def births_text(function: str, told: Told) -> str:
    """It as text, in a few sentences."""
    lines = [told.nan.sentence("A NaN") if told.nan else _NONE.format(function)]
    if told.infinity is not None:
        lines.append(told.infinity.sentence("An infinity"))
    if told.left_out:
        lines.append(f"Not repeated: {', '.join(told.left_out)}.")
    if told.run_again:
        lines.append("pure_callback ran again.")
    return "\n".join(lines)


_NONE = (
    "No result of {} has a NaN in this run. Fused or in another order an operation may round "
    "otherwise, so a NaN of your own run need not recur here."
)
