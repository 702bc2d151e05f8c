"""The findings of a log: each cause that the log has a hint for, in the log's own words.

`analysis/retraces/retrace_texts.py` decides which causes have a hint. It counts new functions over
all logs. A finding needs `FEWEST_NEW_FUNCTIONS` of them in its own log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jaxviz.analysis.findings.indexed_program import ignored
from jaxviz.analysis.retraces import cause_text
from jaxviz.analysis.retraces.retrace_texts import advises_padding
from jaxviz.pages import page
from jaxviz.safety.guard import guarded
from jaxviz.schema import Cause, Event, Finding, Frame, Function
from jaxviz.schema.sentence import literal
from jaxviz.sentences.amounts import seconds_text

RETRACES: Mapping[str, str] = {
    "weak type": "weak-type",
    "function": "new-function",
    "shape": "ragged-batch",
}
"""The kinds of findings by the kinds of changes; any other change is `OTHER`."""
OTHER = "retrace"
FEWEST_NEW_FUNCTIONS = 3
"""The number of new functions within the log that make a finding."""
_DONE = {"trace": "retraced", "lower": "lowered again", "compile": "compiled again"}


def findings_of_log(
    functions: Sequence[Function], causes: Sequence[Cause], events: Iterable[Event]
) -> list[Finding]:
    """The findings of a log, but those that a comment on the line of the call silences. One that
    fails is left out."""
    sites = {event.number: event.site for event in events}
    compiled = [(cause.function, cause.reason) for cause in causes if cause.kind == "compile"]
    found = (
        guarded(None, _finding, functions, cause, sites.get(cause.last))
        for cause in causes
        if cause.kind != "lower" or (cause.function, cause.reason) not in compiled
    )
    return [one for one in found if one is not None]


def _finding(functions: Sequence[Function], cause: Cause, site: Frame | None) -> Finding | None:
    if not cause.hint.text:
        return None
    kind = _kind(cause)
    if kind == "new-function" and cause.times < FEWEST_NEW_FUNCTIONS:
        return None
    if site is not None and any(not kinds or kind in kinds for kinds in ignored(site.code)):
        return None
    times = "once" if cause.times == 1 else f"{cause.times:,} times"
    name = functions[cause.function].name
    return Finding(
        kind=kind,
        what=literal(f"`{name}` was {_DONE[cause.kind]} {times}: {cause_text(cause)}"),
        cost=literal(seconds_text(cause.seconds)),
        fix=cause.hint,
        page=page(kind),
        at=site,
        eqns=[],
        names=[change.where for change in cause.reason if change.where],
        bytes=None,
    )


def _kind(cause: Cause) -> str:
    """The kind of the first change; `OTHER` if the hint is not about it."""
    kind = RETRACES.get(cause.reason[0].kind, OTHER)
    is_padding = kind == "ragged-batch" and advises_padding(cause.hint)
    return kind if is_padding or kind != "ragged-batch" else OTHER
