"""The history of each function: earlier calls, and one event for each new trace with its reason."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.analysis.retraces.new_objects import Creation, creation_of, jit_creation
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
"""The most traces, lowerings and compilations of a function that are stored: the latest of each
kind."""


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
    replaced: bool
    """True if the function object replaced an earlier one that no longer existed."""
    unordered: int | None
    """The traces of unknown order, as in `Trace.unordered`."""


class Reason(NamedTuple):
    """The changes since an earlier trace, and the number of that trace."""

    reason: list[Change]
    against: int | None = None


def plain_change(kind: str) -> Change:
    """A change without a place, such as `first` or `unknown`."""
    return Change(kind, where="", before="", after="")


UNKNOWN = Reason([plain_change("unknown")])


@dataclass
class FunctionHistory:
    """The history of one function."""

    identities: set[int] = field(default_factory=set)
    """The numbers of the function objects that were traced."""
    calls: dict[str, deque[EarlierCall]] = field(
        default_factory=lambda: {
            kind: deque(maxlen=CALLS_REMEMBERED) for kind in ("trace", "lower", "compile")
        }
    )
    cleared_at_trace: dict[Hashable, int] = field(default_factory=dict)
    """For each function object and signature, the number of times that JAX's caches had been
    cleared before its last trace."""
    run: int | None = None
    """The run of its cell that defined the function; None if it is not in a cell."""


def earlier_call(trace: Trace, number: int, replaced: bool = False) -> EarlierCall:
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
        replaced=replaced,
        unordered=trace.unordered,
    )


def evidence_at_line(
    trace: Trace, why: Reason, earlier: Iterable[EarlierCall], replaced: bool, is_body: bool
) -> Evidence:
    """The evidence of the earlier traces on the line of a new one. `replaced` says that the
    function object replaced one that no longer existed, `is_body` that the function is the body of
    a loop or branch outside of jit."""
    earlier = [*earlier]
    here = [call for call in earlier if trace.site is not None and call.site == trace.site]
    all_signatures = [trace.signature, *(call.signature for call in earlier)]
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
        new_objects=replaced + sum(call.replaced for call in here),
        body=is_body,
        statics={} if trace.signature is None else trace.signature.statics,
        declared=frozenset(
            path for one in all_signatures for path in paths if _is_declared(one, path)
        ),
        made=guarded({}, _creations, trace, why),
        jit=guarded(None, _new_jit, trace, why),
    )


def _is_declared(signature: Signature | None, path: str) -> bool:
    """True if an argument is static as a whole in a call."""
    if signature is None or path not in signature.style:
        return False
    return path in signature.statics and path not in signature.trees


def _creations(trace: Trace, why: Reason) -> dict[str, Creation]:
    """The places that create values which are never equal, by path."""
    signature = trace.signature
    if signature is None:
        return {}
    paths = [change.where for change in why.reason if is_another(change)]
    found = {path: creation_of(signature, path, trace.called, trace.functions) for path in paths}
    return {path: made for path, made in found.items() if made is not None}


def _new_jit(trace: Trace, why: Reason) -> Creation | None:
    """The jit that the line creates for this call only, if the function object is new."""
    is_new = bool(why.reason) and why.reason[0].kind == "function"
    return jit_creation(trace.called) if is_new else None


def nearest(trace: Trace, earlier: Iterable[EarlierCall]) -> Reason:
    """The changes since the nearest of the earlier calls.

    This is the latest call that is equal. Else it is the latest one that passes the same values in
    another way: the call would need no new program if it passed them like that one. Else it is the
    latest one with only one difference, or with the smallest difference. Empty if no signature is
    known.
    """
    best = Reason([])
    calls = [(call.signature, call.number) for call in earlier if call.signature is not None]
    if trace.signature is None:
        return best
    for signature, number in reversed(calls):
        if signature == trace.signature:
            return Reason([], number)
    for signature, number in reversed(calls):
        if signature.style != trace.signature.style and signature.leaves == trace.signature.leaves:
            found = changes(signature, trace.signature)
            if found and all(change.kind == "style" for change in found):
                return Reason(found, number)
    for signature, number in reversed(calls):
        found = changes(signature, trace.signature)
        if not found:
            return Reason([], number)
        if best.against is None or distance(found) < distance(best.reason):
            best = Reason(found, number)
        if len(best.reason) == 1:
            break
    return best


def undirected(why: Reason, trace: Trace, earlier: Iterable[EarlierCall]) -> Reason:
    """The same changes without a direction, if the order of the two traces is unknown."""
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
    """The changes between two lowerings or compilations of one program; None if a call is not fully
    known."""
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
"""The most changes that an event lists; it has the number of others."""
REMEMBERED = 10_000
"""The most functions, programs with a known trace, and signatures of a function that are stored:
the latest of each."""
_BODY_NAME = re.compile(r" \(\w+\)$")
"""The end of the name of a function that a loop or branch traced outside of jit: `step (scan)`."""


class History:
    """Stores traces, lowerings and compilations, and finds what changed between them.

    Call `event` in the order of time. The storage is bounded.
    """

    def __init__(self) -> None:
        self._functions: OrderedDict[Function, FunctionHistory] = OrderedDict()
        self._traces: OrderedDict[int, int] = OrderedDict()
        """Maps a program's number to the number of the event of its trace."""
        self._programs: OrderedDict[int, int] = OrderedDict()
        """Maps an event's number to the number of the program that it made, lowered or compiled."""
        self._numbers = count()

    def event(self, trace: Trace) -> Event:
        """The event of a trace, with its reason and a hint."""
        function = self._function(trace)
        if trace.kind == "trace":
            return self._trace_event(trace, function)
        return self._later_event(trace, function)

    def _function(self, trace: Trace) -> FunctionHistory:
        """The history of a function; empty if its cell ran again and defined a new function."""
        function = self._functions.get(trace.function)
        run = None if trace.definition is None else trace.definition.count
        is_new = trace.identity is not None and (
            function is None or trace.identity not in function.identities
        )
        if function is None or (trace.kind == "trace" and is_new and run != function.run):
            function = self._functions[trace.function] = FunctionHistory(run=run)
            _forget(self._functions)
        return function

    def program(self, event: Event) -> int | None:
        """The number (`Trace.program`) of the program of an event; None if it is forgotten."""
        return self._programs.get(event.number if event.of is None else event.of)

    def _trace_event(self, trace: Trace, function: FunctionHistory) -> Event:
        key = None if trace.signature is None else (trace.identity, trace.signature.digest())
        again = bool(function.calls["trace"])
        why = guarded(UNKNOWN, self._trace_reason, trace, function, key)
        why = guarded(why, undirected, why, trace, function.calls["trace"])
        replaced = bool(why.reason) and why.reason[0].kind == "function" and not trace.is_kept
        is_body = _BODY_NAME.search(trace.function.name) is not None
        earlier = function.calls["trace"]
        evidence = guarded(NO_EVIDENCE, evidence_at_line, trace, why, earlier, replaced, is_body)
        event = self._event(trace, why, again, None, evidence)
        if trace.error is None:
            if trace.program is not None:
                self._traces[trace.program] = event.number
                _forget(self._traces)
                self._store_program(event, trace.program)
            function.calls["trace"].append(earlier_call(trace, event.number, replaced))
            function.cleared_at_trace.pop(key, None)
            function.cleared_at_trace[key] = trace.cleared
            if len(function.cleared_at_trace) > REMEMBERED:
                del function.cleared_at_trace[next(iter(function.cleared_at_trace))]
            if trace.identity is not None:
                function.identities.add(trace.identity)
        return event

    def _trace_reason(self, trace: Trace, function: FunctionHistory, key: Hashable) -> Reason:
        earlier = function.calls["trace"]
        if not earlier:
            return Reason([plain_change("first")])
        if trace.signature is None:
            return UNKNOWN
        is_new = trace.identity is not None and trace.identity not in function.identities
        if is_new and None not in {call.identity for call in earlier}:
            found = nearest(trace, earlier)
            return found._replace(reason=[plain_change("function"), *found.reason])
        same = {None, trace.identity}
        candidates = [c for c in earlier if trace.identity is None or c.identity in same]
        found = nearest(trace, candidates)
        cleared = function.cleared_at_trace.get(key)
        has_other_options = [change.kind for change in found.reason] == ["options"]
        if cleared is not None and not has_other_options:
            kind = "cleared" if cleared < trace.cleared else "unknown"
            return Reason([plain_change(kind)], None if found.reason else found.against)
        return found if found.reason else UNKNOWN

    def _later_event(self, trace: Trace, function: FunctionHistory) -> Event:
        earlier = function.calls[trace.kind]
        of = None if trace.program is None else self._traces.get(trace.program)
        before = [call for call in earlier if call.program == trace.program]
        why = Reason([])
        if before:
            why = guarded(UNKNOWN, self._repeat_reason, trace, before)
        elif of is None:
            why = guarded(UNKNOWN, self._derived_reason, trace, list(earlier))
        event = self._event(trace, why, bool(before), of)
        if trace.error is None:
            earlier.append(earlier_call(trace, event.number))
            if of is None and trace.program is not None:
                self._store_program(event, trace.program)
        return event

    def _store_program(self, event: Event, program: int) -> None:
        self._programs[event.number] = program
        _forget(self._programs)

    def _repeat_reason(self, trace: Trace, before: list[EarlierCall]) -> Reason:
        """The reason why the same program was lowered or compiled again."""
        options = [
            found for call in before if (found := changes_of_program(call, trace)) is not None
        ]
        if options and all(options):
            return Reason(min(options, key=distance))
        cleared = max(call.cleared for call in before)
        return Reason([plain_change("cleared" if cleared < trace.cleared else "unknown")])

    def _derived_reason(self, trace: Trace, earlier: list[EarlierCall]) -> Reason:
        """The reason for lowering or compiling a program without a trace: grad, vmap or a similar
        transformation made it from a function's program."""
        same = [call for call in earlier if call.role == trace.role]
        if not same:
            return Reason([plain_change("first")])
        if trace.signature is None:
            return UNKNOWN
        paths = trace.signature.leaves.keys()
        alike = [call for call in same if call.signature and call.signature.leaves.keys() == paths]
        found = nearest(trace, alike)
        return Reason(found.reason) if found.reason else UNKNOWN

    def _event(
        self,
        trace: Trace,
        why: Reason,
        again: bool,
        of: int | None,
        evidence: Evidence = NO_EVIDENCE,
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


def _forget(entries: OrderedDict[Any, Any]) -> None:
    """Forgets the oldest entries if there are too many."""
    if len(entries) > REMEMBERED:
        entries.popitem(last=False)
