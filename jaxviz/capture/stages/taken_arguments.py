"""Turns the arguments of a later call into the inputs of a captured program.

Needs neither the captured function nor its arguments, which a program does not retain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import jax

from jaxviz.capture.calls.called_function import CalledFunction
from jaxviz.capture.calls.fixed_arguments import (
    CLOSED_OVER,
    FixedParts,
    TraceableArguments,
    is_traced,
    traceable_by_name,
    traced_by,
)
from jaxviz.capture.failure.errors import CaptureError
from jaxviz.capture.weak import reference
from jaxviz.schema import Fixed


class TakenArguments(NamedTuple):
    """The arguments of the captured call, without their values."""

    receiver: tuple[Callable[[], Any], ...]
    """Weak references to the object whose method was called."""
    names: tuple[str, ...]
    """The names of the arguments by position, the receiver first."""
    keywords: frozenset[str]
    fixed: dict[str, str]
    """The texts of values that are no inputs, by path."""
    traced: Callable[[Any], bool]
    """True for the leaves that are inputs."""

    def inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The inputs of the program. Raises `CaptureError`, with the fix, if the arguments differ
        from those of the captured call in number, name or fixed value."""
        receiver = [one() for one in self.receiver]
        if any(one is None for one in receiver):
            raise CaptureError(f"the object whose method was called is gone: {CAPTURE_A_FUNCTION}")
        positional = (*receiver, *args)
        if len(positional) != len(self.names) or kwargs.keys() != self.keywords:
            own = self.names[len(self.receiver) :]
            takes = ", ".join([*own, *(f"{one}=" for one in sorted(self.keywords))])
            raise CaptureError(
                f"it takes the arguments of the call that was captured, ({takes}): give these, by "
                "position and by name as they were given then."
            )
        found = self.fitted(positional, kwargs)
        for one in found.fixed:
            if self.fixed.get(one.path, one.text) != one.text:
                raise CaptureError(
                    f"{one.path} is fixed in this program as {self.fixed[one.path]}, and here it "
                    f"is {one.text}: capture the call with that."
                )
        return jax.tree_util.tree_leaves((found.args, found.kwargs))

    def fitted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TraceableArguments:
        """The arguments, the receiver first, for a jit without static arguments."""
        found = FixedParts(self.traced, CLOSED_OVER)
        names = [*self.names, *kwargs]
        values = [
            found.close_over(name, value) if name in self.fixed else value
            for name, value in zip(names, [*args, *kwargs.values()], strict=True)
        ]
        by_name = dict(zip(kwargs, values[len(args) :], strict=True))
        return traceable_by_name(names, tuple(values[: len(args)]), by_name, (), found)


CAPTURE_A_FUNCTION = (
    "use jaxviz.profile(f)(…) or jaxviz.statistics(f)(…), which capture the call of a function f."
)


def taken_arguments(
    called: CalledFunction, names: list[str], kwargs: dict[str, Any], fixed: Iterable[Fixed]
) -> TakenArguments:
    """The `TakenArguments` of a call. `names` are those of its arguments, keywords last."""
    receiver = tuple(map(reference, called.receiver))
    positions = tuple(names[: len(names) - len(kwargs)])
    texts = {one.path: one.text for one in fixed}
    return TakenArguments(receiver, positions, frozenset(kwargs), texts, traced_by(called))


def in_order(inputs: Iterable[str]) -> TakenArguments:
    """The `TakenArguments` of a program with only inputs, which have these paths."""
    return TakenArguments((), tuple(inputs), frozenset(), {}, is_traced)
