"""Makes stages in which each eqn takes the result of the one before, and writes groups as text."""

from __future__ import annotations

from msgspec.structs import replace
from samples import eqn, floats, graph, stage_of

from jaxviz import schema


def chain_stage(
    scopes: list[str], frames: list[schema.Frame], eqns: list[tuple[str, int, int | None]]
) -> schema.Stage:
    """Eqns `(op, scope, frame)`; each takes the result of the one before."""
    chained = [
        replace(eqn(op, [i], [i + 1]), params=[], frame=frame, call=frame, scope=scope)
        for i, (op, scope, frame) in enumerate(eqns)
    ]
    whole = graph(chained, [f"v{i}" for i in range(len(eqns) + 1)], 1, ["x"])
    return stage_of([whole], floats(8), frames, scopes)


def frame(function: str, line: int, parent: int | None, code: str = "") -> schema.Frame:
    return schema.Frame(
        function=function,
        file="m.py",
        line=line,
        column=1,
        end_line=line,
        end_column=2,
        code=code,
        cell=None,
        count=None,
        library=False,
        parent=parent,
    )


def rows(stage: schema.Stage, graph: int = 0) -> list[str]:
    """The groups as text: a line each, indented as they nest."""
    groups = stage.graphs[graph].groups
    depths: list[int] = []
    for group in groups:
        depths.append(0 if group.parent is None else depths[group.parent] + 1)
    return [
        f"{'  ' * depth}{group.name} [{group.start}:{group.stop}] {group.kind}"
        for group, depth in zip(groups, depths, strict=True)
    ]
