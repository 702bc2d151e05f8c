"""Stages made by hand, each eqn of which takes the result of the one before; groups as text."""

from __future__ import annotations

from jaxviz import schema


def chain_stage(
    scopes: list[str], frames: list[schema.Frame], eqns: list[tuple[str, int, int | None]]
) -> schema.Stage:
    """Eqns `(op, scope, frame)`, each of which takes the result of the one before."""
    aval = schema.Aval(
        text="f32[8]",
        kind="array",
        shape=[8],
        dtype="float32",
        weak_type=False,
        sharding=None,
        memory=None,
        layout=None,
        bytes=32,
    )
    graph = schema.Graph(
        name="f",
        vars=[schema.Var(name=f"v{i}", aval=0, literal=False) for i in range(len(eqns) + 1)],
        constvars=[],
        invars=[0],
        outvars=[len(eqns)],
        args=["x"],
        results=["result"],
        eqns=[
            schema.Eqn(
                op=op,
                name="",
                invars=[i],
                outvars=[i + 1],
                roles=[],
                params=[],
                bodies=[],
                effects=[],
                frame=frame,
                call=frame,
                inherited=False,
                scope=scope,
                span=None,
                origin=[],
                guess=False,
                trips=None,
                cost=None,
            )
            for i, (op, scope, frame) in enumerate(eqns)
        ],
        groups=[],
        effects=[],
    )
    return schema.Stage(
        kind="jaxpr",
        graphs=[graph],
        avals=[aval],
        frames=frames,
        scopes=scopes,
        text="",
        notes=[],
        cost=None,
        reported=None,
        memory=None,
        took=None,
        error=None,
    )


def frame(function: str, line: int, parent: int | None, code: str = "") -> schema.Frame:
    return schema.Frame(
        function=function,
        file="m.py",
        line=line,
        column=1,
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
