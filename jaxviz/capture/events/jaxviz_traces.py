"""Remembers the traces that jaxviz made to show a program, and reports each of them when the first
call of the user's finds it in JAX's cache.

Had the user not looked, that call would have traced: so it is reported as the one that did.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator
from types import FrameType
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call
from jaxviz.capture.events.announcements import attempt
from jaxviz.capture.events.describe import signature_of
from jaxviz.capture.events.programs import KnownProgram, Programs
from jaxviz.capture.jaxprs.walk import census
from jaxviz.capture.weak import Weak
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


def _reported_now(fact: Fact, now: Fact, implied: bool) -> Fact:
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


class Meetings:
    """Gives each trace of jaxviz's to the first call of the user's that uses it.

    `now` is in all methods the fact of that call.
    """

    def __init__(self, programs: Programs) -> None:
        self._programs = programs
        self._looked = JaxvizTraces()

    def __bool__(self) -> bool:
        return bool(self._looked)

    def remember(self, fact: Fact, jaxpr: Any, avals: tuple[Any, ...], within: list[int]) -> None:
        """Remembers a trace that jaxviz made. `within` has the numbers of the earlier traces of the
        same look; its own is added."""
        within.append(self._looked.add(fact, jaxpr, avals, tuple(within)))

    def of_jaxpr(self, jaxpr: Any, now: Fact, call: Call | None = None) -> Iterator[Fact]:
        """The trace that made `jaxpr`, if it is jaxviz's and no call has met it. Traces within it
        that no call has met come before it."""
        look = self._looked.of(jaxpr) if self._looked else None
        if look is not None:
            yield from self.of_inner(census(jaxpr).jits, now)
            *within, own = self._take(look, now, implied=False)
            yield from within
            yield self._as_called(own, jaxpr, call)

    def of_inner(self, jits: list[Any], now: Fact) -> Iterator[Fact]:
        """The traces of jaxviz's that made `jits`, the jaxprs within the one that the user's call
        traced or met."""
        if self._looked:
            for jaxpr in jits:
                look = self._looked.of(jaxpr) or self._derived(jaxpr)
                if look is not None:
                    yield from self._take(look, now, implied=True)

    def at_lowering(
        self, frame: FrameType, jaxpr: Any, function: Function, now: Fact
    ) -> Iterator[Fact]:
        """The trace of jaxviz's that made the jaxpr that is lowered, or the one from which grad or
        vmap made it.

        A transposed jaxpr is not matched by its avals: it takes residuals, which may look like the
        function's arguments, and its forward half has been lowered before.
        """
        call = seen.call_of(frame)
        candidates = [*seen.jaxprs_called(frame), jaxpr]
        for one in candidates:
            yield from self.of_jaxpr(one, now, call)
        if any(map(self._is_users, candidates)) or seen.role_of(frame).startswith("transpose"):
            return
        for one in candidates:
            if self._looked.place(function, [var.aval for var in one.invars], one):
                yield from self.of_jaxpr(one, now, call)
                return
        look = self._looked.derived(function, [var.aval for var in jaxpr.invars])
        if look is not None:
            yield from self._take(look, now, implied=False)

    def _is_users(self, jaxpr: Any) -> bool:
        return _identity_of(self._programs.of(jaxpr)) is not None

    def _derived(self, jaxpr: Any) -> JaxvizTrace | None:
        """The trace from which grad or vmap may have made a jaxpr that no trace is known for."""
        function = self._programs.named(jaxpr)
        if function is None or self._is_users(jaxpr):
            return None
        return self._looked.derived(function, [var.aval for var in jaxpr.invars])

    def _as_called(self, fact: Fact, jaxpr: Any, call: Call | None) -> Fact:
        """The trace with the signature of the user's `call`, if that is of the same function, and
        with a new program, unless the jaxpr is known to be of its own."""
        whose = None if call is None else self._programs.whose(call, None)
        if whose is not None and whose.identity is not None and whose.identity == fact.identity:
            call = whose.call
            fact = replace(fact, signature=attempt(lambda: signature_of(call)) or fact.signature)
        known = self._programs.of(jaxpr)
        if known is None or known.program != fact.program:
            program = self._programs.remember(jaxpr, fact.function, fact.identity)
            self._programs.live.note(program, self._programs.live.call(fact.program))
            fact = replace(fact, program=program)
        return fact

    def _take(self, look: JaxvizTrace, now: Fact, implied: bool) -> Iterator[Fact]:
        for fact in self._looked.take(look):
            yield _reported_now(fact, now, implied or fact is not look.fact)


def _identity_of(known: KnownProgram | None) -> int | None:
    return None if known is None else known.identity
