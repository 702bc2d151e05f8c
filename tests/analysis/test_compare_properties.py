"""Properties of any comparison of two programs."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest
from arbitrary import dags, steps
from compared_sides import Side, wrong
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace
from records import loose_ends
from samples import PROGRAMS, eqn, load

from jaxviz import schema
from jaxviz.analysis.compare import compare_programs
from jaxviz.display import decode, encode
from jaxviz.display.text.summary import summary

KINDS = {"added", "removed", "changed", "retyped", "moved"}


def flaws(before: schema.Program, after: schema.Program) -> list[str]:
    """Properties that a comparison lacks."""
    found = compare_programs(before, after)
    stage = found.stages[0]
    assert found.compared is not None
    told = found.compared
    said = loose_ends(stage)
    if told.marks or told.inputs:
        said += misplaced(stage)
    said += [f"before: {one}" for one in wrong(found, Side(before, later=False))]
    said += [f"after: {one}" for one in wrong(found, Side(after, later=True))]
    numbers = [mark.eqn for mark in found.compared.marks]
    if numbers != sorted(set(numbers)) or {mark.kind for mark in found.compared.marks} - KINDS:
        said.append(f"marks {found.compared.marks}")
    for number, graph in enumerate(stage.graphs):
        names = Counter(var.name for var in graph.vars if not var.literal and var.name != "_")
        said += [f"graph {number}: {name} twice" for name, n in names.items() if n > 1]
        if len(graph.args) != len(graph.invars) or len(graph.results) != len(graph.outvars):
            said.append(f"graph {number}: paths")
    return said


def misplaced(stage: schema.Stage) -> list[str]:
    """Eqns whose place in the text holds another."""
    said: list[str] = []
    for number, graph in enumerate(stage.graphs):
        for one in graph.eqns:
            start, stop = one.span or (0, 0)
            typed = [graph.vars[var] for var in one.outvars]
            results = " ".join(f"{var.name}:{stage.avals[var.aval].text}" for var in typed)
            read = "".join(f" {graph.vars[var].name}" for var in one.invars)
            text = stage.text[start:stop]
            head = f"{results} = {one.op}" if results else one.op
            if not (text.startswith(head) and text.endswith(read)):
                said.append(f"graph {number}: {text}")
    return said


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_any_two_golden_programs(path) -> None:
    before = load(path)
    for other in PROGRAMS:
        after = load(other)
        assert flaws(before, after) == [], other.stem
        found = compare_programs(before, after)
        assert tuple(leaf.path for leaf in found.args) == found.stages[0].graphs[0].args


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_the_same_as_itself(path) -> None:
    program = load(path)
    told = schema.Compared(before=program.name, after=program.name, inputs=[], marks=[], unknown=[])
    assert compare_programs(program, program) == replace(program, compared=told)


@given(st.one_of(dags(), steps()), st.one_of(dags(), steps()))
def test_any_two_programs(before: schema.Program, after: schema.Program) -> None:
    assert flaws(before, after) == []
    found = compare_programs(before, after)
    assert decode(encode(found)) == found
    assert len(summary(found).splitlines()) <= 40


@st.composite
def grown(draw: st.DrawFn) -> tuple[schema.Program, schema.Program, int]:
    """A program, the same with one eqn more, which one behind it may read; its place."""
    program = draw(st.one_of(st.sampled_from([*map(load, PROGRAMS)]), dags(), steps()))
    stage = program.stages[0]
    graph = stage.graphs[0]
    at = draw(st.integers(0, len(graph.eqns)))
    known = [*graph.constvars, *graph.invars, *chain(*(eqn.outvars for eqn in graph.eqns[:at]))]
    assume(known)
    var = draw(st.sampled_from(known))
    new = len(graph.vars)
    eqns = list(graph.eqns)
    users = [i for i, eqn in enumerate(eqns) if i >= at and var in eqn.invars]
    if users and draw(st.booleans()):
        user = draw(st.sampled_from(users))
        reads = [new if one == var else one for one in eqns[user].invars]
        eqns[user] = replace(eqns[user], invars=reads)
    eqns.insert(at, eqn("brand_new", [var], [new]))
    variables = [*graph.vars, replace(graph.vars[var], name="new")]
    graph = replace(graph, vars=variables, eqns=eqns, groups=[])
    after = replace(stage, graphs=[graph, *stage.graphs[1:]], scopes=stage.scopes or [""])
    return program, replace(program, stages=[after]), at


@given(grown())
def test_one_eqn_more_is_one_eqn_added(pair: tuple[schema.Program, schema.Program, int]) -> None:
    before, after, at = pair
    told = compare_programs(before, after).compared
    assert told is not None
    assert (told.inputs, told.marks) == (
        [],
        [schema.Mark(eqn=at, kind="added", before="", after="")],
    )
    told = compare_programs(after, before).compared
    assert told is not None
    assert (told.inputs, [mark.kind for mark in told.marks]) == ([], ["removed"])


@st.composite
def altered(draw: st.DrawFn) -> tuple[schema.Program, schema.Program]:
    """A program, and the same with a param, an operand, a type, a name or a result changed."""
    program = draw(st.sampled_from([one for one in map(load, PROGRAMS) if all_eqns(one)]))
    stage = program.stages[0]
    at, place = draw(st.sampled_from(all_eqns(program)))
    graph = stage.graphs[at]
    changed, variables = graph.eqns[place], list(graph.vars)
    avals = list(stage.avals)
    match draw(st.sampled_from(["op", "param", "operand", "type", "literal"])):
        case "param":
            more = schema.Param(name="zeta", value="1", size=1)
            changed = replace(changed, params=[*changed.params, more])
        case "operand" if len({*changed.invars}) > 1:
            first, *rest = changed.invars
            others = [var for var in rest if var != first]
            changed = replace(changed, invars=[others[0], *rest])
        case "type" if changed.outvars:
            var = changed.outvars[0]
            text = "f8[77]"
            avals.append(replace(avals[variables[var].aval], text=text, shape=[77]))
            variables[var] = replace(variables[var], aval=len(avals) - 1)
        case "literal" if any(variables[var].literal for var in changed.invars):
            var = next(var for var in changed.invars if variables[var].literal)
            variables[var] = replace(variables[var], name="77:f32[]")
        case _:
            changed = replace(changed, op="brand_new")
    eqns = [*graph.eqns[:place], changed, *graph.eqns[place + 1 :]]
    graphs = list(stage.graphs)
    graphs[at] = replace(graph, eqns=eqns, vars=variables)
    return program, replace(program, stages=[replace(stage, graphs=graphs, avals=avals)])


def all_eqns(program: schema.Program) -> list[tuple[int, int]]:
    graphs = program.stages[0].graphs
    return [(at, place) for at, graph in enumerate(graphs) for place in range(len(graph.eqns))]


@given(altered())
def test_a_change_is_never_passed_over(pair: tuple[schema.Program, schema.Program]) -> None:
    for before, after in (pair, pair[::-1]):
        assert flaws(before, after) == []
        told = compare_programs(before, after).compared
        assert told is not None
        assert told.marks
