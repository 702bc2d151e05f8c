"""Our costs beside those that XLA reports: of each program of `costed_programs.py`, of the gallery
and of `truth/libraries/`.

    python tests/costs_table.py            writes the table of docs/costs.md (`make costs`)
    python tests/costs_table.py --check    lists real programs whose figures are not XLA's

XLA reports a jaxpr and its StableHLO as one (`lowered.cost_analysis()`), and optimized HLO apart
(`compiled.cost_analysis()`). It counts a loop's body once, so here ours does, too. What a library
does it does not count at all: such figures are not held against each other.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")

import jax
from costed_programs import PROGRAMS, Call
from truth.libraries import library, programs

from jaxviz import schema
from jaxviz.analysis.cost.stage_costs import maximum, total
from jaxviz.capture import capture
from jaxviz.ops import RUN, row_of
from jaxviz.program import finished_program
from jaxviz.schema.graph import inner_first
from jaxviz.stages import STAGE_KINDS

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "gallery"))
PAGE = HERE.parent / "docs/costs.md"
BEGIN = "<!-- written by tests/costs_table.py -->\n"
FOLDED = 8
"""Operations on scalars that XLA may fold, because all of their operands are constants."""


class Row(NamedTuple):
    """One program in one stage."""

    kind: str
    ours: schema.Cost
    """With each loop counted once."""
    reported: schema.Cost
    apart: str
    """Why the two are not held against each other; empty where they are."""
    tuples: bool
    """True if an instruction has several results. Before jax 0.10, XLA counted only their
    pointers."""


def rows(call: Call) -> Iterator[Row]:
    """The program in each of its stages."""
    fun, args = call
    captured = capture(fun, args, {})
    program = finished_program(captured.program, captured.later, schema.UNCHOSEN)
    stages = [program.stage(kind) for kind in STAGE_KINDS]
    before = lowered_cost(fun, args)
    for stage in stages:
        assert stage.error is None, stage.error
        after = stage if stage.kind == "hlo" else stages[1]
        reported = stage.reported if stage.kind == "hlo" else before
        assert reported is not None
        yield Row(stage.kind, counted_once(stage), reported, apart(stage, after), tuples(stage))


def lowered_cost(fun: Any, args: tuple[Any, ...]) -> schema.Cost:
    """XLA's figures of what JAX lowers the call to, which was traced before."""
    later = capture(fun, args, {}).later
    found: Any = later._program.lower(later._program.closed).cost_analysis() or {}
    flops, transcendentals = (round(found.get(key, 0)) for key in ("flops", "transcendentals"))
    return schema.Cost(flops=flops, transcendentals=transcendentals, bytes=None, least=False)


def counted_once(stage: schema.Stage) -> schema.Cost:
    """The cost of a stage if the body of each loop counts once."""
    if not any(row_of(eqn.op).bodies == "looped" for graph in stage.graphs for eqn in graph.eqns):
        assert stage.cost is not None
        return stage.cost
    totals: dict[int, schema.Cost] = {}
    for number in inner_first(stage.graphs):
        totals[number] = total(of_eqn(eqn, totals) for eqn in stage.graphs[number].eqns)
    return totals[0]


def of_eqn(eqn: schema.Eqn, totals: dict[int, schema.Cost]) -> schema.Cost:
    bodies = [totals[body.graph] for body in eqn.bodies]
    how, cost = row_of(eqn.op).bodies, eqn.cost
    assert cost is not None
    if (cost.flops, cost.bytes) == (0, 0) or how not in ("looped", "called", "chosen"):
        return cost
    if eqn.op == "fusion" or row_of(eqn.op).name == "custom_linear_solve":
        return cost
    return maximum(bodies) if how == "chosen" else total(bodies)


def apart(stage: schema.Stage, after: schema.Stage) -> str:
    """Why a stage is not held against XLA: by what is in it, or in what it was lowered to."""
    called = {
        eqn.name
        for graph in after.graphs
        for eqn in graph.eqns
        if eqn.op.endswith(("custom_call", "custom-call")) and eqn.name not in COUNTED
    }
    if called:
        return f"XLA does not count {', '.join(sorted(called))}"
    if any("all devices" in note for note in stage.notes):
        return "all devices in the jaxpr"
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    least = {row_of(eqn.op).name for eqn in eqns if eqn.cost and is_least(eqn, eqn.cost)}
    if least:
        return f"at least, for {', '.join(sorted(least))}"
    drawn = stage.kind == "jaxpr" and any(eqn.op.startswith("random_") for eqn in eqns)
    return "random bits loop" if drawn else ""


