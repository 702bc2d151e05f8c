"""The eqns that an instruction of optimized HLO was made for, and how its time is divided."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from jaxviz.schema import Eqn, Stage
from jaxviz.schema.graph import first_eqns
from jaxviz.tools.profile.record import EqnShare

CALLERS = {"while", "conditional", "call"}
"""Instructions that run others, which the profiler reports separately (except in some calls)."""
_AS_ONE = {"fusion", "call"}
_ENTERED = CALLERS | _AS_ONE


class LoopOf(NamedTuple):
    """A loop of optimized HLO, with the names of instructions."""

    name: str
    trips: int | None
    body: set[str]
    """The instructions of its body, without the instructions that these run."""
    within: set[str]
    """All instructions that run within it."""


class Shares:
    """Links the names of instructions to the eqns of the jaxpr."""

    def __init__(self, hlo: Stage, jaxpr: Stage) -> None:
        self._hlo = hlo
        self._jaxpr = jaxpr
        self._first = first_eqns(jaxpr.graphs)
        self._named = {
            graph.vars[eqn.outvars[0]].name.lstrip("%"): eqn
            for graph in hlo.graphs
            for eqn in graph.eqns
            if eqn.outvars
        }
        self.callers = {name for name, eqn in self._named.items() if eqn.op in CALLERS}
        self._once = {*self._names([0])}

    def op(self, name: str) -> str:
        """The opcode; for an event that is no instruction of the program, its name."""
        return self._named[name].op if name in self._named else name.rstrip("0123456789._")

    def calls(self, name: str, reported: int) -> int:
        """The number of runs of an instruction, given the number of `reported` runs. An instruction
        of the entry runs once: a GPU's copy for one of them is reported as another run."""
        return 1 if name in self._once else reported

    def work(self, name: str) -> tuple[int | None, int | None]:
        """The flops and bytes of one call of an instruction; None if unknown, and for instructions
        whose time does not include those that they run."""
        eqn = self._named.get(name)
        cost = eqn and eqn.cost
        if not cost or cost.least or name in self.callers:
            return None, None
        return cost.flops, cost.bytes

    def loops(self) -> Iterator[LoopOf]:
        """The loops of the program whose iterations run in sequence."""
        for name, eqn in self._named.items():
            if eqn.op == "while":
                waiting = [body.graph for body in eqn.bodies]
                for graph in waiting:
                    waiting += [
                        body.graph
                        for one in self._hlo.graphs[graph].eqns
                        if one.op in CALLERS
                        for body in one.bodies
                        if body.graph not in waiting
                    ]
                of_body = [body.graph for body in eqn.bodies if body.label == "body"]
                own, within = (set(self._names(graphs)) for graphs in (of_body, waiting))
                yield LoopOf(name, eqn.trips, own, within)

    def _names(self, graphs: list[int]) -> Iterator[str]:
        for graph in map(self._hlo.graphs.__getitem__, graphs):
            for eqn in graph.eqns:
                yield from (graph.vars[one].name.lstrip("%") for one in eqn.outvars[:1])

    def parts(self, name: str) -> tuple[EqnShare, ...]:
        """The eqns that an instruction was made for, each with its share. A fusion, or a call as a
        whole, is divided by the arithmetic of each part."""
        if name not in self._named:
            return ()
        weights: dict[tuple[int, ...], float] = defaultdict(float)
        for eqn, times in self._made_for(self._named[name]):
            cost = eqn.cost
            work = (cost.flops or 0) + (cost.transcendentals or 0) if cost else 0
            weights[tuple(eqn.origin)] += times * (1 + work)
        total = sum(weights.values())
        return tuple(self._part(path, weight / total) for path, weight in weights.items())

    def _made_for(self, eqn: Eqn) -> list[tuple[Eqn, int]]:
        """The instructions with an origin that it runs as one, and how often; itself if none of
        them has an origin from XLA."""
        if eqn.op in _AS_ONE:
            linked = [(one, n) for one, n in self._within(eqn) if one.origin and not one.guess]
            if linked:
                return linked
        return [(eqn, 1)] if eqn.origin else []

    def _within(self, eqn: Eqn) -> Iterator[tuple[Eqn, int]]:
        """The instructions that it runs, each computation once."""
        waiting, seen = [(eqn, 1)], set[int]()
        while waiting:
            one, times = waiting.pop()
            entered = one.bodies if one.op in _ENTERED else []
            for body in entered:
                if body.graph not in seen:
                    seen.add(body.graph)
                    inner = self._hlo.graphs[body.graph].eqns
                    waiting += [(each, times * (one.trips or 1)) for each in inner]
            if not entered:
                yield one, times

    def _part(self, path: tuple[int, ...], share: float) -> EqnShare:
        number = path[-1]
        graph = bisect_right(self._first, number) - 1
        eqn = number - self._first[graph]
        made = self._jaxpr.graphs[graph].eqns[eqn]
        frame = None if made.frame is None else self._jaxpr.frames[made.frame]
        return EqnShare(graph=graph, eqn=eqn, op=made.op, frame=frame, share=share, path=path)
