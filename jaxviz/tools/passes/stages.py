"""XLA's passes over a program: the changes of each, and the program after any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import compare_programs
from jaxviz.capture.artifacts.jax_objects import LaterStages
from jaxviz.capture.stages.compiling import OnStep
from jaxviz.display.page_requests import Question
from jaxviz.safety.background import Job, Result, start_job
from jaxviz.schema import first_made
from jaxviz.sentences import sentence
from jaxviz.stages import Stages, finished
from jaxviz.tools.passes.capture import PassedModules, passed_modules
from jaxviz.tools.passes.record import OpCount, Pass, Passes

MOST_OPS = 12
"""The most opcodes that are listed for a pass."""


class PassStages:
    """The passes of a program. The program after one of them is made at the first request."""

    def __init__(self, program: schema.Program, found: PassedModules) -> None:
        self._program = program
        self._found = found

    @cached_property
    def record(self) -> Passes:
        """The changes of each pass, and the eqns that disappeared in it."""
        modules = self._found.modules
        last = self.stage(len(modules) - 1)
        left = {number for graph in last.graphs for eqn in graph.eqns for number in eqn.origin}
        gone = lost([one.eqns for one in modules], left)
        eqns = sum(len(graph.eqns) for graph in self._program.stages[0].graphs)
        named = set[int]().union(*(one.eqns for one in modules))
        return Passes(
            before=modules[0].ops.total(),
            passes=[
                Pass(
                    pipeline=after.pipeline,
                    name=after.name,
                    instructions=after.ops.total(),
                    ops=changed(before.ops, after.ops),
                    gone=eqns_gone,
                )
                for (before, after), eqns_gone in zip(pairwise(modules), gone, strict=True)
            ],
            unnamed=[one for one in range(eqns) if one not in named and one not in left],
            constants=None,
        )

    def stage(self, number: int) -> schema.Stage:
        """The program after the pass of that number, from 1; 0 means before the first. Raises
        ValueError if there is no such pass."""
        if not 0 <= number < len(self._found.modules):
            raise ValueError(f"the program has {len(self._found.modules) - 1} passes.")
        return finished(self._found.stage(number), first_made(self._program))

    def compared(self, number: int) -> schema.Program:
        """The changes of the pass of that number, as one program. Raises ValueError if there is no
        such pass."""
        if number < 1:
            raise ValueError("passes are numbered from 1.")
        before, after = (
            replace(self._program, stages=[self.stage(one)], findings=[])
            for one in (number - 1, number)
        )
        found = compare_programs(before, after)
        assert found.compared is not None
        names = self._title(number - 1), self._title(number)
        of = replace(found.compared, before=names[0], after=names[1])
        return replace(found, compared=of)

    def _title(self, number: int) -> str:
        return title(self.record.passes[number - 1]) if number else "before the first pass"


def title(one: Pass) -> str:
    """The pass, after its pipeline."""
    return f"{one.pipeline}: {one.name}" if one.name else f"before {one.pipeline or 'the end'}"


def lost(present: Sequence[frozenset[int]], left: set[int]) -> list[list[int]]:
    """For each pass, the eqns without a named instruction from there on. `present` has the eqns
    that are named before the first pass and after each, and `left` those that remain."""
    at: dict[int, int] = {}
    for number, (before, after) in enumerate(pairwise(present)):
        at.update(dict.fromkeys(before - after, number))
    found: list[list[int]] = [[] for _ in present[1:]]
    for eqn in sorted(at.keys() - left - present[-1]):
        found[at[eqn]].append(eqn)
    return found


def changed(before: Counter[str], after: Counter[str]) -> list[OpCount]:
    """The opcodes whose number changed, the largest change first."""
    counts = [
        OpCount(op=op, before=before[op], after=after[op])
        for op in sorted(before.keys() | after.keys())
        if before[op] != after[op]
    ]
    counts.sort(key=lambda one: -abs(one.after - one.before))
    return counts[:MOST_OPS]


def passes_of(stages: Stages) -> Job[PassStages]:
    """The job that reports XLA's passes. Raises ValueError, with a sentence, if it cannot."""
    return stages.recompiled(_passes_of, sentence("passes gone"))


def _passes_of(record: schema.Program, later: LaterStages, on_step: OnStep) -> PassStages:
    found = later.recompiled(passed_modules, first_made(record), on_step)
    on_step("reading the passes")
    passes = PassStages(record, found)
    _ = passes.record
    return passes


def _asked(stages: Stages, agreed: bool) -> Job[PassStages] | Job[Passes]:
    """The answer to a page. If the reader has to agree first, nothing is done yet."""
    size = stages.constants_written()
    if size is None or agreed:
        return passes_of(stages)
    done = Job[Passes]()
    done.future.set_result(Passes(before=0, passes=[], unnamed=[], constants=size))
    return done


def _read(stages: Stages, make: Callable[[PassStages], Result]) -> Job[Result]:
    passes = passes_of(stages)
    return start_job(lambda: make(passes.future.result()), "reading the passes")


QUESTIONS = {
    "passes": Question(bool, _asked),
    "after": Question(int, lambda stages, number: _read(stages, lambda of: of.stage(number))),
    "changes": Question(int, lambda stages, number: _read(stages, lambda of: of.compared(number))),
}
"""The questions of a page: `{passes: agreed}`, where `agreed` says that the program's constants may
be written to a folder, `{after: 4}` for the program after a pass, and `{changes: 4}` for the
changes of a pass."""
