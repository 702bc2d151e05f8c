"""Remembers the traces that jaxviz made to show a program.

JAX caches them, so the user's next call does not trace. Had the user not looked, it would have: so
the trace is reported as an event of that call.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from jaxviz.capture.events.identities import Weak
from jaxviz.signature import Fact, Function

TRACES_REMEMBERED = 10_000
"""How many traces are remembered: the latest."""

Type = tuple[tuple[Any, ...], str, bool]
"""Shape, dtype, and whether the type is weak."""


class JaxvizTrace(NamedTuple):
    """A trace that jaxviz made."""

    number: int
    fact: Fact
    types: list[Type]
    """Of its arguments."""
    within: tuple[int, ...]
    """The numbers of the traces that were made within it."""


class JaxvizTraces:
    """The traces that jaxviz made and no call of the user's has met yet.

    Facts are strings and numbers. Jaxprs are referred to weakly.
    """

    def __init__(self) -> None:
        self._looks: OrderedDict[int, JaxvizTrace] = OrderedDict()
        self._by_jaxpr: Weak[int] = Weak()
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._looks)

    def add(self, fact: Fact, jaxpr: Any, avals: Iterable[Any], within: tuple[int, ...]) -> int:
        """Remembers a trace and returns its number. `jaxpr` is None if it is not known."""
        self._count += 1
        number = self._count
        self._looks[number] = JaxvizTrace(number, fact, [_type(aval) for aval in avals], within)
        if jaxpr is not None:
            self._by_jaxpr.set(jaxpr, number)
        if len(self._looks) > TRACES_REMEMBERED:
            self._looks.popitem(last=False)
        return number

    def of(self, jaxpr: Any) -> JaxvizTrace | None:
        """The trace that made the jaxpr, if jaxviz made it and `take` has not taken it yet."""
        number = None if jaxpr is None else self._by_jaxpr.get(jaxpr)
        return None if number is None else self._looks.get(number)

    def place(self, function: Function, avals: Iterable[Any], jaxpr: Any) -> bool:
        """Whether a trace of the function with these avals is remembered; `of` finds it by `jaxpr`
        from now on."""
        types = [_type(aval) for aval in avals]
        for look in self._of(function):
            if look.types == types:
                return self._by_jaxpr.set(jaxpr, look.number)
        return False

    def derived(self, function: Function, avals: Iterable[Any]) -> JaxvizTrace | None:
        """A trace of the function from which grad or vmap may have made a jaxpr with these avals:
        those of its arguments are among them, in the same order. One may have a batch dimension
        more."""
        types = [_type(aval) for aval in avals]
        return next((look for look in self._of(function) if _within(look.types, types)), None)

    def _of(self, function: Function) -> list[JaxvizTrace]:
        """The traces of a function, latest first. The digest of the code is not compared, since
        debug info of a jaxpr has none."""
        written = function._replace(code="")
        looks = reversed(self._looks.values())
        return [look for look in looks if look.fact.function._replace(code="") == written]

    def take(self, look: JaxvizTrace) -> Iterator[Fact]:
        """Removes a trace and those within it, and gives their facts, its own last."""
        for number in (*look.within, look.number):
            taken = self._looks.pop(number, None)
            if taken is not None:
                yield taken.fact


def _type(aval: Any) -> Type:
    shape = tuple(getattr(aval, "shape", ()))
    return shape, str(getattr(aval, "dtype", "")), bool(getattr(aval, "weak_type", False))


def _within(own: list[Type], types: list[Type]) -> bool:
    """Whether all types in `own` are found among `types` in the same order; False without any."""
    rest = iter(types)
    return bool(own) and all(any(_made_of(one, other) for other in rest) for one in own)


def _made_of(own: Type, other: Type) -> bool:
    if own == other:
        return True
    shape, batched = own[0], other[0]
    return own[1:] == other[1:] and any(
        batched[:i] + batched[i + 1 :] == shape for i in range(len(batched))
    )


def told(fact: Fact, now: Fact, implied: bool) -> Fact:
    """The fact of a trace of jaxviz's, at the time and the place of `now`, the fact of the user's
    call that met it. `implied` says that it lay within another trace."""
    return replace(
        fact,
        site=now.site,
        start=now.start,
        seconds=0.0,
        depth=now.depth + (1 if implied else 0),
        thread=now.thread,
        cleared=now.cleared,
        looked=True,
        implied=implied,
    )
