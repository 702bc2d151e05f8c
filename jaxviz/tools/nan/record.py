"""The records of the origins of a run's NaN and infinity."""

from __future__ import annotations

from jaxviz.schema.graph import Frame
from jaxviz.schema.record import Record, Words


class Hidden(Record, frozen=True):
    """A `where` that hides a NaN in the values, and not in their derivatives: in the backward pass
    the other branch is differentiated, too."""

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
    """The argument that contained it; then all fields of an eqn are empty."""
    op: str
    """The eqn's primitive, such as `log`; empty if no eqn made it."""
    constant: bool
    """True if it comes from a constant of the program, such as `jnp.nan`: one that the eqn reads,
    or that its branch, its body or the function returns."""
    graph: int
    eqn: int
    """`graph` and `eqn` find it in `jaxviz.inspect(f)(...).stage("jaxpr")`; -1 if there is none."""
    frame: Frame | None
    """The user's line; None for an argument, and for eqns without a line of the user."""
    backward: bool
    """True if the eqn is in the backward pass. The line is then that of the forward eqn whose
    derivative it is."""
    around: tuple[Words, ...]
    """The loops and branches around it, outermost first: `scan, index 37`."""
    index: tuple[int, ...]
    """The first flawed element. The result follows from it; empty if this is unknown for every
    element."""
    type: str
    """The type of the array with that element: `f32[8,3]`."""
    one_of: int
    """The number of flawed elements, if it is unknown from which of them the result follows; else
    1."""
    device: int | None
    """The device of the mesh, counted along its axes, if it was in `shard_map`."""
    result: str
    """The name of the result that it reached in the program's picture: `∂x`, `result[0]`."""
    hidden: Hidden | None
    """The `where` that does not help; None if there is none."""
    others: bool
    """True if it met flaws of other origins in one array, and an eqn omitted a part of that array.
    One of those may have reached the result."""


class NanOrigins(Record, frozen=True, tag_field="tool", tag="find_nan"):
    """The origins of the NaN and of the first infinity of one run."""

    origins: list[NanOrigin]
    left_out: list[str]
    """Debug prints and callbacks, which were not repeated."""
    run_again: bool
    """True if the program has a `pure_callback`, which ran again."""
