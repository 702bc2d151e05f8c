"""Programs to show, both golden ones and others made by hand, and texts that are hard to show."""

from __future__ import annotations

from math import prod
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec.structs import replace

from jaxviz import schema

PROGRAMS = sorted((Path(__file__).parent / "golden").glob("*.json"))
HOSTILE = "<script>alert(1)</script> ]]> \"'`${}&amp; \u202e\x00\x1b[31m\ud800 __proto__"
ANY_TEXT = st.text(st.characters(codec=None), max_size=60)


def load(path: Path) -> schema.Program:
    return msgspec.json.decode(path.read_bytes(), type=schema.Program)


def program(
    eqns: list[schema.Eqn],
    names: list[str],
    inputs: int,
    *,
    paths: list[str] | None = None,
    bodies: list[schema.Graph] | None = None,
    name: str = "f",
) -> schema.Program:
    """A program whose variables are one float each; the last one is its result."""
    aval = floats()
    root = graph(eqns, names, inputs, paths)
    stage = stage_of([root, *(bodies or [])], aval)
    leaves = [schema.Leaf(path=path, aval=aval) for path in root.args]
    results = [schema.Leaf(path="result", aval=aval)]
    return schema.Program(
        version=schema.VERSION,
        jax="0",
        name=name,
        args=leaves,
        fixed=[],
        results=results,
        listings=[],
        stages=[stage],
        compared=None,
        findings=[],
    )


def floats(*shape: int) -> schema.Aval:
    """The type of a float32 array."""
    return schema.Aval(
        text=f"f32[{','.join(map(str, shape))}]",
        kind="array",
        shape=[*shape],
        dtype="float32",
        weak_type=False,
        sharding=None,
        memory=None,
        layout=None,
        bytes=4 * prod(shape),
    )


def stage_of(
    graphs: list[schema.Graph],
    aval: schema.Aval,
    frames: list[schema.Frame] | None = None,
    scopes: list[str] | None = None,
) -> schema.Stage:
    """A jaxpr's stage whose variables are all of one type."""
    return schema.empty(
        schema.Stage,
        kind="jaxpr",
        graphs=graphs,
        avals=[aval],
        frames=frames or [],
        scopes=scopes or [""],
    )


def graph(
    eqns: list[schema.Eqn], names: list[str], inputs: int, paths: list[str] | None = None
) -> schema.Graph:
    return schema.Graph(
        name="f",
        vars=[schema.Var(name=name, aval=0, literal=False) for name in names],
        constvars=(),
        invars=tuple(range(inputs)),
        outvars=(len(names) - 1,),
        args=tuple(paths or names[:inputs]),
        results=("result",),
        eqns=eqns,
        groups=[],
        effects=(),
    )


def eqn(op: str, invars: list[int], outvars: list[int], bodies: list[int] | None = None):
    held = tuple(
        schema.Body(label=op, graph=body, inputs=tuple(range(len(invars))), outputs=(0,))
        for body in bodies or []
    )
    return schema.Eqn(
        op=op,
        name="",
        invars=tuple(invars),
        outvars=tuple(outvars),
        roles=(),
        params=(schema.Param(name="axes", value=op, size=len(op)),),
        attributes=None,
        bodies=held,
        effects=(),
        frame=None,
        call=None,
        inherited=False,
        scope=0,
        span=None,
        origin=(),
        guess=False,
        own="",
        trips=None,
        cost=None,
    )


def group(name: str, start: int, stop: int, **others: Any) -> schema.Group:
    """A group of a name scope that stands alone, but for what `others` say."""
    plain = schema.Group(
        name=name,
        kind="scope",
        role="",
        parent=None,
        twin=None,
        alike=-1,
        loop="",
        loop_line=0,
        named_by="",
        start=start,
        stop=stop,
    )
    return replace(plain, **others)
