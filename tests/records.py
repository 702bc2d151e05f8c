"""Finds the eqns of a program, and checks what holds of every captured stage."""

from __future__ import annotations

import jaxviz
from jaxviz import schema


def eqns(program: jaxviz.Program) -> list[schema.Eqn]:
    return eqns_of(program.stage("jaxpr"))


def eqns_of(stage: schema.Stage) -> list[schema.Eqn]:
    return [eqn for graph in stage.graphs for eqn in graph.eqns]


def marked(lines: list[str], frame: schema.Frame) -> str:
    """The part of the code that a frame marks."""
    found = lines[frame.line - 1 : frame.end_line]
    found[-1] = found[-1][: frame.end_column - 1]
    found[0] = found[0][frame.column - 1 :]
    return "\n".join(found)


def loose_ends(stage: schema.Stage) -> list[str]:
    """Operands that nothing defines, and indices that lead nowhere."""
    found: list[str] = []
    for number, graph in enumerate(stage.graphs):
        found += [f"graph {number}: {end}" for end in _in_graph(stage, graph)]
    return found


def _in_graph(stage: schema.Stage, graph: schema.Graph) -> list[str]:
    found: list[str] = []
    defined = {i for i, var in enumerate(graph.vars) if var.literal}
    defined.update(graph.constvars, graph.invars)
    for number, eqn in enumerate(graph.eqns):
        if not set(eqn.invars) <= defined:
            found.append(f"eqn {number} reads what is not defined")
        if set(eqn.outvars) & defined:
            found.append(f"eqn {number} defines a variable twice")
        defined.update(eqn.outvars)
        if eqn.frame is not None and not 0 <= eqn.frame < len(stage.frames):
            found.append(f"eqn {number} has no frame {eqn.frame}")
        if not 0 <= eqn.scope < len(stage.scopes):
            found.append(f"eqn {number} has no scope {eqn.scope}")
        if eqn.span is not None and not 0 <= eqn.span[0] < eqn.span[1] <= len(stage.text):
            found.append(f"eqn {number} has a span outside the text")
        for body in eqn.bodies:
            found += [f"eqn {number}: {end}" for end in _in_body(stage, eqn, body)]
    if not set(graph.outvars) <= defined:
        found.append("a result is not defined")
    if any(not 0 <= var.aval < len(stage.avals) for var in graph.vars):
        found.append("a variable has no aval")
    if any(not var.name for var in graph.vars):
        found.append("a variable has no name")
    return found


def _in_body(stage: schema.Stage, eqn: schema.Eqn, body: schema.Body) -> list[str]:
    if not 0 < body.graph < len(stage.graphs):
        return [f"no graph {body.graph}"]
    graph = stage.graphs[body.graph]
    if len(body.inputs) != len(graph.invars) or len(body.outputs) != len(graph.outvars):
        return [f"body {body.label} is matched to another number of variables"]
    operands = set(range(-1, len(eqn.invars)))
    results = set(range(-1, len(eqn.outvars)))
    if not set(body.inputs) <= operands or not set(body.outputs) <= results:
        return [f"body {body.label} is matched to operands that are not there"]
    return []
