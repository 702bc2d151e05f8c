"""Finds the steps of a trace at which JAX used an existing program, so that no Python ran."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Any

from jaxviz.capture._traces import function_of, is_as_written
from jaxviz.capture.jaxprs.avals import typed
from jaxviz.capture.jaxprs.walk import Walk
from jaxviz.capture.shown.shown_values import WIDEST
from jaxviz.capture.shown.strings import name
from jaxviz.schema import Sentence
from jaxviz.sentences import sentence
from jaxviz.tools.steps.capture.recorder import Step, has_steps


def cached_calls(
    steps: Sequence[Step], added: Sequence[list[int]], found: Walk
) -> list[list[Sentence]]:
    """For each step, a sentence for each function of the user that it called and that JAX had
    traced before. `added` has the numbers of each step's eqns."""
    bodies = _bodies(found)
    called = [[bodies[number] for number in numbers if number in bodies] for numbers in added]
    return [
        [*dict.fromkeys(_sentences(steps[at], of_step, _entered(steps, at)))] if of_step else []
        for at, of_step in enumerate(called)
    ]


def _bodies(found: Walk) -> dict[int, tuple[Any, list[Any]]]:
    """The eqns with bodies, by number through all jaxprs, and their jaxprs."""
    bodies: dict[int, tuple[Any, list[Any]]] = {}
    first = 0
    for jaxpr, inner in zip(found.jaxprs, found.inner, strict=True):
        for index, held in inner.items():
            bodies[first + index] = jaxpr.eqns[index], [found.jaxprs[one.graph] for one in held]
        first += len(jaxpr.eqns)
    return bodies


def _entered(steps: Sequence[Step], at: int) -> set[tuple[str, str]]:
    """The functions that ran within a step, by file and first line: those entered in the deeper
    steps before it."""
    before = (steps[index] for index in range(at - 1, -1, -1))
    within = takewhile(lambda one: one.depth > steps[at].depth, before)
    return {
        (one.code.co_filename, str(one.code.co_firstlineno))
        for one in within
        if one.kind == "enter"
    }


def _sentences(
    step: Step, called: list[tuple[Any, list[Any]]], entered: set[tuple[str, str]]
) -> Iterator[Sentence]:
    recorded = set(map(id, step.origins))
    for eqn, bodies in called:
        is_transposed = "transpose(" in str(eqn.source_info.name_stack)
        if is_transposed or id(eqn.source_info.traceback) not in recorded:
            continue
        for body in bodies:
            function = function_of(body)
            if function and function[1:] not in entered and has_steps(function[1]):
                takes = _signature(body) if is_as_written(eqn) else ""
                title = name(function[0])
                if takes:
                    yield sentence("known call, types", name=title, types=takes)
                else:
                    yield sentence("known call", name=title)


def _signature(jaxpr: Any) -> str:
    """The types of a jaxpr's inputs and results, as in `f32[3] → f32[3]`; empty if too long."""
    takes, gives = (
        ", ".join(typed(var.aval) for var in ends) for ends in (jaxpr.invars, jaxpr.outvars)
    )
    text = name(f"{takes} → {gives}")
    return text if len(text) <= WIDEST else ""
