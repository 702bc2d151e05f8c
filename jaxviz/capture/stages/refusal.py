"""Says in one sentence why a later stage could not be made, or is not tried since XLA could end the
kernel.

XLA inlines all calls, however often a function is called, and fuses elementwise ops and reductions
that follow one another. Its code for that recurses once for each op of such a run, until the stack
is full. A program that does not fit into memory ends the process, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import jax

from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.other_interpreter import NoAnswerError, NoRoomError, lacks_memory
from jaxviz.capture.stages.stablehlo.attributes import elided
from jaxviz.ops import row_of
from jaxviz.safety import files
from jaxviz.schema import Eqn, Graph, Sentence, Stage, empty
from jaxviz.schema.graph import inner_first, outside_in
from jaxviz.schema.params import param_of
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import sentence

_OPS_OF_ERRORS = {
    r"specified backend": ("pure_callback", "io_callback", "debug_callback", "debug_print"),
    r"interpret mode|Mosaic|Triton|supported GPU devices": ("pallas_call",),
}
"""Ops by what JAX says where it cannot lower them, if that does not name them."""


def line_refused(reason: str, jaxpr: Stage) -> Sentence:
    """The first of the user's lines with the op that JAX could not lower, for this `reason`:
    ` at model.py, line 7 (`…`)`. Empty where that is not known."""
    named = re.search(r"primitive '([^']+)'", reason)
    others = next((ops for text, ops in _OPS_OF_ERRORS.items() if re.search(text, reason)), ())
    ops = (named[1],) if named else others
    eqns = (eqn for graph in jaxpr.graphs for eqn in graph.eqns if eqn.op in ops)
    number = next((eqn.frame for eqn in eqns if eqn.frame is not None), None)
    if number is None:
        return NOTHING
    frame = jaxpr.frames[number]
    if not frame.code:
        return sentence("at a line", file=frame.file, line=str(frame.line))
    return sentence("at a line, code", file=frame.file, line=str(frame.line), code=frame.code)


LONGEST_RUN = 4_096
"""The most fused ops in a row that are compiled.

