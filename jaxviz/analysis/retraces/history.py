"""The history of each function: earlier calls, and one event for each new trace with its reason."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.analysis.retraces.made_anew import Made, jit_made_anew, made_anew
from jaxviz.analysis.retraces.reasons import (
    changes,
    distance,
    is_another,
    option_changes,
    placement_changes,
)
from jaxviz.analysis.retraces.retrace_texts import NO_EVIDENCE, NO_HINT, Evidence, hint
from jaxviz.safety.guard import guarded
from jaxviz.schema import Change, Event, Frame
from jaxviz.schema.signature import Function, Placement, Signature, Trace

CALLS_REMEMBERED = 32
"""The most traces, lowerings and compilations of a function that are stored: the latest of each."""


class EarlierCall(NamedTuple):
    number: int
    """The number of its event."""
    identity: int | None
    program: int | None
    cleared: int
    signature: Signature | None
    placements: dict[str, Placement] | None
    options: dict[str, str] | None
    role: str
    site: Frame | None
    anew: bool
    """The function object was another one than at the previous trace, and that one was gone."""
    unordered: int | None
    """The traces of unknown order, as in `Trace.unordered`."""


class Why(NamedTuple):
    """The change, and the number of the earlier trace with which the trace is compared."""

    reason: list[Change]
    against: int | None = None


def plain_change(kind: str) -> Change:
    """A change without a place, such as `first` or `unknown`."""
    return Change(kind, where="", before="", after="")


UNKNOWN = Why([plain_change("unknown")])


def _latest() -> deque[EarlierCall]:
    return deque(maxlen=CALLS_REMEMBERED)


@dataclass
class FunctionPast:
    """The stored facts of one function."""

    identities: set[int] = field(default_factory=set)
    """The traced function objects, by number."""
    calls: dict[str, deque[EarlierCall]] = field(
        default_factory=lambda: {kind: _latest() for kind in ("trace", "lower", "compile")}
    )
    cleared_at_trace: dict[Hashable, int] = field(default_factory=dict)
    """By function object and signature, the number of times that JAX's caches had been cleared at
    its last trace."""
    run: int | None = None
    """The run of its cell that made the function, if it is written in a cell."""


def as_earlier_call(trace: Trace, number: int, anew: bool = False) -> EarlierCall:
    """The record of a trace whose event has that number."""
    return EarlierCall(
        number=number,
        identity=trace.identity,
        program=trace.program,
        cleared=trace.cleared,
        signature=trace.signature,
        placements=trace.placements,
        options=trace.options,
        role=trace.role,
        site=trace.site,
        anew=anew,
        unordered=trace.unordered,
    )


def evidence_at_line(
    trace: Trace, why: Why, earlier: Iterable[EarlierCall], anew: bool, is_body: bool
) -> Evidence:
    """The evidence of the earlier traces on the line of a new one. `anew` says that the function
    object replaces one that is gone. `is_body` says that it is a loop's or branch's outside of
    jit."""
    earlier = [*earlier]
    here = [call for call in earlier if trace.site is not None and call.site == trace.site]
    known = [trace.signature, *(call.signature for call in earlier)]
    found = [trace.signature, *(call.signature for call in here)]
    signatures = [signature for signature in found if signature is not None]
    paths = [change.where for change in why.reason]
    return Evidence(
        looped=trace.looped,
        here=why.against in {call.number for call in here},
        types={
            path: len({one.leaves[path].text for one in signatures if path in one.leaves})
            for path in paths
        },
        anew=anew + sum(call.anew for call in here),
        body=is_body,
        statics={} if trace.signature is None else trace.signature.statics,
        declared=frozenset(path for one in known for path in paths if _is_declared(one, path)),
        made=guarded({}, _made, trace, why),
        jit=guarded(None, _jit, trace, why),
    )


def _is_declared(signature: Signature | None, path: str) -> bool:
    """True if an argument is static as a whole in that call."""
    if signature is None or path not in signature.style:
        return False
    return path in signature.statics and path not in signature.trees


def _made(trace: Trace, why: Why) -> dict[str, Made]:
    """The places that make values which are never equal."""
    signature = trace.signature
    if signature is None:
        return {}
    paths = [change.where for change in why.reason if is_another(change)]
    found = {path: made_anew(signature, path, trace.called, trace.functions) for path in paths}
    return {path: made for path, made in found.items() if made is not None}


def _jit(trace: Trace, why: Why) -> Made | None:
    """The jit that the line makes only for this call, if the function object is new."""
    is_new = bool(why.reason) and why.reason[0].kind == "function"
    return jit_made_anew(trace.called) if is_new else None


def may_be_same(before: int | None, now: int | None) -> bool:
    """True if two function objects may be the same; None means unknown."""
    return before is None or now is None or before == now


def nearest(trace: Trace, earlier: Iterable[EarlierCall]) -> Why:
    """The change from the nearest of the earlier calls.

    This is the latest call that is equal. Else it is the latest one that passes the same values in
    another way: passed like this, the call needs no new program. Else it is the latest one with
    only one difference, or with the smallest difference. Empty if no signature is known.
    """
    best = Why([])
    known = [(call.signature, call.number) for call in earlier if call.signature is not None]
    if trace.signature is None:
        return best
    for signature, number in reversed(known):
        if signature == trace.signature:
            return Why([], number)
    for signature, number in reversed(known):
        if signature.style != trace.signature.style and signature.leaves == trace.signature.leaves:
            found = changes(signature, trace.signature)
            if found and all(change.kind == "style" for change in found):
                return Why(found, number)
    for signature, number in reversed(known):
        found = changes(signature, trace.signature)
        if not found:
            return Why([], number)
        if best.against is None or distance(found) < distance(best.reason):
            best = Why(found, number)
        if len(best.reason) == 1:
            break
    return best


def without_order(why: Why, trace: Trace, earlier: Iterable[EarlierCall]) -> Why:
    """The same change without a direction, if the order of the two traces is unknown."""
    if trace.unordered is None:
        return why
    if why.against not in {one.number for one in earlier if one.unordered == trace.unordered}:
        return why
    return why._replace(
        reason=[
            replace(change, kind="order", where=change.where or change.kind)
            if change.before or change.after
            else change
            for change in why.reason
        ]
    )


def changes_of_program(call: EarlierCall, trace: Trace) -> list[Change] | None:
    """The changes between two lowerings or compilations of one program; None if too little is known
    of one."""
    if call.placements is None or trace.placements is None:
        return None
    if call.signature is None or trace.signature is None:
        return None
    return [
        *changes(call.signature, trace.signature),
        *placement_changes(call.placements, trace.placements),
        *option_changes(call.options or {}, trace.options or {}),
    ]


MOST_CHANGES = 20
"""The most changes that an event lists. Further ones are counted."""
REMEMBERED = 10_000
"""The most functions, programs with a known trace, and signatures of a function that are stored:
the latest of each."""
_BODY_NAME = re.compile(r" \(\w+\)$")
"""The end of the name of a function that a loop or branch traced outside of jit: `step (scan)`."""


class History:
    """Stores traces, lowerings and compilations, so that an event can state the change.

    Facts come in the order of time. The storage is bounded.
    """

    def __init__(self) -> None:
        self._pasts: OrderedDict[Function, FunctionPast] = OrderedDict()
        self._traces: OrderedDict[int, int] = OrderedDict()
        """Maps a program's number to the number of the event of its trace."""
        self._programs: OrderedDict[int, int] = OrderedDict()
        """Maps an event's number to the number of the program that it made, lowered or compiled."""
        self._numbers = count()

    def event(self, trace: Trace) -> Event:
        """The event of a trace, with its reason and a hint."""
        past = self._past(trace)
        if trace.kind == "trace":
            return self._trace(trace, past)
        return self._later(trace, past)

    def _past(self, trace: Trace) -> FunctionPast:
        """The stored facts of the function; empty if its cell ran again and made a new function."""
        past = self._pasts.get(trace.function)
        run = None if trace.definition is None else trace.definition.count
        anew = trace.identity is not None and (
            past is None or trace.identity not in past.identities
        )
        if past is None or (trace.kind == "trace" and anew and run != past.run):
            past = self._pasts[trace.function] = FunctionPast(run=run)
            _forget(self._pasts)
        return past

    def program(self, event: Event) -> int | None:
        """The number (`Trace.program`) of the program of an event; None if it is forgotten."""
        return self._programs.get(event.number if event.of is None else event.of)

    def _trace(self, trace: Trace, past: FunctionPast) -> Event:
        key = None if trace.signature is None else (trace.identity, trace.signature.digest())
        again = bool(past.calls["trace"])
        why = guarded(UNKNOWN, self._why_traced, trace, past, key)
        why = guarded(why, without_order, why, trace, past.calls["trace"])
        anew = bool(why.reason) and why.reason[0].kind == "function" and not trace.is_kept
        is_body = _BODY_NAME.search(trace.function.name) is not None
        earlier = past.calls["trace"]
        evidence = guarded(NO_EVIDENCE, evidence_at_line, trace, why, earlier, anew, is_body)
        event = self._event(trace, why, again, None, evidence)
        if trace.error is None:
            if trace.program is not None:
                self._traces[trace.program] = event.number
                _forget(self._traces)
                self._know(event, trace.program)
            past.calls["trace"].append(as_earlier_call(trace, event.number, anew))
            past.cleared_at_trace.pop(key, None)
            past.cleared_at_trace[key] = trace.cleared
            if len(past.cleared_at_trace) > REMEMBERED:
                del past.cleared_at_trace[next(iter(past.cleared_at_trace))]
            if trace.identity is not None:
                past.identities.add(trace.identity)
        return event

    def _why_traced(self, trace: Trace, past: FunctionPast, key: Hashable) -> Why:
        earlier = past.calls["trace"]
        if not earlier:
            return Why([plain_change("first")])
        if trace.signature is None:
            return UNKNOWN
        made_again = trace.identity is not None and trace.identity not in past.identities
        if made_again and None not in {call.identity for call in earlier}:
            found = nearest(trace, earlier)
            return found._replace(reason=[plain_change("function"), *found.reason])
        found = nearest(trace, [c for c in earlier if may_be_same(c.identity, trace.identity)])
        cleared = past.cleared_at_trace.get(key)
        has_other_options = [change.kind for change in found.reason] == ["options"]
        if cleared is not None and not has_other_options:
            kind = "cleared" if cleared < trace.cleared else "unknown"
            return Why([plain_change(kind)], None if found.reason else found.against)
        return found if found.reason else UNKNOWN

    def _later(self, trace: Trace, past: FunctionPast) -> Event:
        earlier = past.calls[trace.kind]
        of = None if trace.program is None else self._traces.get(trace.program)
        before = [call for call in earlier if call.program == trace.program]
        why = Why([])
        if before:
            why = guarded(UNKNOWN, self._why_again, trace, before)
        elif of is None:
            why = guarded(UNKNOWN, self._why_derived, trace, list(earlier))
        event = self._event(trace, why, bool(before), of)
        if trace.error is None:
            earlier.append(as_earlier_call(trace, event.number))
            if of is None and trace.program is not None:
                self._know(event, trace.program)
        return event

    def _know(self, event: Event, program: int) -> None:
        self._programs[event.number] = program
        _forget(self._programs)

    def _why_again(self, trace: Trace, before: list[EarlierCall]) -> Why:
        """The reason why the same program was lowered or compiled again."""
        options = [
            found for call in before if (found := changes_of_program(call, trace)) is not None
        ]
        if options and all(options):
            return Why(min(options, key=distance))
        cleared = max(call.cleared for call in before)
        return Why([plain_change("cleared" if cleared < trace.cleared else "unknown")])

    def _why_derived(self, trace: Trace, earlier: list[EarlierCall]) -> Why:
        """The reason for lowering or compiling a program whose trace was not seen: grad, vmap or a
        similar transformation made it from a function's program."""
        same = [call for call in earlier if call.role == trace.role]
        if not same:
            return Why([plain_change("first")])
        if trace.signature is None:
            return UNKNOWN
        paths = trace.signature.leaves.keys()
        alike = [call for call in same if call.signature and call.signature.leaves.keys() == paths]
        found = nearest(trace, alike)
        return Why(found.reason) if found.reason else UNKNOWN

    def _event(
        self, trace: Trace, why: Why, again: bool, of: int | None, evidence: Evidence = NO_EVIDENCE
    ) -> Event:
        reason, against = why
        return Event(
            number=next(self._numbers),
            kind=trace.kind,
            name=trace.function.name,
            definition=trace.definition,
            site=trace.site,
            start=trace.start,
            seconds=trace.seconds,
            depth=trace.depth,
            library=bool(trace.function.library),
            thread=trace.thread,
            eqns=trace.eqns,
            again=again,
            of=of,
            implied=trace.implied,
            looked=trace.looked,
            reason=reason[:MOST_CHANGES],
            more=max(len(reason) - MOST_CHANGES, 0),
            against=against,
            hint=guarded(NO_HINT, hint, reason, evidence)
            if again or trace.kind != "trace"
            else NO_HINT,
            cached=trace.cached,
            saved=trace.saved,
            error=trace.error,
            failed=trace.failed,
        )


def _forget(known: OrderedDict[Any, Any]) -> None:
    """Forgets the oldest entries if there are too many."""
    if len(known) > REMEMBERED:
        known.popitem(last=False)
