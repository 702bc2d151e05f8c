"""Optimized HLO as lines that a person can read, and an independent count of its opcodes."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import jax
from programs import Call

from jaxviz import schema
from jaxviz.capture import capture

OPCODE = re.compile(r"^ +(?:ROOT )?%\S+ = .*? ([a-z][a-z0-9\-]*)\(", re.MULTILINE)
TRIVIAL = ("constant", "parameter", "tuple", "get-tuple-element")


def stages(call: Call) -> tuple[schema.Stage, schema.Stage]:
    """The jaxpr and the optimized HLO of a call."""
    captured = capture(call.function, call.args, {}, static_argnames=call.static)
    jaxpr = captured.jaxpr()
    return jaxpr, captured.later.stage("hlo", jaxpr, lambda doing: None)


def compiled_text(call: Call) -> str:
    """The text that XLA compiles the user's own function to."""
    function: Any = call.function
    if not hasattr(function, "trace"):
        function = jax.jit(function, static_argnames=call.static)
    return function.trace(*call.args).lower().compile().as_text()


def opcodes(stage: schema.Stage) -> Counter[str]:
    found = Counter(eqn.op for graph in stage.graphs for eqn in graph.eqns)
    found["parameter"] = sum(len(graph.invars) for graph in stage.graphs)
    return +found


def readable(stage: schema.Stage, jaxpr: schema.Stage) -> str:
    """`%fusion.3 = fusion kLoop(%dot.1, %p) : f32[8,64]{1,0} ← 4 add`, one for each eqn."""
    made_for = [eqn.op for graph in jaxpr.graphs for eqn in graph.eqns]
    lines: list[str] = []
    for graph in stage.graphs:
        inputs = [_typed(stage, graph, i) for i in graph.invars]
        outputs = ", ".join(graph.vars[i].name for i in graph.outvars)
        lines += ["", f"{graph.name}({', '.join(inputs)}) -> {outputs}"]
        lines += [f"  {_line(stage, graph, eqn, made_for)}" for eqn in graph.eqns]
    return "\n".join(lines[1:]) + "\n"


def _line(stage: schema.Stage, graph: schema.Graph, eqn: schema.Eqn, made_for: list[str]) -> str:
    operands = ", ".join(graph.vars[i].name for i in eqn.invars)
    (result,) = eqn.outvars
    params = "".join(f" {param.name}={param.value}" for param in eqn.params)
    bodies = "".join(f" {body.label}=%{stage.graphs[body.graph].name}" for body in eqn.bodies)
    origin = ", ".join(f"{number} {made_for[number]}" for number in eqn.origin)
    scope = stage.scopes[eqn.scope]
    text = f"{graph.vars[result].name} = {eqn.op} {eqn.name}".rstrip() + f"({operands})"
    text += f" : {_type(stage, graph, result)}{params}{bodies}"
    return text + (f" ← {origin}" if origin else "") + (f" in {scope}" if scope else "")


def _typed(stage: schema.Stage, graph: schema.Graph, var: int) -> str:
    path = graph.args[graph.invars.index(var)]
    return f"{path or graph.vars[var].name} : {_type(stage, graph, var)}"


def _type(stage: schema.Stage, graph: schema.Graph, var: int) -> str:
    aval = stage.avals[graph.vars[var].aval]
    return aval.text + (aval.layout or "")
