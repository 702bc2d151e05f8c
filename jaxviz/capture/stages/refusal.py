"""Explains in one sentence why a later stage cannot be made, or would risk the kernel.

XLA inlines all calls, however often a function is called, and fuses successive elementwise ops and
reductions. Its code for that recurses once for each op of such a run, until the stack is full. A
program that does not fit into memory ends the process, too.
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
"""Ops by a pattern of JAX's error message, for errors that do not name the op."""


def line_refused(reason: str, jaxpr: Stage) -> Sentence:
    """The user's first line with the op that JAX could not lower for this `reason`:
    ` at model.py, line 7 (`…`)`. Empty if not known."""
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
"""Programs with a longer run of fused ops are not compiled in the kernel.

On Linux, XLA for CPU compiles 8,192 sines and overflows the stack with 12,288 on JAX 0.6.2; on
0.10.2 it compiles 16,384 and overflows with 24,576; on 0.12.0.1 it compiles 65,536. The limits are
the same for ops that are inlined from calls."""
MOST_EQNS = 250_000
"""Programs with more eqns, after inlining, are not compiled in the kernel. XLA for CPU takes up to
27 kB of memory for each (65,536 of them took 1.8 GB)."""
MOST_ELSEWHERE = 2 * MOST_EQNS
"""Programs with more eqns are not compiled at all: it could take minutes and most of the memory."""
FUSED = ("elementwise", "movement", "reduction")
"""The families of ops that XLA fuses in runs of any length. Dots, convolutions, loops and random
bits end a run: no process with 8,192 dots or 2,000 splits of a key had ended after a minute. XLA
often ends a run at a value that a dot takes, too; here the run goes on."""
RUNS_OF_OPS = {
    **dict.fromkeys(("acos", "acosh", "asin", "asinh", "atanh", "nextafter", "sinh"), 10),
    **dict.fromkeys(("digamma", "erf_inv", "erfc", "igamma", "igammac", "lgamma"), 30),
    **dict.fromkeys(("igamma_grad_a", "bessel_i0e", "bessel_i1e", "polygamma", "zeta"), 60),
}
"""The longest run of simpler ops to which JAX lowers each of these ops (on 0.10.2)."""


class Runs(NamedTuple):
    """The lengths of the longest runs of fused ops in a graph, or in one eqn."""

    through: int | None
    """From an input to an output; None without such a run."""
    head: int
    """From an input to any eqn."""
    tail: int
    """From any eqn to an output."""
    longest: int
    """Anywhere."""


NO_RUN = Runs(None, 0, 0, 0)


def longest_run(stage: Stage) -> int:
    """The number of fused ops in the longest run, after all calls are inlined. Takes time linear in
    the eqns of the stage."""
    runs: dict[int, Runs] = {}
    for number in inner_first(stage.graphs):
        runs[number] = runs_in(stage.graphs[number], runs)
    return max(one.longest for one in runs.values())


def inlined_eqns(stage: Stage) -> int:
    """The number of eqns after all calls are inlined."""
    eqns: dict[int, int] = {}
    for number in inner_first(stage.graphs):
        eqns[number] = sum(
            1 + copies(eqn) * sum(eqns[body.graph] for body in eqn.bodies)
            for eqn in stage.graphs[number].eqns
        )
    return eqns[0]


def runs_in(graph: Graph, bodies: Mapping[int, Runs]) -> Runs:
    """The runs in a graph. `bodies` has the runs in the graphs of its eqns' bodies."""
    from_input = dict.fromkeys(graph.invars, 0)
    from_eqn: dict[int, int] = {}
    head = longest = 0
    for eqn in graph.eqns:
        runs = runs_of(eqn, bodies)
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


def runs_of(eqn: Eqn, bodies: Mapping[int, Runs]) -> Runs:
    """The runs of one eqn. `bodies` has the runs in the graphs of its bodies."""
    row = row_of(eqn.op)
    inner = [bodies[body.graph] for body in eqn.bodies]
    if not inner or row.bodies == "applied":
        length = RUNS_OF_OPS.get(row.name, 1)
        return Runs(*[length] * 4) if row.family in FUSED else NO_RUN
    if row.bodies == "called":
        return inner[0]._replace(longest=max(runs.longest for runs in inner))
    # A loop, or a choice: XLA compiles its bodies separately.
    return NO_RUN._replace(longest=max(repeated(runs, copies(eqn)) for runs in inner))


def copies(eqn: Eqn) -> int:
    """The number of times that XLA compiles the body of an eqn: a scan may be unrolled."""
    unroll = param_of(eqn.params, "unroll")
    return int(unroll) if unroll.isdecimal() else 1


def repeated(runs: Runs, times: int) -> int:
    """The longest run in a graph that is repeated `times` times."""
    if runs.through is None:
        return max(runs.longest, runs.tail + runs.head if times > 1 else 0)
    return runs.longest + (times - 1) * runs.through


def refusal(
    doing: str, error: Exception, jaxpr: Stage | None = None, platform: str = ""
) -> Sentence:
    """The sentence on a failure while `doing`: the first line of the reason, the user's line, and
    the advice. `platform` is that of the lowering, if not that of this process."""
    message = (isinstance(error, OSError) and error.strerror) or str(error)
    lines = elided(message).strip().splitlines()
    reason = name(lines[0]).rstrip(".: ") if lines else "no reason given"
    kind = "" if isinstance(error, NoAnswerError) else f"{type(error).__name__}: "
    return sentence(
        f"failed, {doing.removesuffix(ELSEWHERE)}",
        platform=platform or jax.default_backend(),
        reason=f"{kind}{reason}",
        at=line_refused(reason, jaxpr) if jaxpr is not None and doing == "lowering" else NOTHING,
        way=sentence(_advice(error, reason)),
    )


ELSEWHERE = " in another process"
"""The end of a progress text about another process."""
DEEPEST = 64
"""Programs with more levels of bodies are not compiled in the kernel: XLA ends the process at 100
nested scans (seen on 0.10.2, with a recursion limit of Python that lets JAX lower them)."""


def could_end_the_kernel(jaxpr: Stage) -> Sentence | None:
    """The reason not to compile the program in the kernel: it could end the process. Else None."""
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
    """The reason why not even another process can compile the program; None if one can."""
    count, most = inlined_eqns(stage), MOST_ELSEWHERE
    return sentence("never, large", count=count, most=most) if count > most else None


def _levels(jaxpr: Stage) -> int:
    """The number of levels of nested bodies."""
    levels = [0] * len(jaxpr.graphs)
    for number in outside_in(jaxpr.graphs):
        for body in [body.graph for eqn in jaxpr.graphs[number].eqns for body in eqn.bodies]:
            levels[body] = max(levels[body], levels[number] + 1)
    return max(levels)


def _advice(error: Exception, reason: str) -> str:
    """The key of the sentence that says what to do."""
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
    """A stage that cannot be made."""
    return empty(Stage, kind=kind, error=reason)
