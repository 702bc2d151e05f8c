"""Two programs as one: what was added, what was removed, and what is not the same."""

from __future__ import annotations

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare.match import whole
from jaxviz.analysis.compare.merge import Merge
from jaxviz.analysis.compare.shown import shown
from jaxviz.analysis.compare.text import printed
from jaxviz.analysis.compare.values import Numbers, Side
from jaxviz.analysis.cost import costed
from jaxviz.analysis.outline import outline

__all__ = ["compared"]


def compared(before: schema.Program, after: schema.Program) -> schema.Program:
    """One program of the eqns of both, matched by what they compute, never by what variables are
    called. Its `compared` says how they differ; where they do not, its stage is that of `after`.

    Linear in the eqns of both but for the sorting of what differs, and bounded for programs that
    have nothing in common; never recursive over how deep bodies nest."""
    numbers = Numbers()
    one, other = (Side(jaxpr(each), numbers) for each in (before, after))
    merge = Merge(one, other, whole(one, other))
    marks = [
        schema.Mark(eqn=number, kind=mark.kind, before=mark.before, after=mark.after)
        for number, mark in enumerate(mark for marks in merge.marks for mark in marks)
        if mark is not None
    ]
    told = schema.Compared(before=before.name, after=after.name, inputs=merge.changes, marks=marks)
    fixed = [one for one in after.fixed if one in before.fixed]
    if not marks and not merge.changes:
        return replace(after, fixed=fixed, stages=[other.stage], compared=told)
    stage = replace(
        other.stage,
        graphs=merge.graphs,
        avals=merge.tables.avals,
        frames=merge.tables.frames,
        scopes=merge.tables.scopes,
    )
    texts = one.stage.text, other.stage.text
    params = [[shown(texts, *pair) for pair in pairs] for pairs in merge.eqns]
    stage = outline(printed(stage, params))
    root = stage.graphs[0]
    return replace(
        after,
        args=leaves(stage, root.invars, root.args),
        fixed=fixed,
        results=leaves(stage, root.outvars, root.results),
        listings=listings(before, after),
        stages=[stage],
        compared=told,
    )


def leaves(stage: schema.Stage, variables: list[int], paths: list[str]) -> list[schema.Leaf]:
    """The inputs or results of the program, with their merged types."""
    graph = stage.graphs[0]
    return [
        schema.Leaf(path=path, aval=stage.avals[graph.vars[var].aval])
        for var, path in zip(variables, paths, strict=True)
    ]


def listings(before: schema.Program, after: schema.Program) -> list[schema.Listing]:
    """The later program's code, and of the earlier one's what lies elsewhere: an eqn that was
    removed leads to its line there."""

    def overlap(one: schema.Listing, other: schema.Listing) -> bool:
        first, last = sorted((one, other), key=lambda each: each.start)
        same = (one.file, one.cell) == (other.file, other.cell)
        return same and last.start <= first.start + first.text.count("\n")

    elsewhere = [
        one for one in before.listings if not any(overlap(one, other) for other in after.listings)
    ]
    return [*after.listings, *elsewhere]


def jaxpr(program: schema.Program) -> schema.Stage:
    """The program's first stage, with costs; one without eqns where there is none."""
    stages = [stage for stage in program.stages[:1] if stage.graphs]
    if not stages:
        return EMPTY
    return stages[0] if stages[0].cost is not None else costed(stages[0], None)


EMPTY = schema.Stage(
    kind="jaxpr",
    graphs=[
        schema.Graph(
            name="",
            vars=[],
            constvars=[],
            invars=[],
            outvars=[],
            args=[],
            results=[],
            eqns=[],
            groups=[],
            effects=[],
        )
    ],
    avals=[],
    frames=[],
    scopes=[],
    text="",
    notes=[],
    cost=None,
    reported=None,
    memory=None,
    took=None,
    error=None,
)
