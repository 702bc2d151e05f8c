"""What is remembered of the earlier calls of one function, and how a new one differs from them."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz.analysis.retraces.hints import Evidence
from jaxviz.analysis.retraces.made_anew import Made, jit_made_anew, made_anew
from jaxviz.analysis.retraces.reasons import changes, distance, option_changes, placement_changes
from jaxviz.guard import guarded
from jaxviz.schema import Change, Frame
from jaxviz.signature import Placement, Signature, Trace

CALLS_REMEMBERED = 32
"""Traces, lowerings and compilations of a function that are remembered, of each the latest."""


class EarlierCall(NamedTuple):
    """An earlier trace, lowering or compilation."""

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
    """The function object was another one than at the trace before, and that one was gone."""
    unordered: int | None
    """As `Trace.unordered`."""


class Why(NamedTuple):
    """What changed, and the number of the earlier trace that it changed from."""

    reason: list[Change]
    against: int | None = None


def plain_change(kind: str) -> Change:
    """A change that has no place, such as `first` or `unknown`."""
    return Change(kind, where="", before="", after="")


UNKNOWN = Why([plain_change("unknown")])


def _latest() -> deque[EarlierCall]:
    return deque(maxlen=CALLS_REMEMBERED)


@dataclass
class FunctionPast:
    """What is remembered of one function."""

    identities: set[int] = field(default_factory=set)
    """The function objects that were traced, by number."""
    calls: dict[str, deque[EarlierCall]] = field(
        default_factory=lambda: {kind: _latest() for kind in ("trace", "lower", "compile")}
    )
    cleared_at_trace: dict[Hashable, int] = field(default_factory=dict)
    """By function object and signature, how often JAX's caches had been cleared at its last
    trace."""
    run: int | None = None
    """Which run of its cell made the function, where it is written in a cell."""


def as_earlier_call(trace: Trace, number: int, anew: bool = False) -> EarlierCall:
    """What is remembered of a trace whose event has that number."""
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
    """What the earlier traces say of the line that a new one came from. `anew` says that the
    function object replaces one that is gone, `is_body` that it is a loop's or branch's outside of
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
    """Whether an argument is static as a whole in that call."""
    if signature is None or path not in signature.style:
        return False
    return path in signature.statics and path not in signature.trees


def _made(trace: Trace, why: Why) -> dict[str, Made]:
    """Where the values are made that are never equal."""
    signature = trace.signature
    if signature is None:
        return {}
    paths = [change.where for change in why.reason if change.after.startswith("another ")]
    found = {path: made_anew(signature, path, trace.called, trace.functions) for path in paths}
    return {path: made for path, made in found.items() if made is not None}


def _jit(trace: Trace, why: Why) -> Made | None:
    """The jit that the line makes for this call alone, if the function object is new."""
    is_new = bool(why.reason) and why.reason[0].kind == "function"
    return jit_made_anew(trace.called) if is_new else None


def may_be_same(before: int | None, now: int | None) -> bool:
    """Whether two function objects may be the same one: None stands for one that is not known."""
    return before is None or now is None or before == now


def nearest(trace: Trace, earlier: Iterable[EarlierCall]) -> Why:
    """What changed against the nearest of the earlier calls.

    That is the latest one that is the same. Else it is the latest one with the same values that
    passes them another way: passed so, this call needs no new program. Else it is the latest one
    that differs in one thing alone, or the one that differs least. Nothing if no signature is
    known."""
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
    """The same without a direction, where nobody knows which of the two traces came first."""
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
    """What changed between two lowerings or compilations of one program; None where too little is
    known of one."""
    if call.placements is None or trace.placements is None:
        return None
    if call.signature is None or trace.signature is None:
        return None
    return [
        *changes(call.signature, trace.signature),
        *placement_changes(call.placements, trace.placements),
        *option_changes(call.options or {}, trace.options or {}),
    ]
