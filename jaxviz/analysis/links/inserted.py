"""The reason why XLA itself inserted an instruction that the program does not ask for (`Eqn.own`):
a cast, a copy, or a move between devices. It may still serve an eqn (`Eqn.origin`)."""

from __future__ import annotations

from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.linked_around import LinkedAround
from jaxviz.ops import row_of
from jaxviz.schema import Words
from jaxviz.sentences import sentence


def reasons(around: LinkedAround) -> list[Words]:
    """For each instruction, the reason why XLA inserted it; empty if the program may ask for it. A
    fusion of one instruction has the reason of that one."""
    flow = around.flow
    found: list[Words] = [
        "" if eqn.origin and eqn.origin == around.origins[number] else _reason(around, number)
        for number, eqn in enumerate(flow.eqns)
    ]
    first = 0
    for graph, held in enumerate(flow.stage.graphs):
        one = found[first] if len(held.eqns) == 1 else ""
        first += len(held.eqns)
        for holder, _ in flow.held_by[graph] if one else ():
            if flow.eqns[holder].op == "fusion":
                found[holder] = one
    return found


def _reason(around: LinkedAround, number: int) -> Words:
    flow = around.flow
    if row_of(flow.eqns[number].op).family == "collective":
        return sentence("moved between devices")
    if around.is_cast(number):
        return _of_cast(around, number)
    return _of_copy(around, number) if flow.ops[number] == "copy" else ""


def _of_cast(around: LinkedAround, number: int) -> Words:
    flow = around.flow
    types = {flow.operand(number).dtype, flow.result(number).dtype}
    if "bfloat16" not in types and "float16" not in types:
        return ""
    wide, narrow = sorted(types, key=lambda dtype: dtype in ("bfloat16", "float16"))
    origin = around.origins[number]
    if not origin:
        return sentence("cast, shared", wide=wide, narrow=narrow)
    op = around.jaxpr.ops[origin[-1]]
    if op in ("convert_element_type", "convert"):
        return ""
    return sentence("cast", op=op, wide=wide, narrow=narrow)


def _of_copy(around: LinkedAround, number: int) -> Words:
    """The reason for a copy; empty after a transpose, since both together may be a transpose of the
    program."""
    flow = around.flow
    origin = around.origins[number]
    before = flow.makers(number)[0]
    if origin and around.jaxpr.is_move(origin[-1]):
        return ""
    if before != OUTSIDE and flow.ops[before] == "transpose":
        return ""
    same = flow.operand(number).layout == flow.result(number).layout
    return sentence("copy of memory" if same else "copy of layout")
