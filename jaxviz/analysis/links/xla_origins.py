"""Corrects the origins that XLA gave: removes wrong ones, and gives the reasons of instructions
that XLA inserted for itself."""

from __future__ import annotations

from collections import defaultdict

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns, Origin
from jaxviz.analysis.links.linked_stage import LinkedStage
from jaxviz.ops import row_of
from jaxviz.schema import Words
from jaxviz.sentences import sentence

_MOVES = frozenset(("bitcast", "copy", "reshape", "transpose"))
"""Instructions that move elements and change none."""


def without_wrong_origins(stage: schema.Stage, jaxpr: JaxprEqns) -> schema.Stage:
    """The stage of optimized HLO without impossible origins."""
    appliers = _appliers(stage)
    graphs = [
        _without_moved_origins(_without_merged_origins(graph, appliers.get(number)), jaxpr)
        for number, graph in enumerate(stage.graphs)
    ]
    return replace(stage, graphs=graphs)


def _appliers(stage: schema.Stage) -> dict[int, list[Origin]]:
    """The graphs that are only applied to elements, as by a reduction, each with the origins of the
    eqns that apply it. Without those applied by an eqn of unknown origin."""
    callers: dict[int, list[schema.Eqn]] = defaultdict(list)
    for eqn in (eqn for graph in stage.graphs for eqn in graph.eqns):
        for body in eqn.bodies:
            callers[body.graph].append(eqn)
    return {
        graph: [one.origin for one in found]
        for graph, found in callers.items()
        if all(one.origin and row_of(one.op).bodies == "applied" for one in found)
    }


def _without_merged_origins(graph: schema.Graph, appliers: list[Origin] | None) -> schema.Graph:
    """The graph of an applied function. Only origins within the eqns that apply it stay.

    XLA merges equal computations, such as the sums of several reductions. Their eqns then have the
    origins of the first.
    """
    if appliers is None:
        return graph

    def checked(eqn: schema.Eqn) -> schema.Eqn:
        fits = any(eqn.origin[: len(one)] == one for one in appliers)
        return eqn if fits or not eqn.origin else replace(eqn, origin=())

    return replace(graph, eqns=[checked(eqn) for eqn in graph.eqns])


def _without_moved_origins(graph: schema.Graph, jaxpr: JaxprEqns) -> schema.Graph:
    """The graph in which an instruction that only moves elements has no origin if the eqn of its
    origin moves none.

    When XLA moves a change of shape past an op, it gives the new instruction the op's name. But no
    `mul` becomes a `bitcast`: this instruction was made for another eqn, which XLA does not name.
    """
    eqns = [*graph.eqns]
    moves = [at for at, eqn in enumerate(eqns) if eqn.origin and row_of(eqn.op).name in _MOVES]
    makers = {var: eqn for eqn in eqns for var in eqn.outvars} if moves else {}
    for at in moves:
        eqn = graph.eqns[at]
        before = makers.get(eqn.invars[0])
        same = before is not None and before.origin == eqn.origin
        if jaxpr.keeps_places(eqn.origin[-1], same):
            eqns[at] = replace(eqn, origin=())
    return replace(graph, eqns=eqns)


def insertion_reasons(linked: LinkedStage) -> list[Words]:
    """For each instruction, the reason why XLA inserted it (`Eqn.own`); empty if the program may
    ask for it. The instruction may still serve an eqn (`Eqn.origin`). A fusion of one instruction
    has the reason of that one."""
    flow = linked.flow
    found: list[Words] = [
        "" if eqn.origin and eqn.origin == linked.origins[number] else _reason(linked, number)
        for number, eqn in enumerate(flow.eqns)
    ]
    first = 0
    for number, graph in enumerate(flow.stage.graphs):
        one = found[first] if len(graph.eqns) == 1 else ""
        first += len(graph.eqns)
        for caller, _ in flow.callers[number] if one else ():
            if flow.eqns[caller].op == "fusion":
                found[caller] = one
    return found


def _reason(linked: LinkedStage, number: int) -> Words:
    flow = linked.flow
    if row_of(flow.eqns[number].op).family == "collective":
        return sentence("moved between devices")
    if linked.is_cast(number):
        return _cast_reason(linked, number)
    return _copy_reason(linked, number) if flow.ops[number] == "copy" else ""


def _cast_reason(linked: LinkedStage, number: int) -> Words:
    flow = linked.flow
    types = {flow.operand(number).dtype, flow.result(number).dtype}
    if "bfloat16" not in types and "float16" not in types:
        return ""
    wide, narrow = sorted(types, key=lambda dtype: dtype in ("bfloat16", "float16"))
    origin = linked.origins[number]
    if not origin:
        return sentence("cast, shared", wide=wide, narrow=narrow)
    op = linked.jaxpr.ops[origin[-1]]
    if op in ("convert_element_type", "convert"):
        return ""
    return sentence("cast", op=op, wide=wide, narrow=narrow)


def _copy_reason(linked: LinkedStage, number: int) -> Words:
    """The reason for a copy; empty after a transpose, since the copy may complete a transpose of
    the program."""
    flow = linked.flow
    origin = linked.origins[number]
    before = flow.makers(number)[0]
    if origin and linked.jaxpr.is_move(origin[-1]):
        return ""
    if before != OUTSIDE and flow.ops[before] == "transpose":
        return ""
    same = flow.operand(number).layout == flow.result(number).layout
    return sentence("copy of memory" if same else "copy of layout")
