"""The way of a value through the program: from an argument, through operations with the user's
lines, to the value that was asked for."""

from __future__ import annotations

from jaxviz.schema import Eqn, Graph, Sentence, Stage, Step, Var
from jaxviz.sentences import sentence

CONSTANT = sentence("a constant")
"""What a value comes from that depends on no argument, or whose trace is over."""


def story_of(stage: Stage) -> tuple[Sentence, list[Step]]:
    """What the only output of a program comes from (`argument x f32[3]`), and the steps to it.

    Of several operands the first that depends on an argument is followed. A conversion that only
    makes a Python number's type definite is no step."""
    graph = stage.graphs[0]
    makers = {out: eqn for eqn in graph.eqns for out in eqn.outvars}
    names = dict(zip(graph.invars, graph.args, strict=True))
    rooted = _rooted(graph)
    steps: list[Step] = []
    at = graph.outvars[0]
    while at in makers:
        eqn = makers[at]
        if not _only_definite(eqn, graph, stage):
            line = 0 if eqn.frame is None else stage.frames[eqn.frame].line
            steps.append(Step(op=eqn.name or eqn.op, line=line))
        operands = [var for var in eqn.invars if not graph.vars[var].literal]
        at = next((var for var in operands if var in rooted), next(iter(operands), -1))
    return _root(at, names, graph, stage), steps[::-1]


def _rooted(graph: Graph) -> set[int]:
    """The variables that depend on an argument."""
    found = {*graph.invars}
    for eqn in graph.eqns:
        if found.intersection(eqn.invars):
            found.update(eqn.outvars)
    return found


def _root(at: int, names: dict[int, str], graph: Graph, stage: Stage) -> Sentence:
    if at not in names:
        return CONSTANT
    aval = stage.avals[graph.vars[at].aval]
    name = names[at] or graph.vars[at].name
    return sentence("argument name", name=f"{name} {'~' if aval.weak_type else ''}{aval.text}")


def _only_definite(eqn: Eqn, graph: Graph, stage: Stage) -> bool:
    """Whether an eqn converts a value to the dtype that it has."""
    if eqn.op != "convert_element_type":
        return False

    def dtype(var: Var) -> str:
        return stage.avals[var.aval].dtype

    return dtype(graph.vars[eqn.invars[0]]) == dtype(graph.vars[eqn.outvars[0]])
