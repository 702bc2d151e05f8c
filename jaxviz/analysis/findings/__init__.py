"""Findings: places of a program, or calls in a log, that cost more than they need to, with a fix.

Findings follow from the records alone: nothing is run, lowered or compiled for them. `KINDS` has a
function for each kind of finding in a program, which yields its findings. A comment above the
function gives the size from which it reports, and the reason. A log has a finding for each cause
with a hint. `analysis/retraces/retrace_texts.py` decides which causes have one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from jaxviz.analysis.findings.batched_choice_findings import batched_choices
from jaxviz.analysis.findings.device_findings import (
    collectives,
    host_callbacks,
    replicated_arrays,
)
from jaxviz.analysis.findings.donation_findings import donations, inner_donations
from jaxviz.analysis.findings.drawn_findings import frozen_random_numbers, frozen_times
from jaxviz.analysis.findings.dtype_findings import upcasts, wide_requests
from jaxviz.analysis.findings.frozen_findings import fact_of, frozen_values
from jaxviz.analysis.findings.indexed_program import (
    Draft,
    IndexedProgram,
    ignored_kinds,
    is_ignored,
)
from jaxviz.analysis.findings.memory_findings import (
    blow_ups,
    captured_constants,
    residuals,
    unused_arguments,
)
from jaxviz.analysis.findings.random_keys.key_findings import reused_keys
from jaxviz.analysis.findings.repeated_code_findings import unrolled_loops
from jaxviz.analysis.findings.split_findings import reshards, uneven_splits
from jaxviz.analysis.findings.unlike_findings import unlike_layers
from jaxviz.analysis.retraces import cause_text
from jaxviz.analysis.retraces.retrace_texts import advises_padding
from jaxviz.pages import page
from jaxviz.safety.guard import guarded
from jaxviz.schema import (
    Cause,
    Event,
    Finding,
    Frame,
    FrozenValue,
    Function,
    Program,
    PythonLoop,
)
from jaxviz.schema.record import literal
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import seconds_text

KINDS: Mapping[str, Callable[[IndexedProgram], Iterable[Draft]]] = {
    "key-reuse": reused_keys,
    "frozen-value": frozen_values,
    "frozen-random": frozen_random_numbers,
    "frozen-time": frozen_times,
    "unlike": unlike_layers,
    "upcast": upcasts,
    "float64": wide_requests,
    "unrolled": unrolled_loops,
    "constant": captured_constants,
    "callback": host_callbacks,
    "batched-cond": batched_choices,
    "blowup": blow_ups,
    "residual": residuals,
    "collective": collectives,
    "reshard": reshards,
    "replicated": replicated_arrays,
    "indivisible": uneven_splits,
    "donation": donations,
    "inner-donation": inner_donations,
    "unused": unused_arguments,
}
"""The kinds of findings in a program, by the names that silence them, in the order of the
report."""


def findings(program: Program) -> list[Finding]:
    """Returns the findings of a program, then its notes, without those that a comment silences. An
    exception in one kind, or in one finding, hides no other finding."""
    stage = program.stages[0]
    if program.compared is not None or stage.error is not None or not stage.graphs:
        return []
    indexed = IndexedProgram(program, stage)
    found: list[Finding] = []
    for kind, search in KINDS.items():
        with suppress(Exception):
            for draft in search(indexed):
                with suppress(Exception):
                    if not is_ignored(kind, draft, indexed):
                        found.append(indexed.finding(kind, draft))
    return sorted(found, key=lambda one: one.is_note)


RETRACES: Mapping[str, str] = {
    "weak type": "weak-type",
    "function": "new-function",
    "shape": "ragged-batch",
}
"""The kinds of findings in a log by the kinds of changes; any other change is `OTHER`."""
OTHER = "retrace"
FEWEST_NEW_FUNCTIONS = 3
"""The fewest new functions in a log that make a finding. A hint counts those of all logs."""
_VERBS = {"trace": "retraced", "lower": "lowered again", "compile": "compiled again"}


PYTHON_LOOP = "python-loop"
"""The kind of finding in a profiled log: a Python loop that runs many small programs."""


def findings_of_log(
    functions: Sequence[Function],
    causes: Sequence[Cause],
    events: Iterable[Event],
    loops: Iterable[PythonLoop] = (),
) -> list[Finding]:
    """Returns the findings of a log, without those that a comment on the line of the call, or of
    the loop, silences. A finding that fails is omitted."""
    sites = {event.number: event.site for event in events}
    compiled = [(cause.function, cause.reason) for cause in causes if cause.kind == "compile"]
    found = (
        guarded(None, _finding, functions, cause, sites.get(cause.last))
        for cause in causes
        if cause.kind != "lower" or (cause.function, cause.reason) not in compiled
    )
    of_loops = (guarded(None, _python_loop, loop) for loop in loops)
    return [one for one in (*found, *of_loops) if one is not None]


def _python_loop(loop: PythonLoop) -> Finding | None:
    if _is_silenced(PYTHON_LOOP, loop.site):
        return None
    return Finding(
        kind=PYTHON_LOOP,
        what=sentence("python-loop", programs=loop.programs),
        cost=sentence(
            "python-loop cost",
            seconds=seconds_text(loop.seconds),
            running=seconds_text(loop.running),
        ),
        fix=sentence("python-loop fix"),
        page=page(PYTHON_LOOP),
        at=loop.site,
        eqns=[],
        names=[],
        bytes=None,
    )


def _is_silenced(kind: str, site: Frame) -> bool:
    return any(not kinds or kind in kinds for kinds in ignored_kinds(site.code))


def _finding(functions: Sequence[Function], cause: Cause, site: Frame | None) -> Finding | None:
    if not cause.hint.text:
        return None
    kind = _kind(cause)
    if kind == "new-function" and cause.times < FEWEST_NEW_FUNCTIONS:
        return None
    if site is not None and _is_silenced(kind, site):
        return None
    times = "once" if cause.times == 1 else f"{cause.times:,} times"
    name = functions[cause.function].name
    return Finding(
        kind=kind,
        what=literal(f"`{name}` was {_VERBS[cause.kind]} {times}: {cause_text(cause)}"),
        cost=literal(seconds_text(cause.seconds)),
        fix=cause.hint,
        page=page(kind),
        at=site,
        eqns=[],
        names=[change.where for change in cause.reason if change.where],
        bytes=None,
    )


def findings_of_frozen(found: Iterable[FrozenValue]) -> list[Finding]:
    """Returns a finding for each value that a function still uses although it is another one now,
    without those that a comment on the line of the read silences."""
    made = (guarded(None, _finding_of_frozen, one) for one in found)
    return [one for one in made if one is not None]


def _finding_of_frozen(one: FrozenValue) -> Finding | None:
    kind = "frozen-value"
    if one.at is not None and any(not ks or kind in ks for ks in ignored_kinds(one.at.code)):
        return None
    return Finding(
        kind=kind,
        what=fact_of(one),
        cost=sentence(f"{kind} cost"),
        fix=sentence(f"{kind} fix"),
        page=page(kind),
        at=one.at,
        eqns=[],
        names=[one.path],
        bytes=None,
    )


def _kind(cause: Cause) -> str:
    """The kind of the first change; `OTHER` if the hint is about something else."""
    kind = RETRACES.get(cause.reason[0].kind, OTHER)
    is_padding = kind == "ragged-batch" and advises_padding(cause.hint)
    return kind if is_padding or kind != "ragged-batch" else OTHER
