"""Remembers what jaxviz traced itself to show a program. It is reported when a call of the user's
finds it in JAX's cache."""

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
"""Shape, dtype, and whether it is weak."""


class Look(NamedTuple):
    """One trace, and what was traced within it."""

    number: int
    fact: Fact
    types: list[Type]
    within: tuple[int, ...]


class Looked:
    """Facts in strings and numbers, and weak references to JAX's jaxprs."""

    def __init__(self) -> None:
        self._looks: OrderedDict[int, Look] = OrderedDict()
        self._by_jaxpr: Weak[int] = Weak()
        self._count = 0

    def __bool__(self) -> bool:
        return bool(self._looks)

    def add(self, fact: Fact, jaxpr: Any, avals: Iterable[Any], within: tuple[int, ...]) -> int:
        """Remembers a trace; `jaxpr` may be None, where only what was made of it is known."""
        self._count += 1
        number = self._count
        self._looks[number] = Look(number, fact, [_type(aval) for aval in avals], within)
        if jaxpr is not None:
            self._by_jaxpr.set(jaxpr, number)
        if len(self._looks) > TRACES_REMEMBERED:
            self._looks.popitem(last=False)
        return number

    def of(self, jaxpr: Any) -> Look | None:
        """What is remembered of a jaxpr, and was not taken."""
        number = None if jaxpr is None else self._by_jaxpr.get(jaxpr)
        return None if number is None else self._looks.get(number)

    def place(self, function: Function, avals: Iterable[Any], jaxpr: Any) -> bool:
        """Whether the jaxpr is that of a trace of the function, which is now known by it."""
        types = [_type(aval) for aval in avals]
        for look in self._of(function):
            if look.types == types:
                return self._by_jaxpr.set(jaxpr, look.number)
        return False

    def derived(self, function: Function, avals: Iterable[Any]) -> Look | None:
        """What is remembered of a function from whose trace grad or vmap may have made a jaxpr of
        these avals: its own are among them, in their order, but for a batch's dimension."""
        types = [_type(aval) for aval in avals]
        return next((look for look in self._of(function) if _within(look.types, types)), None)

    def _of(self, function: Function) -> list[Look]:
        """Those of a function, but for the digest of its code, which no jaxpr has: latest first."""
        written = function._replace(code="")
        looks = reversed(self._looks.values())
        return [look for look in looks if look.fact.function._replace(code="") == written]

    def take(self, look: Look) -> Iterator[Fact]:
        """Its fact after those of the traces within it; each is had once."""
        for number in (*look.within, look.number):
            taken = self._looks.pop(number, None)
            if taken is not None:
                yield taken.fact


def _type(aval: Any) -> Type:
    shape = tuple(getattr(aval, "shape", ()))
    return shape, str(getattr(aval, "dtype", "")), bool(getattr(aval, "weak_type", False))


def _within(own: list[Type], types: list[Type]) -> bool:
    """Whether the first are among the others, in their order."""
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
    """The trace as it is told at a later event, `now`: when and where the user's call met it."""
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
