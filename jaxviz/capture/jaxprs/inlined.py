"""Computes from a jaxpr or StableHLO how much XLA would compile at once, so that what
could end the kernel is compiled elsewhere or refused.

XLA inlines all calls, however often a function is called, and fuses elementwise ops and reductions
that follow one another. Its code for that recurses once for each op of such a run, until the stack
is full. What does not fit into memory ends the process, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from jaxviz.ops import row_of
from jaxviz.schema import Eqn, Graph, Stage
from jaxviz.schema.graph import inner_first
from jaxviz.schema.params import param_of

LONGEST_RUN = 4_096
"""How many fused ops in a row are compiled.

On Linux, XLA for CPU compiles 8,192 sines and overflows the stack with 12,288 on JAX 0.6.2; on
0.10.2 it compiles 16,384 and overflows with 24,576; on 0.12.0.1 it compiles 65,536. It makes no
difference whether they are written out or inlined from calls, however these are nested."""
MOST_EQNS = 250_000
"""How many eqns are compiled, each counted as often as it is inlined. XLA for CPU takes up to 27 kB
of memory for each (65,536 of them took 1.8 GB)."""
MOST_ELSEWHERE = 2 * MOST_EQNS
"""How many are compiled by another process, which may take minutes and most of the memory."""
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
    """How many fused ops follow one another, at most, once all calls are inlined. Takes time linear
    in the eqns of the stage."""
    known: dict[int, Runs] = {}
    for number in inner_first(stage.graphs):
        known[number] = runs_in(stage.graphs[number], known)
    return max(runs.longest for runs in known.values())


def inlined_eqns(stage: Stage) -> int:
    """How many eqns the program has once all calls are inlined."""
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
    """How often the body of an eqn stands in what is compiled: a scan may be unrolled."""
    unroll = param_of(eqn.params, "unroll")
    return int(unroll) if unroll.isdecimal() else 1


def repeated(runs: Runs, times: int) -> int:
    """The longest run where a graph stands so many times in a row."""
    if runs.through is None:
        return max(runs.longest, runs.tail + runs.head if times > 1 else 0)
    return runs.longest + (times - 1) * runs.through
