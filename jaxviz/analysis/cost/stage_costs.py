"""Adds to a stage the cost of each eqn, and the number of iterations of its loops."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.cost.bytes_moved import Touched, added, applied_graphs, bytes_of
from jaxviz.analysis.cost.executions import Loops, Runs
from jaxviz.analysis.cost.flops import work_of
from jaxviz.analysis.cost.never_run import NeverRun
from jaxviz.analysis.cost.values import CostedEqn, Value, Work, values_of
from jaxviz.ops import RUN, row_of
from jaxviz.schema.graph import inner_first
from jaxviz.sentences import sentence

LARGEST_EXACT = 2**53 - 1
"""The largest whole number that JSON readers represent exactly. A larger cost is recorded as this
number, marked as a lower bound (`Cost.least`)."""


def with_costs(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """Returns the stage with `trips` and `cost` of each eqn, and its own cost.

    `jaxpr` is the jaxpr of the same program, which has the number of devices of each `shard_map`
    for StableHLO. It is None if `stage` is the jaxpr itself. Shared bodies are visited once, and
    nested bodies cause no recursion.
    """
    if stage.error is not None or not stage.graphs:
        return stage
    costs = _Costs(stage, Loops(stage, jaxpr))
    graphs: dict[int, schema.Graph] = {}
    for number in inner_first(stage.graphs):
        graphs[number] = costs.graph(number)
    return replace(
        stage,
        graphs=[graphs[number] for number in range(len(stage.graphs))],
        cost=costs.totals[0],
        notes=[*stage.notes, *([sentence("of all devices")] if _spans_devices(stage) else [])],
    )


def _spans_devices(stage: schema.Stage) -> bool:
    """True if a stage's figures are those of several devices together, not those of one device."""
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    if stage.kind == "hlo" or any(eqn.name == "SPMDFullToShardShape" for eqn in eqns):
        return False
    # A sharding that names no axis and no devices is that of a random key or of a callback.
    signs = ("'", '"', "devices=")
    is_split = any(sign in (aval.sharding or "") for aval in stage.avals for sign in signs)
    return is_split or any(row_of(eqn.op).name in MAPPED for eqn in eqns)


MAPPED = ("shard_map", "manual_computation", "xla_pmap")
"""Ops that run their body on several devices, each on a part of the operands."""


class _Leaf(NamedTuple):
    """The properties that determine the cost of an eqn without bodies."""

    op: str
    name: str
    params: tuple[schema.Param, ...]
    attributes: schema.Attributes | None
    inputs: list[int]
    outputs: list[int]
    bytes: bool


def _leaf(eqn: schema.Eqn, avals: list[int], counted: bool) -> _Leaf:
    inputs, outputs = [avals[var] for var in eqn.invars], [avals[var] for var in eqn.outvars]
    op = row_of(eqn.op).name
    return _Leaf(op, eqn.name, eqn.params, eqn.attributes, inputs, outputs, counted)


