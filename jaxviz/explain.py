"""Explains exceptions as cards: `explain`, and `explain_uncaught` for scripts."""

from __future__ import annotations

import sys
from contextlib import suppress
from types import TracebackType
from typing import Any

from jaxviz import schema
from jaxviz.capture import Attempt, CaptureError, card_of, no_card
from jaxviz.capture.shown.objects import cause_of, title_of
from jaxviz.display.bundle import card_bundle, key_for, shown
from jaxviz.display.outputs import FixAnswers
from jaxviz.display.text.reports import card_text
from jaxviz.displayed import Report
from jaxviz.inspecting import inspected
from jaxviz.program import Program, finished_program, unfinished_program
from jaxviz.tools.registry import NanOrigins, find_nan


class Explanation(Report):
    """An error explained in strings and numbers, without the exception itself.

    As the last value of a cell it is the card. `print` writes it as text, and `save` writes it to a
    file.

    Attributes
    ----------
    card : Card
        The expression that failed, where the value comes from, why it failed, and fixes.
    program : Program
        The program that JAX had recorded before the error. It has no eqns if they are not known.

    Examples
    --------
    >>> import jax, jaxviz
    >>> @jax.jit
    ... def f(x):
    ...     return x if x > 0 else -x
    >>> try:
    ...     f(1.0)
    ... except Exception as error:
    ...     print(jaxviz.explain(error).card.kind)
    condition
    """

    __slots__ = ("_attempts", "card", "program")

    _reads = schema.Card
    _is_text = True

    def __init__(self, card: schema.Card, program: Program, attempts: list[Attempt | None]) -> None:
        self.card = card
        self.program = program
        self._attempts = attempts

    def try_fix(self, number: int = 0) -> Program | NanOrigins[Program] | Explanation:
        """Trace the function with a fix of the card. The code stays as it is.

        The functions of the cell or file are defined again in a copy of its namespace. The function
        that failed is traced with types in place of its arrays. So its Python code runs once, with
        its side effects. For a NaN the cell's call is evaluated again, and `find_nan` runs its
        program once.

        Parameters
        ----------
        number : int
            The index of the fix in `card.fixes`, from 0.

        Returns
        -------
        Program, NanOrigins or Explanation
            The new program, the origin of a NaN, or the next card.

        Raises
        ------
        ValueError
            If the fix cannot be tried, or the function that failed no longer exists.

        Examples
        --------
        >>> import jax, jax.numpy as jnp, jaxviz
        >>> @jax.jit
        ... def f(x):
        ...     return x if x > 0 else -x
        >>> try:
        ...     f(1.0)
        ... except Exception as error:
        ...     found = jaxviz.explain(error)
        >>> found.card.fixes[0].lines
        ['    return jnp.where(x > 0, x, -x)']
        >>> [eqn.op for eqn in found.try_fix(0).stage("jaxpr").graphs[0].eqns]
        ['gt', 'neg', 'jit']
        """
        count = len(self._attempts)
        if number not in range(count):
            fixes = f"the numbers of its fixes are 0 to {count - 1}" if count else "it has no fix"
            raise ValueError(f"number cannot be {number!r} for this card: {fixes}.")
        attempt = self._attempts[number]
        if attempt is None:
            raise ValueError("this fix cannot be tried: write it into the code, and run that.")
        try:
            fun, args, kwargs, statics = attempt()
            if self.card.kind == "nan":
                return find_nan(fun)(*args, **kwargs)
            return inspected(fun, args, kwargs, **statics)
        except CaptureError as error:
            return explain(error)

    def __str__(self) -> str:
        return card_text(self.card, self.program.record)

    __repr__ = __str__

    @property
    def record(self) -> schema.Card:
        """The card as a record."""
        return self.card

    @classmethod
    def _loaded(cls, program: Program, record: schema.Card) -> Explanation:
        return cls(record, program, [None] * len(record.fixes))

    def _bundle(self) -> dict[str, Any]:
        key = key_for(FixAnswers(self._tried)) if any(self._attempts) else ""
        return card_bundle(self.card, self.program.record, str(self), key)

    def _tried(self, number: int) -> schema.Display:
        """Give the display of a fix that a page asks to try."""
        found = self.try_fix(number)
        if isinstance(found, Program):
            return shown(found.record)
        return shown(found.program.record, found.record)


def explain(error: BaseException | None = None) -> Explanation:
    """Explain an exception: what failed, where the value came from, and what to write instead.

    Parameters
    ----------
    error : BaseException, optional
        By default the exception that an `except` around the call handles, else the last one that
        Python or IPython showed. A `CaptureError` is explained by its cause, your own exception.

    Returns
    -------
    Explanation
        The card as data. A notebook shows it.

    Raises
    ------
    ValueError
        If there is no exception, or no card for it. The message has the reason.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> try:
    ...     jnp.ones((4, 3)) @ jnp.ones((4, 2))
    ... except TypeError as error:
    ...     print(jaxviz.explain(error).card.title)
    These shapes do not fit together
    """
    if error is None:
        error = (
            sys.exception() or getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
        )
    if error is None:
        raise ValueError("there is no exception to explain: pass one, jaxviz.explain(error).")
    if not isinstance(error, BaseException):
        raise TypeError(
            "error must be an exception, as except TypeError as error gives it, not "
            f"{title_of(type(error))}."
        )
    found = explanation_of(error)
    if found is None:
        raise ValueError(no_card(_own(error)))
    return found


def explanation_of(error: BaseException) -> Explanation | None:
    """Explain an exception; None if it has no card."""
    found = card_of(_own(error), error)
    if found is None:
        return None
    card, record, attempts = found
    whole = card.largest is not None  # memory was short for a program that was traced to its end
    program = (
        finished_program(record, None, schema.UNCHOSEN) if whole else unfinished_program(record)
    )
    return Explanation(card, program, attempts)


def _own(error: BaseException) -> BaseException:
    """The user's own exception, which is the cause of a `CaptureError`."""
    is_jaxviz = type(error) is CaptureError and cause_of(error) is not None
    return cause_of(error) or error if is_jaxviz else error


def explain_uncaught() -> None:
    """Print the card of any later exception that ends the program, below its traceback.

    This is for plain scripts. It sets a `sys.excepthook` that first calls the previous one. The
    traceback and the exit status do not change. Exceptions without JAX have no card.
    `python -m jaxviz run script.py` does it without a change of the script; notebooks have
    `%jaxviz on`.

    Examples
    --------
    >>> import sys, jaxviz
    >>> jaxviz.explain_uncaught()
    >>> sys.excepthook = sys.__excepthook__  # and no longer
    """
    before = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        before(kind, error, trace)
        print_card(error)

    sys.excepthook = hook


def print_card(error: BaseException) -> None:
    """Print the card of an exception on standard error, if it has one. Never raises."""
    with suppress(Exception):
        found = explanation_of(error)
        if found is not None:
            print(f"\n{found}", file=sys.stderr)
