"""The records of where a NaN or an infinity was born in a run."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record


class Hidden(Record, frozen=True):
    """A `where` that hides a NaN in the values, and not in their derivatives: backward, the branch
    that is not chosen is differentiated too."""

    choice: Frame
    """The line of the `where`."""
    at: Frame
    """The line whose derivative is not finite."""
    before: str
    """The operation that needs a chosen input: `sqrt`, or an expression such as `1 / r`."""


class Born(Record, frozen=True):
    """The first NaN, or infinity, of those that reached a result."""

    kind: str
    """`NaN` or `infinity`."""
    at: str
    to: str
    """The eqn or argument, and the result that it reached, by their ids on the page: `3.0/5`,
    `in0`, `out0`."""
    argument: str | None
    """The argument that held it already; then all that is said of an eqn is empty."""
    op: str
    constant: bool
    """Whether the eqn has it from a constant that is written in the program."""
    frame: Frame | None
    """The line; None for an argument, and for eqns of no line of the user's."""
    backward: bool
    """Whether the eqn is of the backward pass: then the line is of the forward eqn whose
    derivative it is."""
    around: list[str]
    """The loops and branches around it, outermost first: `scan, index 37`."""
    index: list[int]
    type: str
    """`index` is the first element that was so, of an array of this type: `f32[8,3]`. Empty if it
    is not known that the result follows from it."""
    one_of: int
    """How many elements were so, if it is not known from which the result follows; else 1."""
    device: int | None
    """The device of the mesh, where it was in `shard_map`."""
    result: str
    """The result that it reached, by the user's path: `result[0]`."""
    hidden: Hidden | None
    """The `where` that does not help; None if there is none."""
    others: bool
    """Whether it, or one of the others that it met on the way, is what reached the result."""


class Births(Record, frozen=True, tag_field="tool", tag="find_nan"):
    """Where the NaN, and the first infinity, of one run were born."""

    born: list[Born]
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran again."""
