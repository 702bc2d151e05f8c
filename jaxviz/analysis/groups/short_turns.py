"""Turns of an eqn or two: too short for groups, but for a Python loop whose many turns are one row.

They are told apart only where the user's lines say which loop made them, and a turn of one eqn only
where its expression can make no more: `jnp.sin(x)` for `sin`, `x * 2` for `mul`.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator

from jaxviz import schema
from jaxviz.analysis.groups.graph_facts import GraphFacts
from jaxviz.analysis.groups.group_names import ROLE_MARKS
from jaxviz.analysis.groups.long_runs import loose_stretches
from jaxviz.analysis.groups.python_loops import TURN
from jaxviz.analysis.groups.repeats import LONG_ROW, REPEAT, Likeness, row_name
from jaxviz.analysis.groups.run_tree import STEP_PART, Run, enclose, first_eqn, preorder
from jaxviz.analysis.groups.unrolled import Lines, only_loop_of
from jaxviz.analysis.groups.work_names import what_is_done

OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.MatMult: "dot_general",
    ast.USub: "neg",
}


def gather_rows(
    root: Run, likeness: Likeness, stage: schema.Stage, index: int, facts: GraphFacts, lines: Lines
) -> None:
    """Puts the turns of each such loop into a row, in place."""
    eqns = stage.graphs[index].eqns
    keys: list[Hashable] = [(eqn.op, eqn.call) for eqn in eqns]
    for outer in preorder(root):
        items = list(outer.items())
        rows: list[Run] = []
        for begin, end in loose_stretches(items, LONG_ROW - 1):
            start, stop = first_eqn(items[begin]), first_eqn(items[end - 1]) + 1
            for a, b, period in repetitions(keys, start, stop):
                calls = [eqn.call for eqn in eqns[a : a + period] if eqn.call is not None]
                beside = {eqns[at].call for at in (a - 1, b) if 0 <= at < len(eqns)}
                spans = [(at, at + period) for at in range(a, b, period)]
                if (
                    len(calls) == period
                    and facts.roles[a] not in ROLE_MARKS
                    and beside.isdisjoint(calls)
                    and (period > 1 or makes_one(eqns[a], stage.frames[calls[0]], lines))
                    and len({*likeness.of(index, spans)}) == 1
                    and only_loop_of(calls, stage.frames, lines)
                ):
                    rows.append(row_of(outer, spans, facts))
        if len(rows) == 1 and rows[0].same(outer) and outer is not root and outer.key != STEP_PART:
            outer.kind, outer.name, outer.runs = REPEAT, rows[0].name, rows[0].runs
        else:
            enclose(outer, rows)


def repetitions(keys: list[Hashable], start: int, stop: int) -> Iterator[tuple[int, int, int]]:
    """Start, stop and period of each long stretch within `[start, stop)` that repeats one element
    or two."""
    at = start
    while at < stop:
        for period in (1, 2):
            end = at + period
            while end < stop and keys[end] == keys[end - period]:
                end += 1
            end -= (end - at) % period
            if end - at >= LONG_ROW * period:
                yield at, end, period
                at = end
                break
        else:
            at += 1


def makes_one(eqn: schema.Eqn, frame: schema.Frame, lines: Lines) -> bool:
    """Whether an eqn's expression makes no other: it is the operator, or a call of its name."""
    line = lines.get(("" if frame.cell else frame.file, frame.cell, frame.line), "")
    try:
        node = ast.parse(line[frame.column - 1 : frame.end_column - 1].strip()).body[0]
    except (IndexError, SyntaxError, ValueError):
        return False
    if isinstance(node, ast.AugAssign):
        return OPERATORS.get(type(node.op)) == eqn.op
    match node.value if isinstance(node, ast.Expr) else None:
        case ast.BinOp(op=operator) | ast.UnaryOp(op=operator):
            return OPERATORS.get(type(operator)) == eqn.op
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name in (eqn.op, eqn.name)
        case _:
            return False


def row_of(outer: Run, spans: list[tuple[int, int]], facts: GraphFacts) -> Run:
    start, stop = spans[0][0], spans[-1][1]
    is_all = (start, stop) == (outer.start, outer.stop) and outer.key != STEP_PART
    name = (is_all and outer.name) or what_is_done(*spans[0], facts)
    turns = [
        Run(a, b, "call", f"{name} {number}/{len(spans)}", (TURN, start), outer.role)
        for number, (a, b) in enumerate(spans, 1)
    ]
    return Run(start, stop, REPEAT, row_name(turns), REPEAT, outer.role, runs=turns)
