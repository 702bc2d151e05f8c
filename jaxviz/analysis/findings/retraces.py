"""What in a log costs more than it needs to: functions that were traced again for three reasons.

A Python number in one call and an array in another; a function object made anew for each call; and
batches of several sizes. Told only where the log has evidence for what to do about it: then the
cause has a hint (`analysis/retraces/hints.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jaxviz.amounts import seconds_text
from jaxviz.analysis.findings.silenced import ignored
from jaxviz.analysis.retraces import cause_text
from jaxviz.analysis.retraces.hints import advises_padding
from jaxviz.guard import guarded
from jaxviz.pages import page
from jaxviz.schema import Cause, Event, Finding, Frame, Function

RETRACES: Mapping[str, str] = {
    "weak type": "weak-type",
    "function": "new-function",
    "shape": "ragged-batch",
}
"""The kinds of findings by the kinds of changes."""
FEWEST_ANEW = 3
"""So often a function is made anew before it is told."""


def findings_of_log(
    functions: Sequence[Function], causes: Iterable[Cause], events: Iterable[Event]
) -> list[Finding]:
    """The findings of a log, but those that a comment on the line of the call silences. One that
    fails is left out."""
    sites = {event.number: event.site for event in events}
    found = (guarded(None, _finding, functions, cause, sites.get(cause.last)) for cause in causes)
    return [one for one in found if one is not None]


def _finding(functions: Sequence[Function], cause: Cause, site: Frame | None) -> Finding | None:
    kind = RETRACES.get(cause.reason[0].kind) if cause.reason else None
    if kind is None or cause.kind != "trace" or not cause.hint:
        return None
    if kind == "ragged-batch" and not advises_padding(cause.hint):
        return None
    if kind == "new-function" and cause.times < FEWEST_ANEW:
        return None
    if site is not None and any(not kinds or kind in kinds for kinds in ignored(site.code)):
        return None
    times = "once" if cause.times == 1 else f"{cause.times:,} times"
    name = functions[cause.function].name
    return Finding(
        kind=kind,
        what=f"`{name}` was traced again {times}: {cause_text(cause)}",
        cost=seconds_text(cause.seconds),
        mend=cause.hint,
        page=page(kind),
        at=site,
        eqns=[],
        names=[change.where for change in cause.reason if change.where],
        bytes=None,
    )
