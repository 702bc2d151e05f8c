"""Findings: places of a program that cost more than they need to, with a fix.

Findings follow from the records alone: nothing is run, lowered or compiled for them. `KINDS` has a
function for each kind, which yields its findings. A comment at the function gives the size from
which it reports, and the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TypeVar

from jaxviz import schema
from jaxviz.analysis.findings.device_findings import (
    collectives,
    host_callbacks,
    replicated_arguments,
    reshards,
)
from jaxviz.analysis.findings.dtype_findings import upcasts, wide_requests
from jaxviz.analysis.findings.indexed_program import Finding, IndexedProgram, is_ignored
from jaxviz.analysis.findings.memory_findings import (
    blow_ups,
    captured_constants,
    donations,
    residuals,
    unused_arguments,
)
from jaxviz.analysis.findings.repeated_code_findings import unlike_layers, unrolled_loops

Made = TypeVar("Made")

KINDS: Mapping[str, Callable[[IndexedProgram], Iterable[Finding]]] = {
    "unlike": unlike_layers,
    "upcast": upcasts,
    "float64": wide_requests,
    "unrolled": unrolled_loops,
    "constant": captured_constants,
    "callback": host_callbacks,
    "blowup": blow_ups,
    "residual": residuals,
    "collective": collectives,
    "reshard": reshards,
    "replicated": replicated_arguments,
    "donation": donations,
    "unused": unused_arguments,
}
"""The kinds of findings, by the names that silence them, in the order of the report."""


def findings(program: schema.Program) -> list[schema.Finding]:
    """The findings of a program, without those that a comment silences.

    An exception in one kind, or in one finding, hides no other finding."""
    stage = program.stages[0]
    if program.compared is not None or stage.error is not None or not stage.graphs:
        return []
    searched = IndexedProgram(program, stage)
    return [
        finding
        for kind, search in KINDS.items()
        for one in safely(lambda search=search: search(searched))
        for finding in safely(lambda kind=kind, one=one: not_silenced(kind, one, searched))
    ]


def not_silenced(kind: str, one: Finding, searched: IndexedProgram) -> Iterator[schema.Finding]:
    if not is_ignored(kind, one, searched):
        yield searched.finding(kind, one)


def safely(make: Callable[[], Iterable[Made]]) -> Iterator[Made]:
    """The guard around all findings: yields what is made before a failure."""
    with suppress(Exception):
        yield from make()