On Linux, XLA for CPU compiles 8,192 sines and overflows the stack with 12,288 on JAX 0.6.2; on
0.10.2 it compiles 16,384 and overflows with 24,576; on 0.12.0.1 it compiles 65,536. It makes no
difference whether they are written out or inlined from calls, however these are nested."""
MOST_EQNS = 250_000
"""The most eqns that are compiled, each counted as often as it is inlined. XLA for CPU takes up to
27 kB of memory for each (65,536 of them took 1.8 GB)."""
MOST_ELSEWHERE = 2 * MOST_EQNS
"""The most that another process compiles, which may take minutes and most of the memory."""
FUSED = ("elementwise", "movement", "reduction")
"""The families of ops that XLA may fuse, however many there are in a row. Dots, convolutions, loops
and random bits end a run: with 8,192 dots or 2,000 splits of a key no process had ended after a
minute. Where a dot takes a value of the run, too, XLA often ends it there; it counts as whole."""
RUNS_OF_OPS = {
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atanh", "nextafter", "sinh"), 10),
    **dict.fromkeys(("digamma", "erf_inv", "erfc", "igamma", "igammac", "lgamma"), 30),
    **dict.fromkeys(("igamma_grad_a", "bessel_i0e", "bessel_i1e", "polygamma", "zeta"), 60),
}
"""Ops that JAX makes a long run of simpler ones of, and how long it is at most (on 0.10.2)."""


class Runs(NamedTuple):
    """The lengths of the longest runs of fused ops in a graph, or of one eqn."""

    through: int | None
    """From an input to an output; None where there is none."""
    head: int
    """From an input to any eqn."""
    tail: int
    """From any eqn to an output."""
    longest: int
    """Anywhere."""


NO_RUN = Runs(None, 0, 0, 0)


def longest_run(stage: Stage) -> int:
    """The number of fused ops in the longest run, once all calls are inlined. Takes time linear in
    the eqns of the stage."""
    known: dict[int, Runs] = {}
    for number in inner_first(stage.graphs):
        known[number] = runs_in(stage.graphs[number], known)
    return max(runs.longest for runs in known.values())


def inlined_eqns(stage: Stage) -> int:
    """The number of eqns once all calls are inlined."""
    known: dict[int, int] = {}
    for number in inner_first(stage.graphs):
        known[number] = sum(
            1 + copies(eqn) * sum(known[body.graph] for body in eqn.bodies)
            for eqn in stage.graphs[number].eqns
        )
    return known[0]


def runs_in(graph: Graph, known: Mapping[int, Runs]) -> Runs:
    """The runs in a graph, where those in the bodies of its eqns are known."""
    from_input = dict.fromkeys(graph.invars, 0)
    from_eqn: dict[int, int] = {}
    head = longest = 0
    for eqn in graph.eqns:
        runs = runs_of(eqn, known)
        outside, inside = furthest(from_input, eqn.invars), furthest(from_eqn, eqn.invars)
        if outside is not None:
            head = max(head, outside + runs.head)
        longest = max(longest, head, (inside or 0) + runs.head, runs.longest)
        if runs.through is not None and outside is not None:
            from_input |= dict.fromkeys(eqn.outvars, outside + runs.through)
        begun = 0 if runs.through is None or inside is None else inside + runs.through
        from_eqn |= dict.fromkeys(eqn.outvars, max(runs.tail, begun))
    tail = furthest(from_eqn, graph.outvars) or 0
    return Runs(furthest(from_input, graph.outvars), head, tail, longest)


def furthest(lengths: Mapping[int, int], variables: Iterable[int]) -> int | None:
    return max((lengths[var] for var in variables if var in lengths), default=None)


def runs_of(eqn: Eqn, known: Mapping[int, Runs]) -> Runs:
    """The runs of one eqn, where those in its bodies are known."""
    row = row_of(eqn.op)
    bodies = [known[body.graph] for body in eqn.bodies]
    if not bodies or row.bodies == "applied":
        length = RUNS_OF_OPS.get(row.name, 1)
        return Runs(*[length] * 4) if row.family in FUSED else NO_RUN
    if row.bodies == "called":
        return bodies[0]._replace(longest=max(runs.longest for runs in bodies))
    # A loop, or a choice: its bodies are compiled apart from what is around it.
    return NO_RUN._replace(longest=max(repeated(runs, copies(eqn)) for runs in bodies))


def copies(eqn: Eqn) -> int:
    """The number of times that XLA compiles the body of an eqn: a scan may be unrolled."""
    unroll = param_of(eqn.params, "unroll")
    return int(unroll) if unroll.isdecimal() else 1


def repeated(runs: Runs, times: int) -> int:
    """The longest run in a graph that is repeated `times` times in a row."""
    if runs.through is None:
        return max(runs.longest, runs.tail + runs.head if times > 1 else 0)
    return runs.longest + (times - 1) * runs.through


def refusal(
    doing: str, error: Exception, jaxpr: Stage | None = None, platform: str = ""
) -> Sentence:
    """The sentence on a failure while `doing`: the first line of the reason, where in the program,
    and what to do. `platform` is the one that it was lowered for, if not that of this process."""
    said = (isinstance(error, OSError) and error.strerror) or str(error)
    lines = elided(said).strip().splitlines()
    reason = name(lines[0]).rstrip(".: ") if lines else "no reason given"
    kind = "" if isinstance(error, NoAnswerError) else f"{type(error).__name__}: "
    return sentence(
        f"failed, {doing.removesuffix(ELSEWHERE)}",
        platform=platform or jax.default_backend(),
        reason=f"{kind}{reason}",
        at=line_refused(reason, jaxpr) if jaxpr is not None and doing == "lowering" else NOTHING,
        way=sentence(_way_on(error, reason)),
    )


ELSEWHERE = " in another process"
"""Ends the progress word of what another process does."""
DEEPEST = 64
"""Programs with more levels of bodies are not compiled: XLA ends the whole process at 100 nested
scans (seen on 0.10.2, where Python's recursion limit is high enough for JAX to lower them)."""


def could_end_the_kernel(jaxpr: Stage) -> Sentence | None:
    """Why the program is not compiled here, where that could end the process; else None."""
    for found, most, key in (
        (_levels, DEEPEST, "never, nested"),
        (longest_run, LONGEST_RUN, "never, fused"),
        (inlined_eqns, MOST_EQNS, "never, large"),
    ):
        count = found(jaxpr)
        if count > most:
            return sentence(key, count=count, most=most)
    return None


def would_never_end(stage: Stage) -> Sentence | None:
    """Why the program is not even compiled by another process; None where that may be tried."""
    count, most = inlined_eqns(stage), MOST_ELSEWHERE
    return sentence("never, large", count=count, most=most) if count > most else None


def _levels(jaxpr: Stage) -> int:
    """The most levels of bodies that are nested in one another."""
    levels = [0] * len(jaxpr.graphs)
    for number in outside_in(jaxpr.graphs):
        for body in _held(jaxpr, number):
            levels[body] = max(levels[body], levels[number] + 1)
    return max(levels)


def _held(jaxpr: Stage, graph: int) -> list[int]:
    return [body.graph for eqn in jaxpr.graphs[graph].eqns for body in eqn.bodies]


def _way_on(error: Exception, reason: str) -> str:
    """The key of what to do."""
    if files.none_left():
        return "way, files"
    if isinstance(error, RecursionError):
        return "way, nested"
    if isinstance(error, NoRoomError):
        return "way, no other process"
    if isinstance(error, MemoryError) or lacks_memory(reason.encode()):
        return "way, memory"
    return "way, repeated" if isinstance(error, NoAnswerError) else "way, other stages"


def without(kind: str, reason: Sentence) -> Stage:
    """A stage that could not be made."""
    return empty(Stage, kind=kind, error=reason)