class _Costs:
    """The costs of the graphs of one stage. Call `graph` for a body before its callers."""

    def __init__(self, stage: schema.Stage, loops: Loops) -> None:
        self.stage = stage
        self.loops = loops
        self.totals: dict[int, schema.Cost] = {}
        self._inside = applied_graphs(stage)
        self._never_run = NeverRun(stage)
        self._values = [values_of(aval) for aval in stage.avals]
        self._bytes = [0 if aval.kind == "token" else aval.bytes for aval in stage.avals]
        self._cache: dict[tuple[object, ...], schema.Cost] = {}

    def graph(self, number: int) -> schema.Graph:
        graph = self.stage.graphs[number]
        counted, never = number not in self._inside, self._never_run.eqns[number]
        avals = [var.aval for var in graph.vars]
        aval, cache = avals.__getitem__, self._cache
        eqns: list[schema.Eqn] = []
        for at, eqn in enumerate(graph.eqns):
            trips, cost = None, NONE
            if eqn.bodies:
                runs = self.loops.runs(number, eqn)
                trips = runs.trips
                if at not in never:
                    cost = self._with_bodies(number, eqn, _leaf(eqn, avals, counted), runs)
            elif at not in never:
                used = (*map(aval, eqn.invars), None, *map(aval, eqn.outvars))
                facts = id(eqn.params), id(eqn.attributes)
                key = (eqn.op, eqn.name, counted, *used, *facts)
                found = cache.get(key)
                if found is None:
                    found = cache[key] = self._cost(_leaf(eqn, avals, counted), None)
                cost = found
            eqns.append(replace(eqn, trips=trips, cost=cost))
        self.totals[number] = total(eqn.cost for eqn in eqns)
        return replace(graph, eqns=eqns)

    def _cost(self, leaf: _Leaf, each: Work | None) -> schema.Cost:
        work = work_of(
            CostedEqn(
                op=leaf.op,
                name=leaf.name,
                params={param.name: param.value for param in leaf.params},
                attributes=leaf.attributes,
                inputs=self._all(leaf.inputs),
                outputs=self._all(leaf.outputs),
                each=each,
                hlo=self.stage.kind == "hlo",
            )
        )
        return cost_of(work, self._bytes_moved(leaf))

    def _all(self, avals: list[int]) -> list[Value]:
        return [value for aval in avals for value in self._values[aval]]

    def _bytes_moved(self, leaf: _Leaf) -> int | None:
        if not leaf.bytes:
            return 0
        inputs = [self._bytes[aval] for aval in leaf.inputs]
        outputs = [self._bytes[aval] for aval in leaf.outputs]
        return bytes_of(row_of(leaf.op).cost, self.stage.kind, inputs, outputs)

    def _with_bodies(self, number: int, eqn: schema.Eqn, leaf: _Leaf, runs: Runs) -> schema.Cost:
        chosen = self._never_run.chosen(number, eqn)
        bodies = [self.totals[body.graph] for body in chosen if self._runs(leaf.op, body)]
        use = row_of(leaf.op).bodies
        if use == "chosen":
            return maximum(bodies)
        if leaf.op == "fusion":
            inside = total(bodies)
            return cost_of(work_in(inside), self._bytes_of_fusion(eqn, leaf))
        if use in RUN:
            is_exact = runs.devices is not None and (use != "looped" or runs.trips is not None)
            return times(total(bodies), runs.least, is_exact)
        each = work_in(bodies[-1])
        return cost_of(None, self._bytes_moved(leaf)) if each is None else self._cost(leaf, each)

    def _bytes_of_fusion(self, eqn: schema.Eqn, leaf: _Leaf) -> int | None:
        if not leaf.bytes:
            return 0
        body = eqn.bodies[0]
        graph = self.stage.graphs[body.graph]
        touched = Touched(graph, self._bytes)
        read = [touched.read(var) for var in graph.invars]
        return added([*read, *(touched.written(var) for var in graph.outvars)])

    def _runs(self, op: str, body: schema.Body) -> bool:
        return op != "custom_linear_solve" or body.label == "solve"


NONE = schema.Cost(flops=0, transcendentals=0, bytes=0, least=False)


def work_in(cost: schema.Cost) -> Work | None:
    """The arithmetic of a cost; None if unknown."""
    if cost.flops is None:
        return None
    return Work(cost.flops, cost.transcendentals or 0, cost.least)


def total(costs: Iterable[schema.Cost | None]) -> schema.Cost:
    """The sum of the known costs; a lower bound (`least`) if some are unknown. Flops or bytes are
    None if no cost has them."""
    flops = transcendentals = moved = 0
    counted = measured = least = False
    empty = True
    for cost in costs:
        if cost is None:
            continue
        empty = False
        least = least or cost.least or cost.flops is None or cost.bytes is None
        if cost.flops is not None:
            counted = True
            flops += cost.flops
            transcendentals += cost.transcendentals or 0
        if cost.bytes is not None:
            measured = True
            moved += cost.bytes
    if empty:
        return NONE
    work = Work(flops, transcendentals, least) if counted else None
    return cost_of(work, moved if measured else None, least)


def maximum(costs: list[schema.Cost]) -> schema.Cost:
    """The maximum of each amount, as XLA counts a choice of bodies."""

    def largest(amounts: Iterable[int | None]) -> int | None:
        return max((one for one in amounts if one is not None), default=None)

    flops = largest(cost.flops for cost in costs)
    transcendentals = largest(cost.transcendentals for cost in costs)
    work = None if flops is None else Work(flops, transcendentals or 0)
    return cost_of(work, largest(cost.bytes for cost in costs), any(cost.least for cost in costs))


def times(cost: schema.Cost, trips: int, is_exact: bool) -> schema.Cost:
    """The cost of `trips` runs; a lower bound unless `is_exact`."""
    work = work_in(cost)
    moved = None if cost.bytes is None else cost.bytes * trips
    return cost_of(work and work.times(trips), moved, cost.least or not is_exact)


def cost_of(work: Work | None, moved: int | None, least: bool = False) -> schema.Cost:
    """The cost with no number above LARGEST_EXACT. It is a lower bound if a number was larger, or
    the work is unknown."""
    flops, transcendentals = (work.flops, work.transcendentals) if work else (None, None)
    amounts = [flops, transcendentals, moved]
    exact = [one if one is None else min(one, LARGEST_EXACT) for one in amounts]
    return schema.Cost(
        flops=exact[0],
        transcendentals=exact[1],
        bytes=exact[2],
        least=least or work is None or work.least or exact != amounts,
    )
