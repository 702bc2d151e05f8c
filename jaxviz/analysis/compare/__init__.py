"""Two programs as one: what was added, removed and changed.

1. `value_numbers` numbers the contents of both programs. Equal numbers mean the same computation.
2. `matching` finds corresponding inputs, results and bodies, and `alignment` corresponding eqns,
   with the algorithms of `sequences`.
3. `merge` makes one stage of both, graph by graph: `merged_bodies` lists the graphs,
   `merged_variables` has their variables, and `eqn_differences` describes how two eqns differ.
4. `merged_text` writes the stage as a jaxpr.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.calls import call_of_both
from jaxviz.analysis.compare.matching import match_programs
from jaxviz.analysis.compare.merge import MergedStage
from jaxviz.analysis.compare.merged_text import params_to_write, with_text
from jaxviz.analysis.compare.value_numbers import NumberedStage, Numbering
from jaxviz.analysis.cost import with_costs
from jaxviz.analysis.groups import with_groups

__all__ = ["compare_programs"]


Values = Sequence[Sequence[bytes | int | None]]
"""For each graph, digests of the values of its `constvars`; None if a value is unknown."""


def compare_programs(
    before: schema.Program,
    after: schema.Program,
    values: tuple[Values | None, Values | None] = (None, None),
) -> schema.Program:
    """Returns one program with the eqns of both.

    Eqns are matched by what they compute, never by the names of variables. `compared` of the result
    says how the programs differ. If they do not, the result has the stage of `after`. `values` has
    digests of the arrays that each program closes over.

    Takes time linear in the eqns of both, except for sorting the differences. The time for programs
    that have nothing in common is bounded. Nested bodies cause no recursion.
    """
    numbering = Numbering()
    one, other = (
        NumberedStage(jaxpr(each), numbering, digests)
        for each, digests in zip((before, after), values, strict=True)
    )
    merged = MergedStage(one, other, match_programs(one, other))
    marks = [
        schema.Mark(eqn=number, kind=mark.kind, before=mark.before, after=mark.after)
        for number, mark in enumerate(mark for marks in merged.marks for mark in marks)
        if mark is not None
    ]
    differences = schema.Compared(
        before=before.name,
        after=after.name,
        inputs=merged.changes,
        marks=marks,
        unknown=[] if before is after else merged.unknown,
    )
    call = merged_call(one.stage.call, other.stage.call, merged)
    fixed = [one for one in after.fixed if one in before.fixed] if call is None else call.fixed
    if not marks and not merged.changes:
        stage = replace(other.stage, call=call)
        return replace(after, fixed=fixed, stages=[stage], compared=differences)
    stage = replace(merged_stage(one.stage, other.stage, merged), call=call)
    root = stage.graphs[0]
    return replace(
        after,
        args=leaves(stage, root.invars, root.args),
        fixed=fixed,
        results=leaves(stage, root.outvars, root.results),
        listings=listings(before, after),
        stages=[stage],
        compared=differences,
    )


def merged_stage(before: schema.Stage, after: schema.Stage, merged: MergedStage) -> schema.Stage:
    """The merged graphs as a stage, with text and groups."""
    stage = replace(
        after,
        graphs=merged.graphs,
        avals=merged.tables.avals,
        frames=merged.tables.frames,
        scopes=merged.tables.scopes,
        collectives=[],
        strays=[],
        times=None,
    )
    texts = before.text, after.text
    params = [[params_to_write(texts, *pair) for pair in pairs] for pairs in merged.eqns]
    return with_groups(with_text(stage, params))


def merged_call(
    before: schema.Call | None, after: schema.Call | None, merged: MergedStage
) -> schema.Call | None:
    """The calls of both programs as one call; None if one of the calls is unknown."""
    if before is None or after is None:
        return None
    root = merged.root
    return call_of_both(before, after, root.consts, root.inputs, root.results)


def leaves(
    stage: schema.Stage, variables: tuple[int, ...], paths: tuple[str, ...]
) -> list[schema.Leaf]:
    """The inputs or results of the program, with their merged types."""
    graph = stage.graphs[0]
    return [
        schema.Leaf(path=path, aval=stage.avals[graph.vars[var].aval])
        for var, path in zip(variables, paths, strict=True)
    ]


def listings(before: schema.Program, after: schema.Program) -> list[schema.Listing]:
    """The later program's code, and the earlier one's if it is from other lines: a removed eqn
    links to its line there."""

    def overlap(one: schema.Listing, other: schema.Listing) -> bool:
        first, last = sorted((one, other), key=lambda each: each.start)
        same = (one.file, one.cell) == (other.file, other.cell)
        return same and last.start <= first.start + first.text.count("\n")

    elsewhere = [
        one for one in before.listings if not any(overlap(one, other) for other in after.listings)
    ]
    return [*after.listings, *elsewhere]


def jaxpr(program: schema.Program) -> schema.Stage:
    """The program's first stage, with costs; an empty stage if the program has none."""
    stages = [stage for stage in program.stages[:1] if stage.graphs]
    if not stages:
        return EMPTY_STAGE
    return stages[0] if stages[0].cost is not None else with_costs(stages[0], None)


EMPTY_STAGE = schema.empty(schema.Stage, kind="jaxpr", graphs=[schema.empty(schema.Graph)])
