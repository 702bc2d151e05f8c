"""The steps of a trace as text: for terminals, and for pages that cannot draw them."""

from __future__ import annotations

from jaxviz.display.text.outline import counted
from jaxviz.display.text.summary import harmless
from jaxviz.schema import Program
from jaxviz.tools.steps.record import Steps, TraceStep

MOST_LINES = 200
"""The most steps that are printed."""
WIDEST = 48
"""The most characters of a line of code that are printed."""


def steps_text(program: Program, steps: Steps) -> str:
    """A line for each step: the user's line, the names it set, and the ops that it added."""
    eqns = [eqn.op for graph in program.stages[0].graphs for eqn in graph.eqns]
    shown = steps.steps[:MOST_LINES]
    lines = [_code(steps, step) for step in shown]
    width = min(WIDEST, max(map(len, lines), default=0))
    rows = [
        f"{_number(steps, step)}  {line[:WIDEST]:<{width}}    {_did(step, eqns)}".rstrip()
        for step, line in zip(shown, lines, strict=True)
    ]
    more = len(steps.steps) - len(shown)
    rest = [f"  … {more:,} more steps"] if more else []
    head = f"{program.name}: {len(steps.steps):,} steps, {counted('jaxpr', len(eqns))}"
    return "\n".join(map(harmless, [head, *rows, *rest, *map(str, steps.notes)]))


def _number(steps: Steps, step: TraceStep) -> str:
    return f"{steps.frames[step.frame].line:>3}" if step.kind != "rest" else "   "


def _code(steps: Steps, step: TraceStep) -> str:
    if step.kind == "rest":
        return "(on no line of yours)"
    indent = "  " * step.depth + ("" if step.kind == "enter" else "    ")
    return indent + steps.frames[step.frame].code


def _did(step: TraceStep, eqns: list[str]) -> str:
    names = [
        f"{one.name} = {one.text}{' (traced)' if one.kind == 'traced' else ''}"
        for one in step.bound
    ]
    ops = ", ".join(eqns[number] for number in step.eqns[:6])
    more = f" and {len(step.eqns) - 6} more" if len(step.eqns) > 6 else ""
    added = [f"+ {ops}{more}"] if ops else []
    printed = [f"printed {step.printed.strip()!r}"] if step.printed.strip() else []
    return "; ".join([*names, *added, *printed, *map(str, step.notes)])
