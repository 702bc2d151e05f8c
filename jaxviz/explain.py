"""Explanations of errors: `jaxviz.explain`."""

from __future__ import annotations

import sys
from typing import Any

from jaxviz import schema
from jaxviz.capture import CaptureError, card_of
from jaxviz.display.bundle import card_bundle, chosen
from jaxviz.display.card_text import card_text
from jaxviz.program import Program, finished_program


class Explanation:
    """What is known of an error: strings and numbers, and nothing of the exception itself.

    As the last value of a cell it is the card; `print` gives it as text.

    Attributes
    ----------
    card : Card
        The expression that failed, the value's story, why it is so, and mends.
    program : Program
        What JAX had recorded when it stopped. It has no eqns where that is not known.

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

    __slots__ = ("card", "program")

    def __init__(self, card: schema.Card, program: Program) -> None:
        self.card = card
        self.program = program

    def __str__(self) -> str:
        return card_text(self.card, self.program.record)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        text = str(self)
        return chosen(card_bundle(self.card, self.program.record, text), include, exclude)


def explain(error: BaseException | None = None) -> Explanation:
    """Explain an exception: what failed, where the value came from, and what to write instead.

    Parameters
    ----------
    error : BaseException, optional
        By default the last one that Python or IPython showed. Of a `CaptureError` its cause is
        explained, which is the user's own exception.

    Returns
    -------
    Explanation
        The card as data, and what a notebook shows.

    Raises
    ------
    ValueError
        Where there is no exception, or none of its lines is the user's.

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
        error = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
    if error is None:
        raise ValueError("there is no exception to explain: pass one, jaxviz.explain(error).")
    if isinstance(error, CaptureError) and error.__cause__ is not None:
        error = error.__cause__
    found = card_of(error)
    if found is None:
        raise ValueError(
            f"no line of your code took part in this {type(error).__name__}: pass an exception "
            "that a call of your own raised."
        )
    card, program = found
    return Explanation(card, finished_program(program, None, schema.UNCHOSEN))
