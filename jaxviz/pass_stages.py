"""What XLA's passes made of a program: what each changed, and the program after any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare import compared
from jaxviz.capture.stages.passes import PassedModule, PassedModules

MOST_OPS = 12
"""Of a pass so many opcodes are told."""


class PassStages:
    """The passes of a program. The program after one of them is made when it is asked for."""

    def __init__(
        self,
        program: schema.Program,
        found: PassedModules,
        finish: Callable[[schema.Stage], schema.Stage],
    ) -> None:
        """`finish` gives a stage what follows from its records."""
        self._program = program
        self._found = found
        self._finish = finish

    @cached_property
    def record(self) -> schema.Passes:
        """What each pass changed, and which eqns went there."""
        modules = self._found.modules
        last = self.stage(len(modules) - 1)
        left = {number for graph in last.graphs for eqn in graph.eqns for number in eqn.origin}
        gone = lost([one.eqns for one in modules], left)
        eqns = sum(len(graph.eqns) for graph in self._program.stages[0].graphs)
        met = set[int]().union(*(one.eqns for one in modules))
        return schema.Passes(
            before=modules[0].ops.total(),
            passes=[told(*pair, went) for pair, went in zip(pairwise(modules), gone, strict=True)],
            unnamed=[one for one in range(eqns) if one not in met and one not in left],
            constants=None,
        )

    def stage(self, number: int) -> schema.Stage:
        """The program after the pass of that number, from 1 on; of 0, before the first. Raises
        ValueError where there is none."""
        if not 0 <= number < len(self._found.modules):
            raise ValueError(f"the program has {len(self._found.modules) - 1} passes.")
        return self._finish(self._found.stage(number))

    def compared(self, number: int) -> schema.Program:
        """What the pass of that number changed, as one program. Raises ValueError where there is
        none."""
        if number < 1:
            raise ValueError("passes are numbered from 1.")
        before, after = (
            replace(self._program, stages=[self.stage(one)], findings=[])
            for one in (number - 1, number)
        )
        found = compared(before, after)
        assert found.compared is not None
        names = self._title(number - 1), self._title(number)
        of = replace(found.compared, before=names[0], after=names[1])
        return replace(found, compared=of)

    def _title(self, number: int) -> str:
        return title(self.record.passes[number - 1]) if number else "before the first pass"


def title(one: schema.Pass) -> str:
    """The pass, after its pipeline."""
    return f"{one.pipeline}: {one.name}" if one.name else f"before {one.pipeline or 'the end'}"


def lost(present: Sequence[frozenset[int]], left: set[int]) -> list[list[int]]:
    """For each pass the eqns of which no instruction is named from there on. `present` has those
    that are named before the first pass and after each, and `left` those that remain."""
    at: dict[int, int] = {}
    for number, (before, after) in enumerate(pairwise(present)):
        at.update(dict.fromkeys(before - after, number))
    found: list[list[int]] = [[] for _ in present[1:]]
    for eqn in sorted(at.keys() - left - present[-1]):
        found[at[eqn]].append(eqn)
    return found


def told(before: PassedModule, after: PassedModule, gone: list[int]) -> schema.Pass:
    return schema.Pass(
        pipeline=after.pipeline,
        name=after.name,
        instructions=after.ops.total(),
        ops=changed(before.ops, after.ops),
        gone=gone,
    )


def changed(before: Counter[str], after: Counter[str]) -> list[schema.OpCount]:
    """The opcodes of which there are more or fewer, those that changed most first."""
    counts = [
        schema.OpCount(op=op, before=before[op], after=after[op])
        for op in sorted(before.keys() | after.keys())
        if before[op] != after[op]
    ]
    counts.sort(key=lambda one: -abs(one.after - one.before))
    return counts[:MOST_OPS]
