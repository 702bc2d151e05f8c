"""Makes events of facts: each says what changed since the same function was called before."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Hashable
from itertools import count
from typing import Any

from jaxviz.analysis.retraces.earlier_calls import (
    UNKNOWN,
    EarlierCall,
    FunctionPast,
    Why,
    as_earlier_call,
    changes_of_program,
    evidence_at_line,
    may_be_same,
    nearest,
    plain_change,
    without_order,
)
from jaxviz.analysis.retraces.hints import NO_EVIDENCE, NO_HINT, Evidence, hint
from jaxviz.analysis.retraces.reasons import distance
from jaxviz.guard import guarded
from jaxviz.schema import Event
from jaxviz.signature import Function, Trace

MOST_CHANGES = 20
"""Changes that an event lists; further ones are counted."""
REMEMBERED = 10_000
"""Functions that are remembered, programs whose trace is, and signatures of a function: of each
the latest."""
_BODY_NAME = re.compile(r" \(\w+\)$")
"""The end of the name of a function that a loop or branch outside of jit traced: `step (scan)`."""


class History:
    """Remembers what was traced, lowered and compiled, so that an event can say what changed.

    Facts are given in the order in which they happened. What is remembered is bounded."""

    def __init__(self) -> None:
        self._pasts: OrderedDict[Function, FunctionPast] = OrderedDict()
        self._traces: OrderedDict[int, int] = OrderedDict()
        """The number of the event of the trace that made a program, by the program's number."""
        self._programs: OrderedDict[int, int] = OrderedDict()
        """The number of the program that an event made, lowered or compiled, by the event's."""
        self._numbers = count()

    def event(self, trace: Trace) -> Event:
        """The event of a trace, with its reason and a hint."""
        past = self._past(trace)
        if trace.kind == "trace":
            return self._trace(trace, past)
        return self._later(trace, past)

    def _past(self, trace: Trace) -> FunctionPast:
        """What is remembered of the function; nothing yet, if its cell ran again and made a new
        one."""
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
        """The number (`Trace.program`) of the program that an event is about; None where it is
        forgotten."""
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
        """Why the same program was lowered or compiled again."""
        options = [
            found for call in before if (found := changes_of_program(call, trace)) is not None
        ]
        if options and all(options):
            return Why(min(options, key=distance))
        cleared = max(call.cleared for call in before)
        return Why([plain_change("cleared" if cleared < trace.cleared else "unknown")])

    def _why_derived(self, trace: Trace, earlier: list[EarlierCall]) -> Why:
        """Why a program was lowered or compiled whose trace was not seen: grad, vmap or the like
        made it of a function's program."""
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
    """Forgets the oldest where there are too many."""
    if len(known) > REMEMBERED:
        known.popitem(last=False)
