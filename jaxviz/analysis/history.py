"""What was traced, lowered and compiled before, so that an event can say what changed."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from jaxviz.analysis.hints import NOTHING, Evidence, hint
from jaxviz.analysis.reasons import asked, changes, moves, weight
from jaxviz.schema import Change, Event, Frame
from jaxviz.signature import Fact, Function, Placement, Signature

KEPT = 32
"""Signatures that are kept of a function: the latest."""
REASONS = 20
"""Changes that an event tells at most."""
PROGRAMS = 10_000
"""Programs whose trace is remembered, and functions that are: the latest that were met."""
_BODY = re.compile(r" \(\w+\)$")
"""What follows the name of a function that a loop or branch outside of jit traced."""


class Call(NamedTuple):
    """An earlier trace, lowering or compilation."""

    number: int
    """Of its event."""
    identity: int | None
    program: int | None
    cleared: int
    signature: Signature | None
    placements: dict[str, Placement] | None
    options: dict[str, str] | None
    role: str
    site: Frame | None
    anew: bool
    """The function had been made anew since the trace before."""


class Why(NamedTuple):
    """What changed, and the number of the earlier trace from which it did."""

    reason: list[Change]
    against: int | None = None


def _kept() -> deque[Call]:
    return deque(maxlen=KEPT)


@dataclass
class Past:
    """What is known of one function."""

    identities: set[int] = field(default_factory=set)
    calls: dict[str, deque[Call]] = field(
        default_factory=lambda: {kind: _kept() for kind in ("trace", "lower", "compile")}
    )
    traced: dict[Hashable, int] = field(default_factory=dict)
    """By function object and signature, how often caches had been cleared at its last trace."""
    run: int | None = None
    """Which run of its cell made the function, where it is written in a cell."""


class History:
    """Makes events of facts, in the order in which they happened."""

    def __init__(self) -> None:
        self._pasts: OrderedDict[Function, Past] = OrderedDict()
        self._traces: OrderedDict[int, int] = OrderedDict()
        """The number of the trace that made a program."""
        self._programs: OrderedDict[int, int] = OrderedDict()
        """The program that a trace made, or that was lowered or compiled without one."""
        self._numbers = count()

    def event(self, fact: Fact) -> Event:
        """The event with its reason."""
        past = self._past(fact)
        if fact.kind == "trace":
            return self._trace(fact, past)
        return self._later(fact, past)

    def _past(self, fact: Fact) -> Past:
        """That of the function: of another one, where its cell ran again and made it anew."""
        past = self._pasts.get(fact.function)
        run = None if fact.definition is None else fact.definition.count
        anew = fact.identity is not None and (past is None or fact.identity not in past.identities)
        if past is None or (fact.kind == "trace" and anew and run != past.run):
            past = self._pasts[fact.function] = Past(run=run)
            _forget(self._pasts)
        return past

    def program(self, event: Event) -> int | None:
        """The number of the program (`Fact.program`) that an event is about."""
        return self._programs.get(event.number if event.of is None else event.of)

    def _trace(self, fact: Fact, past: Past) -> Event:
        key = None if fact.signature is None else (fact.identity, fact.signature.digest())
        again = bool(past.calls["trace"])
        why = _explained(lambda: self._why_traced(fact, past, key))
        anew = bool(why.reason) and why.reason[0].kind == "function"
        event = self._event(fact, why, again, None, _evidence(fact, why, past.calls["trace"], anew))
        if fact.error is None:
            if fact.program is not None:
                self._traces[fact.program] = event.number
                _forget(self._traces)
                self._know(event, fact.program)
            past.calls["trace"].append(_call(fact, event.number, anew))
            past.traced.pop(key, None)
            past.traced[key] = fact.cleared
            if len(past.traced) > PROGRAMS:
                del past.traced[next(iter(past.traced))]
            if fact.identity is not None:
                past.identities.add(fact.identity)
        return event

    def _why_traced(self, fact: Fact, past: Past, key: Hashable) -> Why:
        earlier = past.calls["trace"]
        if not earlier:
            return Why([_plain("first")])
        if fact.signature is None:
            return UNKNOWN
        made_again = fact.identity is not None and fact.identity not in past.identities
        if made_again and None not in {call.identity for call in earlier}:
            nearest = _nearest(fact, earlier)
            return nearest._replace(reason=[_plain("function"), *nearest.reason])
        same = [call for call in earlier if _same(call.identity, fact.identity)]
        nearest = _nearest(fact, same)
        cleared = past.traced.get(key)
        if cleared is not None:
            kind = "cleared" if cleared < fact.cleared else "unknown"
            return Why([_plain(kind)], None if nearest.reason else nearest.against)
        return nearest if nearest.reason else UNKNOWN

    def _later(self, fact: Fact, past: Past) -> Event:
        earlier = past.calls[fact.kind]
        of = None if fact.program is None else self._traces.get(fact.program)
        before = [call for call in earlier if call.program == fact.program]
        why = Why([])
        if before:
            why = _explained(lambda: self._why_again(fact, before))
        elif of is None:
            why = _explained(lambda: self._why_derived(fact, list(earlier)))
        event = self._event(fact, why, bool(before), of)
        if fact.error is None:
            earlier.append(_call(fact, event.number))
            if of is None and fact.program is not None:
                self._know(event, fact.program)
        return event

    def _know(self, event: Event, program: int) -> None:
        self._programs[event.number] = program
        _forget(self._programs)

    def _why_again(self, fact: Fact, before: list[Call]) -> Why:
        """Why the same program was lowered or compiled again."""
        options = [found for call in before if (found := _moved(call, fact)) is not None]
        if options and all(options):
            return Why(min(options, key=weight))
        cleared = max(call.cleared for call in before)
        return Why([_plain("cleared" if cleared < fact.cleared else "unknown")])

    def _why_derived(self, fact: Fact, earlier: list[Call]) -> Why:
        """Why a program was lowered whose trace was not seen."""
        same = [call for call in earlier if call.role == fact.role]
        if not same:
            return Why([_plain("first")])
        if fact.signature is None:
            return UNKNOWN
        paths = fact.signature.leaves.keys()
        alike = [call for call in same if call.signature and call.signature.leaves.keys() == paths]
        nearest = _nearest(fact, alike)
        return Why(nearest.reason) if nearest.reason else UNKNOWN

    def _event(
        self, fact: Fact, why: Why, again: bool, of: int | None, evidence: Evidence = NOTHING
    ) -> Event:
        reason, against = why
        return Event(
            number=next(self._numbers),
            kind=fact.kind,
            name=fact.function.name,
            definition=fact.definition,
            site=fact.site,
            start=fact.start,
            seconds=fact.seconds,
            depth=fact.depth,
            thread=fact.thread,
            eqns=fact.eqns,
            again=again,
            of=of,
            implied=fact.implied,
            looked=fact.looked,
            reason=reason[:REASONS],
            more=max(len(reason) - REASONS, 0),
            against=against,
            hint=hint(reason, evidence) if again or fact.kind != "trace" else "",
            cached=fact.cached,
            error=fact.error,
            failed=fact.failed,
        )


def _forget(known: OrderedDict[Any, Any]) -> None:
    if len(known) > PROGRAMS:
        known.popitem(last=False)


def _evidence(fact: Fact, why: Why, earlier: Iterable[Call], anew: bool) -> Evidence:
    """What the earlier traces say of the line that this one came from."""
    here = [call for call in earlier if fact.site is not None and call.site == fact.site]
    path = why.reason[0].where if why.reason else ""
    signatures = [fact.signature, *(call.signature for call in here)]
    return Evidence(
        looped=fact.looped,
        here=why.against in {call.number for call in here},
        types=len({s.leaves[path].text for s in signatures if s is not None and path in s.leaves}),
        anew=anew + sum(call.anew for call in here),
        body=_BODY.search(fact.function.name) is not None,
    )


def _call(fact: Fact, number: int, anew: bool = False) -> Call:
    return Call(
        number=number,
        identity=fact.identity,
        program=fact.program,
        cleared=fact.cleared,
        signature=fact.signature,
        placements=fact.placements,
        options=fact.options,
        role=fact.role,
        site=fact.site,
        anew=anew,
    )


def _explained(why: Callable[[], Why]) -> Why:
    """What cannot be explained is still an event."""
    try:
        return why()
    except Exception:
        return UNKNOWN


def _same(before: int | None, now: int | None) -> bool:
    return before is None or now is None or before == now


def _nearest(fact: Fact, earlier: Iterable[Call]) -> Why:
    """What changed against the nearest of the earlier calls: the latest that is the same or
    differs in one thing alone, or else the one that differs least. Nothing where none is known."""
    best = Why([])
    known = [(call.signature, call.number) for call in earlier if call.signature is not None]
    if fact.signature is None:
        return best
    for signature, number in reversed(known):
        if signature == fact.signature:
            return Why([], number)
    for signature, number in reversed(known):
        found = changes(signature, fact.signature)
        if not found:
            return Why([], number)
        if best.against is None or weight(found) < weight(best.reason):
            best = Why(found, number)
        if len(best.reason) == 1:
            break
    return best


def _moved(call: Call, fact: Fact) -> list[Change] | None:
    """None where too little is known."""
    if call.placements is None or fact.placements is None:
        return None
    if call.signature is None or fact.signature is None:
        return None
    return [
        *changes(call.signature, fact.signature),
        *moves(call.placements, fact.placements),
        *asked(call.options or {}, fact.options or {}),
    ]


def _plain(kind: str) -> Change:
    return Change(kind=kind, where="", before="", after="")


UNKNOWN = Why([_plain("unknown")])
