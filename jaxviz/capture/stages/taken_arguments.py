"""How the arguments of a call become the inputs of its program. It is told without the function and
its arguments, so that a program that was kept can run with arguments that are given later."""

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
    """What a call was given, without the values."""

    receiver: tuple[Callable[[], Any], ...]
    """Weak references to the object whose method was called."""
    names: tuple[str, ...]
    """Of the arguments by position, the receiver first."""
    keywords: frozenset[str]
    fixed: dict[str, str]
    """What is no input, by its path, with its value as text."""
    traced: Callable[[Any], bool]
    """Tells the leaves that are inputs."""

    def inputs(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The inputs of the program. Raises `CaptureError`, with the fix, where these are not the
        arguments of such a call."""
        given = (*self._receiver(), *args)
        if len(given) != len(self.names) or kwargs.keys() != self.keywords:
            own = self.names[len(self.receiver) :]
            takes = ", ".join([*own, *(f"{one}=" for one in sorted(self.keywords))])
            raise CaptureError(
                f"it takes the arguments of the call that was captured, ({takes}): give these, by "
                "position and by name as they were given then."
            )
        found = self.fitted(given, kwargs)
        for one in found.fixed:
            if self.fixed.get(one.path, one.text) != one.text:
                raise CaptureError(
                    f"{one.path} is fixed in this program as {self.fixed[one.path]}, and here it "
                    f"is {one.text}: capture the call with that."
                )
        return jax.tree_util.tree_leaves((found.args, found.kwargs))

    def fitted(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> TraceableArguments:
        """The arguments, the receiver first, as a jit without static arguments takes them."""
        found = FixedParts(self.traced, CLOSED_OVER)
        names = [*self.names, *kwargs]
        values = [
            found.close_over(name, value) if name in self.fixed else value
            for name, value in zip(names, [*args, *kwargs.values()], strict=True)
        ]
        by_name = dict(zip(kwargs, values[len(args) :], strict=True))
        return traceable_by_name(names, tuple(values[: len(args)]), by_name, (), found)

    def _receiver(self) -> list[Any]:
        found = [one() for one in self.receiver]
        if any(one is None for one in found):
            raise CaptureError(f"the object whose method was called is gone: {ANEW}")
        return found


ANEW = (
    "use jaxviz.profile(f)(…) or jaxviz.statistics(f)(…), which capture the call of a function f."
)


def taken_arguments(
    called: CalledFunction, names: list[str], kwargs: dict[str, Any], fixed: Iterable[Fixed]
) -> TakenArguments:
    """What is kept of the arguments of a call, whose names are these, by position and by name."""
    receiver = tuple(map(reference, called.receiver))
    positions = tuple(names[: len(names) - len(kwargs)])
    texts = {one.path: one.text for one in fixed}
    return TakenArguments(receiver, positions, frozenset(kwargs), texts, traced_by(called))


def in_order(inputs: Iterable[str]) -> TakenArguments:
    """What a program takes of which the inputs alone are known, by their paths: these."""
    return TakenArguments((), tuple(inputs), frozenset(), {}, is_traced)
