"""Checks that a program from a file is consistent, since a file may contain anything.

The types of the fields are already checked. This file checks the rest: an index must be within its
list, graphs and groups must not contain themselves, and lists that belong together must have one
length. `js/src/facts/wire/check-program.ts` checks the same on the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any

from msgspec import inspect, to_builtins

from jaxviz.schema.graph import Eqn, Graph, Group, outside_in
from jaxviz.schema.program import Compared, Program, Stage, first_made
from jaxviz.schema.record import Record, Sentence, field_types
from jaxviz.schema.report import Report

INDICES: Mapping[str, str] = {
    "Body.graph": "graphs",
    "Body.inputs": "invars",
    "Body.outputs": "outvars",
    "Eqn.call": "frames",
    "Eqn.frame": "frames",
    "Eqn.invars": "vars",
    "Eqn.outvars": "vars",
    "Eqn.scope": "scopes",
    "Eqn.was": "vars",
    "Frame.parent": "frames",
    "Graph.constvars": "vars",
    "Graph.invars": "vars",
    "Graph.outvars": "vars",
    "Group.parent": "groups",
    "Group.twin": "groups",
    "Var.aval": "avals",
}
"""The fields that are indices, and the list of the same graph, stage or eqn to which each refers.
All other numbers are counts."""
MINUS_ONE_ALLOWED = {"Body.inputs", "Body.outputs", "Group.alike", "Groups.devices"}
"""The fields in which -1 means none."""
SIGNED = {"Convolution.padding"}
"""The fields that may be any number."""
LISTS: Mapping[type, tuple[str, ...]] = {
    Stage: ("graphs", "avals", "frames", "scopes"),
    Graph: ("vars", "groups"),
    Eqn: ("invars", "outvars"),
}
"""For each record the lists to which indices inside it refer."""
LARGEST_NUMBER = 1 << 62
"""No count that jaxviz writes is larger."""


def first_fault(program: Program) -> str | None:
    """The first inconsistency of a program, in words; None if it is consistent."""
    return next(faults_in(program), None)


def first_report_fault(report: Report, program: Program) -> str | None:
    """The first wrong number of a report, in words; None if there is none."""
    graphs = program.stages[0].graphs
    eqns = sum(len(graph.eqns) for graph in graphs)
    sizes = {"graph": len(graphs), **dict.fromkeys(("eqn", *_EQNS), eqns)}
    return next(_of_report(to_builtins(report), "report", sizes), None)


_EQNS = ("eqns", "gone", "unnamed")
"""The fields of reports that list numbers of eqns."""


def _of_report(found: Any, where: str, sizes: Mapping[str, int]) -> Iterator[str]:
    """The numbers of eqns, graphs and frames in the JSON of a report that are out of range; -1 is
    none."""
    for name, one in found.items():
        listed = isinstance(one, list)
        for at, each in enumerate(one if listed else [one]):
            place = f"{where}.{name}[{at}]" if listed else f"{where}.{name}"
            if isinstance(each, dict):
                yield from _of_report(each, place, sizes)
            elif listed == (name in _EQNS) and name in sizes and not -1 <= each < sizes[name]:
                yield f"{place} is {each}, and there are {sizes[name]}"
    for step in found.get("steps", ()):
        if not 0 <= step["frame"] < len(found["frames"]):
            yield f"{where}.steps has the frame {step['frame']} of {len(found['frames'])}"


def faults_in(program: Program) -> Iterator[str]:
    """All inconsistencies. Stop at the first one: later checks rely on earlier ones."""
    if not program.stages:
        yield "stages is empty"
    yield from numbers(program, "", {})
    for at, stage in enumerate(program.stages):
        yield from (f"stages[{at}]{fault}" for fault in in_stage(stage))
    yield from in_origins(program)
    if program.compared is not None:
        yield from in_marks(program.compared, program.stages)


def numbers(record: Record, where: str, sizes: Mapping[str, int]) -> Iterator[str]:
    """The numbers out of range in a record and in all records in it.

    `where` is the path of the record, and `sizes` has the lengths of the lists around it."""
    sizes = {**sizes, **{name: len(getattr(record, name)) for name in LISTS.get(type(record), ())}}
    for name, nested in plan(type(record)):
        found = getattr(record, name)
        many = type(found) in (list, tuple)
        for at, one in enumerate(found if many else (found,)):
            if nested and one is not None:
                yield from numbers(
                    one, f"{where}.{name}[{at}]" if many else f"{where}.{name}", sizes
                )
            elif type(one) is int:
                fault = out_of_range(f"{type(record).__name__}.{name}", one, sizes)
                if fault is not None:
                    yield f"{where}.{name}{f'[{at}]' if many else ''} {fault}".removeprefix(".")


def out_of_range(field: str, number: int, sizes: Mapping[str, int]) -> str | None:
    into = INDICES.get(field)
    if number == -1 and field in MINUS_ONE_ALLOWED:
        return None
    if abs(number) > LARGEST_NUMBER:
        return "is out of range"
    if number < 0 and field not in SIGNED:
        return f"is {number}"
    if into is not None and number >= sizes[into]:
        return f"is {number}, and there are {sizes[into]} {into}"
    return None


@cache
def plan(kind: type[Record]) -> list[tuple[str, bool]]:
    """The fields of a record with numbers (False) or records (True), alone or in lists. Numbers in
    a sentence are not indices."""
    found: list[tuple[str, bool]] = []
    for name, of in field_types(kind).items():
        kinds = {type(one) for one in parts(of) if getattr(one, "cls", None) is not Sentence}
        if kinds & {inspect.StructType, inspect.IntType}:
            found.append((name, inspect.StructType in kinds))
    return found


def parts(kind: inspect.Type) -> Iterator[inspect.Type]:
    """The types in a list or a union, at any depth; for any other type, this type."""
    match kind:
        case inspect.ListType(item_type=item) | inspect.VarTupleType(item_type=item):
            yield from parts(item)
        case inspect.UnionType(types=types):
            for one in types:
                yield from parts(one)
        case _:
            yield kind


def in_stage(stage: Stage) -> Iterator[str]:
    if stage.error is None and not stage.graphs:
        yield ".graphs is empty"
    for at, frame in enumerate(stage.frames):
        if frame.parent is not None and frame.parent >= at:
            yield f".frames[{at}].parent is not before it"
    for at, graph in enumerate(stage.graphs):
        yield from (f".graphs[{at}]{fault}" for fault in in_graph(graph, stage))
    if len(outside_in(stage.graphs)) < len(stage.graphs):
        yield ".graphs hold one another in a circle"
    count = sum(len(graph.eqns) for graph in stage.graphs)
    for name in of_eqns():
        if not are_in_order([one.eqn for one in getattr(stage, name)], count):
            yield f".{name} are not of the {count} eqns in their order"


@cache
def of_eqns() -> list[str]:
    """The fields of a stage that are lists of records about single eqns."""
    found: list[str] = []
    for name, kind in field_types(Stage).items():
        match kind:
            case inspect.ListType(item_type=inspect.StructType(cls=cls)):
                if "eqn" in cls.__struct_fields__:
                    found.append(name)
            case _:
                pass
    return found


def in_graph(graph: Graph, stage: Stage) -> Iterator[str]:
    for paths, variables in ((graph.args, graph.invars), (graph.results, graph.outvars)):
        if len(paths) != len(variables):
            yield f" names {len(paths)} of {len(variables)} inputs or results"
    read = {*graph.constvars, *graph.invars}
    made = {*read, *(at for at, var in enumerate(graph.vars) if var.literal)}
    for at, eqn in enumerate(graph.eqns):
        if not made.issuperset((*eqn.invars, *eqn.was)):
            yield f".eqns[{at}].invars has what nothing before it makes"
        made.update(eqn.outvars)
        read.update(eqn.invars, eqn.was)
        if not read.isdisjoint(eqn.outvars):
            yield f".eqns[{at}].outvars has what was there before it"
        yield from (f".eqns[{at}]{fault}" for fault in in_eqn(eqn, stage))
    if not made.issuperset(graph.outvars):
        yield ".outvars has what no eqn makes"
    yield from in_groups(graph.groups, len(graph.eqns))


def in_eqn(eqn: Eqn, stage: Stage) -> Iterator[str]:
    length = len(stage.text)
    if eqn.span is not None and not (len(eqn.span) == 2 and eqn.span[0] <= eqn.span[1] <= length):
        yield f".span is {[*eqn.span]}, and the text has {length} characters"
    if len(eqn.roles) not in (0, len(eqn.invars)):
        yield f".roles names {len(eqn.roles)} of {len(eqn.invars)} operands"
    for at, body in enumerate(eqn.bodies):
        graph = stage.graphs[body.graph]
        if (len(body.inputs), len(body.outputs)) != (len(graph.invars), len(graph.outvars)):
            yield f".bodies[{at}] has not as many inputs and outputs as graphs[{body.graph}]"


def in_groups(groups: list[Group], eqns: int) -> Iterator[str]:
    """Each group must be inside its parent, after the earlier groups of this parent."""
    free: dict[int | None, int] = {}
    for at, group in enumerate(groups):
        outer = None if group.parent is None else groups[group.parent]
        if group.parent is not None and group.parent >= at:
            yield f".groups[{at}].parent is not before it"
            return
        first, last = (0, eqns) if outer is None else (outer.start, outer.stop)
        first = max(first, free.get(group.parent, 0))
        if not first <= group.start <= group.stop <= last:
            yield f".groups[{at}] is not within eqns {first} to {last}"
        free[group.parent] = group.stop
        if group.twin == at:
            yield f".groups[{at}].twin is the group itself"


def in_origins(program: Program) -> Iterator[str]:
    """The origins of eqns in later stages must be numbers of eqns in the first."""
    count = sum(len(graph.eqns) for graph in first_made(program).graphs) if program.stages else 0
    for at, stage in enumerate(program.stages):
        for number, graph in enumerate(stage.graphs):
            for place, eqn in enumerate(graph.eqns):
                if any(one >= count for one in eqn.origin):
                    where = f"stages[{at}].graphs[{number}].eqns[{place}].origin"
                    yield f"{where} is {[*eqn.origin]}, and the first stage has {count} eqns"


def in_marks(compared: Compared, stages: list[Stage]) -> Iterator[str]:
    """A comparison must have one stage, and its marks must refer to eqns of it in their order."""
    if len(stages) != 1:
        yield f"compared is of one stage, and there are {len(stages)}"
    marked = [mark.eqn for mark in compared.marks]
    count = sum(len(graph.eqns) for graph in stages[0].graphs)
    if not are_in_order(marked, count):
        yield f"compared.marks are not of the {count} eqns in their order"


def are_in_order(eqns: list[int], count: int) -> bool:
    """True if these are numbers below `count`, each once and in increasing order."""
    return all(one < other for one, other in pairwise([*eqns, count]))
