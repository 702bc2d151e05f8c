"""Our costs beside those that XLA reports, for each program of `costed_programs.py`.

    python tests/costs_table.py        writes the table of docs/costs.md (`make costs`)

XLA reports a jaxpr and its StableHLO as one (`lowered.cost_analysis()`), and optimized HLO apart
(`compiled.cost_analysis()`). It counts a loop's body once, and not at all what a library does, so
figures are held against each other only where neither is met.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
from costed_programs import PROGRAMS, Call

import jaxviz
from jaxviz import schema
from jaxviz.stages import STAGE_KINDS

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs/costs.md"
BEGIN = "<!-- written by tests/costs_table.py -->\n"
FOLDED = 8
"""How many operations on scalars XLA may leave out, since all of their operands are constants."""


class Row(NamedTuple):
    """One program in one stage."""

    kind: str
    ours: schema.Cost
    reported: schema.Cost
    apart: str
    """Why the two are not held against each other; empty where they are."""
    tuples: bool
    """Whether an instruction gives several results. Of these XLA counted only the pointers before
    jax 0.10."""


def rows(call: Call) -> Iterator[Row]:
    """The program in each of its stages."""
    fun, args = call
    program = jaxviz.inspect(fun)(*args)
    lowered: Any = jax.jit(fun).lower(*args).cost_analysis() or {}
    before = schema.Cost(
        flops=round(lowered.get("flops", 0)),
        transcendentals=round(lowered.get("transcendentals", 0)),
        bytes=None,
        least=False,
    )
    stages = [program.stage(kind) for kind in STAGE_KINDS]
    for stage in stages:
        after = stage if stage.kind == "hlo" else stages[1]
        reported = stage.reported if stage.kind == "hlo" else before
        assert stage.cost is not None
        assert reported is not None
        yield Row(stage.kind, stage.cost, reported, apart(stage, after), tuples(stage))


def apart(stage: schema.Stage, after: schema.Stage) -> str:
    """Why a stage is not held against XLA: by what is in it, or in what it was lowered to."""
    eqns = [eqn for graph in after.graphs for eqn in graph.eqns]
    called = sorted({eqn.name for eqn in eqns if eqn.op.endswith(("custom_call", "custom-call"))})
    if called:
        return f"XLA does not count {', '.join(called)}"
    if any(eqn.op.endswith("while") for eqn in eqns):
        return "loops"
    return "at least" if stage.cost is None or stage.cost.least else ""


def tuples(stage: schema.Stage) -> bool:
    graphs = ((graph, eqn) for graph in stage.graphs for eqn in graph.eqns if eqn.op != "tuple")
    return any(
        stage.avals[graph.vars[var].aval].kind == "tuple"
        for graph, eqn in graphs
        for var in eqn.outvars
    )


def pairs(row: Row) -> Iterator[tuple[str, int | None, int | None]]:
    """What is held against XLA: bytes only in optimized HLO, as no other stage says what is
    fused."""
    yield "flops", row.ours.flops, row.reported.flops
    yield "transcendentals", row.ours.transcendentals, row.reported.transcendentals
    if row.kind == "hlo" and not (row.tuples and jax.__version_info__ < (0, 10)):
        yield "bytes", row.ours.bytes, row.reported.bytes


def agrees(ours: int | None, reported: int | None) -> bool:
    """Whether a number is within 2 % of XLA's, or differs by a few scalars that XLA folds."""
    if ours is None or reported is None:
        return False
    return abs(ours - reported) <= max(0.02 * reported, FOLDED)


def table() -> Iterator[str]:
    yield "| program | flops: jaxpr | StableHLO | HLO | transcendentals | bytes: HLO | |"
    yield "|---|---|---|---|---|---|---|"
    for family, calls in PROGRAMS.items():
        yield f"| **{family}** | | | | | | |"
        for name, call in calls.items():
            found = {row.kind: row for row in rows(call)}
            jaxpr, stablehlo, hlo = (found[kind] for kind in STAGE_KINDS)
            cells = [
                *(ratio(row.ours.flops, row.reported.flops) for row in (jaxpr, stablehlo, hlo)),
                ratio(jaxpr.ours.transcendentals, jaxpr.reported.transcendentals),
                ratio(hlo.ours.bytes, hlo.reported.bytes),
                "; ".join(dict.fromkeys(row.apart for row in found.values() if row.apart)),
            ]
            yield f"| {name} | {' | '.join(cells)} |"


def ratio(ours: int | None, reported: int | None) -> str:
    """`1.000` of `512`, ours in XLA's."""
    if ours is None or reported is None or reported < 0:
        return "not reported"
    return f"{ours / reported:.3f} of {reported:,}" if reported else f"{ours:,} of 0"


def main() -> int:
    head = PAGE.read_text("utf-8").partition(BEGIN)[0]
    lines = [f"On JAX {jax.__version__}, CPU:", "", *table(), ""]
    PAGE.write_text(f"{head}{BEGIN}\n" + "\n".join(lines), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
