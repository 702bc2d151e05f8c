"""The records of where the NaN and the infinity of a run come from."""

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


class NanOrigin(Record, frozen=True):
    """The first NaN, or infinity, of those that reached a result.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> origin = jaxviz.find_nan(lambda x, y: (x / y).sum())(jnp.zeros(3), jnp.zeros(3)).nan
    >>> (origin.op, origin.index, origin.type)
    ('div', (0,), 'f32[3]')
    """

    kind: str
    """`NaN` or `infinity`."""
    at: str
    to: str
    """The eqn or argument, and the result that it reached, by their ids in the program's picture:
    `3.0/5` is eqn 5 in the first body of eqn 3, `in0` the first argument, `const0` the first
    constant, `out0` the first result. Both are the result if the function returns a constant."""
    argument: str | None
    """The argument that had it already; then all that is said of an eqn is empty."""
    op: str
    """The eqn's primitive, such as `log`; empty where no eqn made it."""
    constant: bool
    """True if it comes from a constant of the program, such as `jnp.nan`: one that the eqn takes,
    or that its branch, its body or the function returns."""
    graph: int
    eqn: int
    """`graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`; -1 where there is
    none."""
    frame: Frame | None
    """The user's line; None for an argument, and for eqns of no line of the user's."""
    backward: bool
    """True if the eqn is of the backward pass: then the line is of the forward eqn whose
    derivative it is."""
    around: tuple[str, ...]
    """The loops and branches around it, outermost first: `scan, index 37`."""
    index: tuple[int, ...]
    """The first element that was so. The result follows from it; empty where that is not known of
    any element."""
    type: str
    """The type of the array that has that element: `f32[8,3]`."""
    one_of: int
    """The number of elements that were so, if it is not known from which the result follows; else
    1."""
    device: int | None
    """The device of the mesh, counted along its axes, where it was in `shard_map`."""
    result: str
    """The result that it reached, as the program's picture calls it: `∂x`, `result[0]`."""
    hidden: Hidden | None
    """The `where` that does not help; None if there is none."""
    others: bool
    """True if it met some of other origins in one array, and an eqn left out a part of that array.
    One of those may have reached the result."""


class NanOrigins(Record, frozen=True, tag_field="tool", tag="find_nan"):
    """Where the NaN, and the first infinity, of one run come from."""

    origins: list[NanOrigin]
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """True if the program has a `pure_callback`, which ran again."""
