"""The run times of each stage's eqns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz.schema import Eqn, Stage, StageTimes
from jaxviz.schema.graph import first_eqns
from jaxviz.tools.profile.capture.instruction_times import Measured
from jaxviz.tools.profile.record import InstructionTime, Measurements

MOST_PLACES = 20_000
"""The most eqns of a stage with times; eqns of shared bodies count at each place."""
Chain = tuple[int, ...]
PASSIVE = {"stablehlo.constant", "stablehlo.return", "func.return", "return"}
"""Ops of StableHLO that do nothing at run time."""


def with_times(stage: Stage, found: Measured, jaxpr: Stage) -> Stage:
    """A stage with the times of its eqns, if known.

    For optimized HLO they are known if its instructions are those that ran. An op of StableHLO has
    the time of its eqn of the jaxpr if no other op was made for this eqn.
    """
    if stage.error is not None:
        return stage
    measured = found.all
    by_eqn = _by_path(measured.rows, jaxpr)
    match stage.kind:
        case "jaxpr":
            times: Mapping[Chain, float] | None = by_eqn
        case "stablehlo":
            times = _of_ops(stage, by_eqn, jaxpr)
        case _:
            times = _of_instructions(stage, measured.rows, found.hlo)
    return stage if times is None else replace(stage, times=_record(times, measured))


def _record(found: Mapping[Chain, float], measured: Measurements) -> StageTimes:
    whole = sum(row.seconds for row in measured.rows) / _devices(measured.rows)
    return StageTimes(
        chains=[[*chain] for chain in found],
        nanoseconds=[round(seconds * 1e9) for seconds in found.values()],
        whole=round(whole * 1e9),
        peak=measured.peak,
    )


def _devices(rows: Sequence[InstructionTime]) -> int:
    return len({row.device for row in rows}) or 1


def _by_path(rows: Sequence[InstructionTime], jaxpr: Stage) -> dict[Chain, float]:
    """The seconds of each eqn of the jaxpr at each place, if known."""
    chains = _Chains(jaxpr)
    found: dict[Chain, float] = defaultdict(float)
    for row in rows:
        for part in row.parts:
            chain = chains.whole(part.path)
            if chain:
                found[chain] += row.seconds * part.share / _devices(rows)
    return found


class _Chains:
    """The eqns that lead to each graph of a stage."""

    def __init__(self, stage: Stage) -> None:
        self._starts = first_eqns(stage.graphs)
        self._graphs = stage.graphs
        self._callers: dict[int, list[int]] = defaultdict(list)
        self._graph_of: list[int] = []
        for number, graph in enumerate(stage.graphs):
            for eqn in graph.eqns:
                for body in {one.graph for one in eqn.bodies}:
                    self._callers[body].append(len(self._graph_of))
                self._graph_of.append(number)

    def whole(self, chain: Sequence[int]) -> Chain:
        """A chain with all eqns around it; empty if it leads through a body of several eqns and
        does not say through which."""
        *around, number = chain
        found = [number]
        while graph := self._graph_of[found[-1]]:
            callers = self._callers[graph]
            possible = [one for one in callers if one in around] or callers
            if len(possible) != 1 or possible[0] in found:
                return ()
            found.append(possible[0])
        return tuple(reversed(found))


def _of_instructions(
    stage: Stage, rows: Sequence[InstructionTime], hlo: Stage
) -> dict[Chain, float] | None:
    """The seconds of each instruction; None if other instructions ran."""
    named, ran = _named(stage), _named(hlo)
    if named.keys() != ran.keys() or not all(map(_alike, named.values(), map(ran.get, named))):
        return None
    chains = _Chains(stage)
    found: dict[Chain, float] = defaultdict(float)
    for row in rows:
        chain = chains.whole([named[row.name].number]) if row.name in named else ()
        if chain:
            found[chain] += row.seconds / _devices(rows)
    return found


class _Named(NamedTuple):
    number: int
    """Its number through all graphs."""
    eqn: Eqn
    type: str


def _named(stage: Stage) -> dict[str, _Named]:
    """The instructions by their names."""
    found: dict[str, _Named] = {}
    places = ((graph, eqn) for graph in stage.graphs for eqn in graph.eqns)
    for number, (graph, eqn) in enumerate(places):
        for var in map(graph.vars.__getitem__, eqn.outvars[:1]):
            found[var.name.lstrip("%")] = _Named(number, eqn, stage.avals[var.aval].text)
    return found


def _alike(one: _Named, other: _Named | None) -> bool:
    """True if two instructions of one name are the same: by opcode, type, and XLA's origin."""
    if other is None:
        return False
    origins = [each.eqn.origin for each in (one, other) if each.eqn.origin and not each.eqn.guess]
    return (one.eqn.op, one.type) == (other.eqn.op, other.type) and origins[:1] == origins[-1:]


def _of_ops(stage: Stage, by_eqn: Mapping[Chain, float], jaxpr: Stage) -> dict[Chain, float] | None:
    """The seconds of the ops of StableHLO that are the only ones of their eqn at its place; None if
    there are too many ops."""
    chains, made = _Chains(jaxpr), defaultdict[Chain, list[Chain]](list)
    for count, (own, origin) in enumerate(_places(stage)):
        if count > MOST_PLACES:
            return None
        chain = chains.whole(origin) if origin else ()
        if chain in by_eqn:
            made[chain].append(own)
    return {own[0]: by_eqn[chain] for chain, own in made.items() if len(own) == 1}


def _places(stage: Stage) -> Iterator[tuple[Chain, Chain]]:
    """Each op that does something, at each of its places: the ops around it and itself, and the
    eqns of the jaxpr that these were made for. An op within an op of the same eqn has none."""
    starts = first_eqns(stage.graphs)
    waiting: list[tuple[int, Chain, Chain]] = [(0, (), ())]
    for graph, around, within in waiting:
        for at, eqn in enumerate(stage.graphs[graph].eqns):
            own = (*around, starts[graph] + at)
            certain = [] if eqn.guess else eqn.origin
            origin = (*within, *certain)
            is_own = certain and origin[-1:] != within[-1:] and eqn.op not in PASSIVE
            yield own, origin if is_own else ()
            waiting += [(body.graph, own, origin) for body in eqn.bodies]
