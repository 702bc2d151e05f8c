"""What in a program costs more than it needs to: few findings, and right ones.

They follow from the records alone: nothing is run, lowered or compiled for them. `KINDS` has a
function for each kind, which yields its findings; each says in its own file from which size on it
speaks, and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TypeVar

from jaxviz import schema
from jaxviz.analysis.findings.blow_ups import blow_ups
from jaxviz.analysis.findings.captured_constants import captured_constants
from jaxviz.analysis.findings.collectives import collectives
from jaxviz.analysis.findings.donations import donations
from jaxviz.analysis.findings.host_callbacks import host_callbacks
from jaxviz.analysis.findings.replicated_arguments import replicated_arguments
from jaxviz.analysis.findings.reshards import reshards
from jaxviz.analysis.findings.residuals import residuals
from jaxviz.analysis.findings.searched import Found, Searched
from jaxviz.analysis.findings.silenced import is_ignored
from jaxviz.analysis.findings.unlike_layers import unlike_layers
from jaxviz.analysis.findings.unrolled_loops import unrolled_loops
from jaxviz.analysis.findings.unused_arguments import unused_arguments
from jaxviz.analysis.findings.upcasts import upcasts
from jaxviz.analysis.findings.wide_requests import wide_requests

Made = TypeVar("Made")

KINDS: Mapping[str, Callable[[Searched], Iterable[Found]]] = {
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
"""The kinds of findings, by the names that silence them, in the order in which they are told."""


def findings(program: schema.Program) -> list[schema.Finding]:
    """The findings of a program, but those that a comment on a line of theirs silences.

    A failure of one kind, or of one finding, hides no other one."""
    stage = program.stages[0]
    if program.compared is not None or stage.error is not None or not stage.graphs:
        return []
    searched = Searched(program, stage)
    return [
        finding
        for kind, search in KINDS.items()
        for one in safely(lambda search=search: search(searched))
        for finding in safely(lambda kind=kind, one=one: told(kind, one, searched))
    ]


def told(kind: str, one: Found, searched: Searched) -> Iterator[schema.Finding]:
    if not is_ignored(kind, one, searched):
        yield searched.finding(kind, one)


def safely(make: Callable[[], Iterable[Made]]) -> Iterator[Made]:
    """The guard around all findings: yields what is made before a failure."""
    with suppress(Exception):
        yield from make()