def is_least(eqn: schema.Eqn, cost: schema.Cost) -> bool:
    """True if the cost of an eqn has an unknown part other than its number of iterations."""
    return (cost.least or cost.flops is None) and row_of(eqn.op).bodies not in RUN


COUNTED = ("Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "TopK")
"""Custom calls that do nothing, or that we do not count either."""


def tuples(stage: schema.Stage) -> bool:
    graphs = ((graph, eqn) for graph in stage.graphs for eqn in graph.eqns if eqn.op != "tuple")
    return any(
        stage.avals[graph.vars[var].aval].kind == "tuple"
        for graph, eqn in graphs
        for var in eqn.outvars
    )


def pairs(row: Row) -> Iterator[tuple[str, int | None, int | None]]:
    """Pairs to compare with XLA. Bytes only for optimized HLO, because no other stage has
    fusions."""
    yield "flops", row.ours.flops, row.reported.flops
    yield "transcendentals", row.ours.transcendentals, row.reported.transcendentals
    if row.kind == "hlo" and not (row.tuples and jax.__version_info__ < (0, 10)):
        yield "bytes", row.ours.bytes, row.reported.bytes


def agrees(ours: int | None, reported: int | None) -> bool:
    """True if a number is within 2 % of XLA's, or differs by a few scalars that XLA folds."""
    if ours is None or reported is None:
        return False
    return abs(ours - reported) <= max(0.02 * reported, FOLDED)


Calls = dict[str, Callable[[], Call]]
"""Programs by name: functions that make their calls."""


def table() -> Iterator[str]:
    yield "| program | flops: jaxpr | StableHLO | HLO | transcendentals | bytes: HLO | |"
    yield "|---|---|---|---|---|---|---|"
    small: dict[str, Calls] = {
        family: {name: lambda call=call: call for name, call in calls.items()}
        for family, calls in PROGRAMS.items()
    }
    for family, calls in {**small, **real_programs()}.items():
        yield f"| **{family}** | | | | | | |"
        for name, make in calls.items():
            yield told(name, list(rows(make())))
            jax.clear_caches()


def real_programs() -> dict[str, Calls]:
    """Those of the gallery, and of each library that is installed."""
    found: dict[str, Calls] = {"gallery": {}}
    for name, made in importlib.import_module("calls").installed():
        found["gallery"][name] = lambda made=made: made
    for name, make in programs().items():
        found.setdefault(library(name), {})[name] = make
    return found


def faults(call: Call) -> Iterator[str]:
    """Where our figures are not XLA's."""
    for row in rows(call):
        for what, ours, reported in pairs(row):
            if not row.apart and not agrees(ours, reported):
                yield f"{row.kind}: {what}: {ours}, and XLA has {reported}"


def check() -> int:
    wrong = 0
    for calls in real_programs().values():
        for name, make in calls.items():
            for fault in faults(make()):
                wrong += 1
                print(f"{name}: {fault}", flush=True)
            jax.clear_caches()
    return 1 if wrong else 0


def told(name: str, found: list[Row]) -> str:
    jaxpr, stablehlo, hlo = found
    cells = [
        *(ratio(row.ours.flops, row.reported.flops) for row in (jaxpr, stablehlo, hlo)),
        ratio(jaxpr.ours.transcendentals, jaxpr.reported.transcendentals),
        ratio(hlo.ours.bytes, hlo.reported.bytes),
        "; ".join(dict.fromkeys(row.apart for row in found if row.apart)),
    ]
    return f"| {name} | {' | '.join(cells)} |"


def ratio(ours: int | None, reported: int | None) -> str:
    """`1.000` of `512`, ours in XLA's."""
    if ours is None or reported is None or reported < 0:
        return "not reported"
    return f"{ours / reported:.3f} of {reported:,}" if reported else f"{ours:,} of 0"


def main(args: list[str]) -> int:
    if args == ["--check"]:
        return check()
    head = PAGE.read_text("utf-8").partition(BEGIN)[0]
    lines = [f"On JAX {jax.__version__}, CPU:", "", *table(), ""]
    PAGE.write_text(f"{head}{BEGIN}\n" + "\n".join(lines), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
