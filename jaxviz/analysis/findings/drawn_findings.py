"""Findings on values of the trace that each call uses again: random numbers and times."""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.analysis.findings.indexed_program import Draft, IndexedProgram
from jaxviz.sentences import sentence

# Frozen random numbers: Python or NumPy drew them while JAX traced the function.
#
# The state of a generator that the user's functions name changed during the trace. Numbers that
# only a log gets are not recorded (`capture/tracing/drawn.py`). If several lines name the
# generator, it is not known which of them ran.


def frozen_random_numbers(indexed: IndexedProgram) -> Iterator[Draft]:
    for drawn in indexed.program.drawn:
        if drawn.kind == "random":
            lines = [frame.line for frame in drawn.frames]
            facts = {"source": drawn.source, "function": indexed.program.name}
            yield Draft(
                what=sentence("frozen-random", **facts)
                if len(lines) == 1
                else sentence("frozen-random, lines", **facts, lines=", ".join(map(str, lines))),
                names=[drawn.source],
                at=drawn.frames[0],
            )


# Frozen times: a scalar of the program is the time of the trace.
#
# The scalar lies between the clock before and after the trace, rounded to its dtype.


def frozen_times(indexed: IndexedProgram) -> Iterator[Draft]:
    for drawn in indexed.program.drawn:
        if drawn.kind == "time":
            places = [indexed.place_of(eqn) for eqn in drawn.eqns]
            facts = {"source": drawn.source, "function": indexed.program.name}
            if places:
                facts["expression"] = indexed.expression_of(places)
            yield Draft(
                what=sentence("frozen-time" if places else "frozen-time, result", **facts),
                places=places,
                names=[drawn.source],
                at=None if places else drawn.frames[0],
            )
