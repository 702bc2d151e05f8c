"""What is written on a box. As `js/src/model/describe.ts` and `js/src/layout/caption.ts`."""

from __future__ import annotations

import re

from jaxviz import schema
from jaxviz.picture.measure import head, one_line

LABEL, NOTE, LITERAL, TYPE = 36, 30, 10, 30
"""Columns that texts are cut to."""

TELLING = (
    "axes",
    "axis",
    "axis_name",
    "dimension",
    "dimensions",
    "new_dtype",
    "new_sizes",
    "shape",
    "permutation",
    "broadcast_dimensions",
    "y",
    "length",
    "reverse",
    "policy",
    "name",
)
"""The parameters that tell two eqns of one primitive apart, in the order they are shown."""

_DIMENSIONS = re.compile(r"[\[(]((?:\d+(?:,\s*)?)*)[\])]")


def label_of(eqn: schema.Eqn) -> str:
    """Its primitive and what it calls."""
    return head(one_line(f"{eqn.op} {eqn.name}"), LABEL)


def note_of(graph: schema.Graph, eqn: schema.Eqn) -> str:
    """What distinguishes it: literal operands, branches, a telling parameter."""
    literals = [_literal(graph.vars[var].name) for var in eqn.invars if graph.vars[var].literal]
    return head(one_line(" ".join([*literals, _detail(eqn)])), NOTE)


def _literal(name: str) -> str:
    """`2.0` of `2.0:f32[]`."""
    text = re.sub(r":[^:]*$", "", name)
    if len(text) > LITERAL and re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", text):
        return f"{float(text):.4g}"
    return head(text, LITERAL)


def _detail(eqn: schema.Eqn) -> str:
    if len(eqn.bodies) > 1:
        return " · ".join(body.label for body in eqn.bodies)
    if eqn.op == "dot_general":
        return _contraction(eqn)
    params = {param.name: param.value for param in eqn.params}
    for name in TELLING:
        value = params.get(name, "None")
        if value not in ("None", "False", eqn.name):
            return head(f"{name}={value}", 28)
    return ""


def _contraction(eqn: schema.Eqn) -> str:
    """`(([1], [0]), ([], []))` contracts dimension 1 of the left with 0 of the right: `1·0`."""
    values = [param.value for param in eqn.params if param.name == "dimension_numbers"]
    lists = [found.rstrip(", ") for found in _DIMENSIONS.findall("".join(values))]
    return f"{lists[0]}·{lists[1]}".replace(", ", ",") if len(lists) > 1 else ""


def name_of(graph: schema.Graph, variable: int) -> str:
    """What a value is called far from where it is made: by the user's path, or its eqn."""
    if variable in graph.invars:
        return one_line(graph.args[graph.invars.index(variable)] or graph.vars[variable].name)
    makers = (eqn for eqn in graph.eqns if variable in eqn.outvars)
    return next((label_of(eqn) for eqn in makers), graph.vars[variable].name)


def types_of(stage: schema.Stage, graph: schema.Graph, variables: list[int]) -> str:
    """What flows out of a box: `f32[8,64]`, `f32[8] ×3`, `f32[8], …`."""
    texts = [stage.avals[graph.vars[var].aval].text for var in variables]
    if not texts:
        return ""
    first = head(one_line(texts[0]), TYPE)
    if len(texts) == 1:
        return first
    return f"{first} ×{len(texts)}" if set(texts) == {texts[0]} else f"{first}, …"
