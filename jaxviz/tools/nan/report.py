"""The origin of a NaN: `jaxviz.find_nan`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Generic, TypeVar

from jaxviz.capture.rerun import rerun
from jaxviz.displayed import Displayed, Report
from jaxviz.program import Program
from jaxviz.tools.nan.capture import origins_of
from jaxviz.tools.nan.record import NanOrigin
from jaxviz.tools.nan.record import NanOrigins as NanOriginsRecord
from jaxviz.tools.nan.text import origins_text

Shown = TypeVar("Shown", bound=Displayed)


class NanOrigins(Report, Generic[Shown]):
    """The origin of the NaN of one run, and of the first infinity. True if a result has a NaN.

    As the last value of a cell it is the program, opened at the origin, with the paths from there
    to the result lit. If nothing was found it is a sentence, as with `print`. `save` writes it to
    a file. NaNs are followed array by array, not element by element. If that leaves two origins
    for one result, the sentence says so.

    Attributes
    ----------
    program : Program
        The program that JAX made of the call.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.find_nan(lambda x: jnp.log(x) * 2.0)(jnp.array([1.0, -1.0]))
    >>> (bool(found), found.nan.op, found.nan.index)
    (True, 'log', (1,))
    """

    __slots__ = ("program", "record")

    _reads = NanOriginsRecord

    def __init__(self, program: Shown, record: NanOriginsRecord) -> None:
        self.program = program
        self.record = record

    @property
    def nan(self) -> NanOrigin | None:
        """The origin of the first NaN that reached a result."""
        return self._first("NaN")

    @property
    def infinity(self) -> NanOrigin | None:
        """The first infinity from finite operands. Infinities of constants, as in masks, do not
        count."""
        return self._first("infinity")

    def _first(self, kind: str) -> NanOrigin | None:
        return next((one for one in self.record.origins if one.kind == kind), None)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The debug prints and callbacks of the program, which were not repeated."""
        return (*self.record.left_out,)

    @property
    def run_again(self) -> bool:
        """True if the program has a `pure_callback`, which ran again."""
        return self.record.run_again

    def __bool__(self) -> bool:
        return self.nan is not None

    def __str__(self) -> str:
        return origins_text(self.program._stages.head.name, self.record)

    __repr__ = __str__

    @classmethod
    def _loaded(cls, program: Any, record: NanOriginsRecord) -> NanOrigins[Any]:
        if not all(_ID.fullmatch(id) for one in record.origins for id in (one.at, one.to)):
            raise ValueError("not an id")
        return cls(program, record)

    def _bundle(self) -> dict[str, Any]:
        return Report._bundle(self) if self.nan or self.infinity else {"text/plain": str(self)}


_ID = re.compile(r"(\d+\.\d+/)*(in|out|const)?\d+")
"""The id of an eqn, an argument, a constant or a result on the page (`js/src/facts/ids.ts`)."""


def find_nan(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
) -> Callable[..., NanOrigins[Program]]:
    """Find the eqn that made the first NaN of a result, and the first infinity.

    The program of the call is compiled anew and runs once. If a result is not finite, it runs
    again, operation by operation, and each distinct one is compiled alone, which takes seconds. A
    loop of more than 200 iterations whose result is not finite is compiled with a few numbers
    beside each array (0.2 s for each eqn in it). Your Python is traced as by `inspect`, and does
    not run a second time. Debug prints and callbacks are left out; a `pure_callback` runs. Values
    may differ from your own run's in the last digits, and arrays that XLA had fused away need
    memory. No element of an array leaves the device.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.

    Returns
    -------
    callable
        A function of the arguments of `fun`, which returns `NanOrigins`: false if no result has
        a NaN.

    Raises
    ------
    CaptureError
        When it is called: if the call cannot be traced, as in `inspect`, and for programs with
        an `io_callback`, whose effect would happen once more.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> bool(jaxviz.find_nan(jnp.sqrt)(4.0))
    False
    >>> jaxviz.find_nan(jnp.sqrt)(-4.0).nan.op
    'sqrt'
    """
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}

    def call(*args: Any, **kwargs: Any) -> NanOrigins[Program]:
        captured, again = rerun(fun, args, kwargs, statics)
        return NanOrigins(Program(*captured), origins_of(again))

    return call
