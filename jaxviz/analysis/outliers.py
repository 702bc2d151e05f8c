"""Outliers: casts to a wider float that one layer makes and its siblings do not.

Siblings are groups that have the same role and the same names, apart from numbers, as do the groups
around them. If at least 3 siblings repeat one another, and are at least half of all, every other
sibling is compared with the first of these, bodies included. Its outliers are the casts that it has
in addition, by dtypes and line. In later stages, outliers are the instructions made from those of
the jaxpr.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz.schema import Eqn, Frame, Graph, Group, Outlier, Stage
from jaxviz.schema.graph import first_eqns

CASTS = ("convert_element_type", "stablehlo.convert", "convert")
FLOAT_BYTES = {"bfloat16": 2, "float16": 2, "float32": 4, "float64": 8}
FEWEST_ALIKE = 3
MOST_COMPARED = 4_000
"""The most eqns of a layer that are compared: its first ones."""
BUNDLE_KINDS = ("repeat", "section")
Line = tuple[str, int] | None
Key = tuple[str, str, Line]
"""A cast: dtype before, dtype after, line."""


class Layer(NamedTuple):
    """A layer that differs from most of its siblings."""

    name: str
    start: int
    stop: int
    sibling: Group
    """One of the siblings that repeat one another."""
    siblings: int
    """The number of those siblings."""
    is_group: bool = True
    """False for the eqns between two siblings."""


def with_outliers(stage: Stage, jaxpr: Stage | None) -> Stage:
    """The stage with its outliers (`strays`). `jaxpr` is None if `stage` is the jaxpr itself."""
    if not any(widened(stage, graph, eqn) for graph in stage.graphs for eqn in graph.eqns):
        return stage
    return replace(stage, strays=_in_jaxpr(stage) if jaxpr is None else _in_later(stage, jaxpr))


def _in_jaxpr(stage: Stage) -> list[Outlier]:
    found: dict[int, Outlier] = {}
    for number, graph in enumerate(stage.graphs):
        for layer in unlike_layers(graph):
            for one in outliers_of(stage, number, layer):
                found.setdefault(one.eqn, one)
    return [found[number] for number in sorted(found)]


def _in_later(stage: Stage, jaxpr: Stage) -> list[Outlier]:
    first = {one.eqn: one for one in jaxpr.strays}
    starts = first_eqns(stage.graphs)
    return [
        replace(first[eqn.origin[-1]], eqn=starts[number] + at)
        for number, graph in enumerate(stage.graphs)
        for at, eqn in enumerate(graph.eqns)
        if eqn.origin and eqn.origin[-1] in first and widened(stage, graph, eqn)
    ]


def widened(stage: Stage, graph: Graph, eqn: Eqn) -> tuple[str, str] | None:
    """The dtypes of a cast to a wider float; None for any other eqn."""
    if eqn.op not in CASTS or not eqn.invars or not eqn.outvars:
        return None
    ends = (eqn.invars[0], eqn.outvars[0])
    before, after = (stage.avals[graph.vars[var].aval].dtype for var in ends)
    return (before, after) if 0 < FLOAT_BYTES.get(before, 0) < FLOAT_BYTES.get(after, 0) else None


def unlike_layers(graph: Graph) -> Iterator[Layer]:
    """The layers that differ from most of their siblings, and the eqns between two siblings."""
    families: dict[tuple[str, ...], list[Group]] = {}
    for index, group in enumerate(graph.groups):
        if group.kind not in BUNDLE_KINDS:
            families.setdefault(family(graph, index), []).append(group)
    for members in families.values():
        alike = Counter(one.alike for one in members if one.alike >= 0)
        for number, count in alike.most_common(1):
            if count >= FEWEST_ALIKE and 2 * count >= len(members):
                others = [one for one in members if one.alike != number]
                same = [one for one in members if one.alike == number]
                yield from (Layer(one.name, one.start, one.stop, same[0], count) for one in others)
                yield from between(graph, same)


def between(graph: Graph, same: list[Group]) -> Iterator[Layer]:
    """The eqns between two neighbours of these siblings, as a layer with the siblings' name. Eqns
    that are many more than those of a sibling are no layer."""
    sibling = same[0]
    most = 2 * (sibling.stop - sibling.start) + 8
    name = re.sub(r" ?\d+/\d+$", "", sibling.name)
    for before, after in pairwise(same):
        is_together = outer_of(graph, before) == outer_of(graph, after)
        if is_together and 0 < after.start - before.stop <= most:
            yield Layer(name, before.stop, after.start, sibling, len(same), is_group=False)


def outer_of(graph: Graph, group: Group) -> int | None:
    """The group around one, apart from runs of equal groups and sections."""
    at = group.parent
    while at is not None and graph.groups[at].kind in BUNDLE_KINDS:
        at = graph.groups[at].parent
    return at


def family(graph: Graph, index: int) -> tuple[str, ...]:
    """The properties that siblings share: their role, and the names of a group and of those around
    it."""
    names = [graph.groups[index].role]
    at: int | None = index
    while at is not None:
        group = graph.groups[at]
        if group.kind not in BUNDLE_KINDS:
            names.append(re.sub(r"\d+", "#", group.name))
        at = group.parent
    return tuple(names)


def outliers_of(stage: Stage, number: int, layer: Layer) -> Iterator[Outlier]:
    """The casts that a layer of a graph has in addition to those of its sibling. Between groups,
    only casts in expressions of the sibling count."""
    starts = first_eqns(stage.graphs)
    eqns = [*eqns_of(stage, number, layer.sibling.start, layer.sibling.stop)]
    unmatched = Counter(key for graph, at in eqns if (key := cast(stage, graph, at)) is not None)
    frames = {stage.graphs[graph].eqns[at].frame for graph, at in eqns} - {None}
    own = [stage.frames[frame] for frame in frames if frame is not None]
    for graph, at in eqns_of(stage, number, layer.start, layer.stop):
        key = cast(stage, graph, at)
        if key is None:
            continue
        unmatched[key] -= 1
        if unmatched[key] >= 0:
            continue
        frame = stage.graphs[graph].eqns[at].frame
        shared = frame is not None and any(is_within(stage.frames[frame], one) for one in own)
        if shared or layer.is_group:
            eqn = starts[graph] + at
            yield Outlier(eqn=eqn, layer=layer.name, siblings=layer.siblings, shared=shared)


def is_within(frame: Frame, other: Frame) -> bool:
    """True if an expression is part of another one on its line, or if their columns are unknown. A
    line may call several layers: `self.attn(self.norm(x))`."""
    if (frame.file, frame.line) != (other.file, other.line):
        return False
    is_known = frame.column > 0 and other.column > 0
    ends = (frame.end_line, frame.end_column), (other.end_line, other.end_column)
    return not is_known or (other.column <= frame.column and ends[0] <= ends[1])


def eqns_of(stage: Stage, number: int, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The eqns of a range and of their bodies, each once, as graph and index."""
    ranges, seen, left = [(number, start, stop)], {number}, MOST_COMPARED
    for graph, first, last in ranges:
        for at in range(first, min(last, first + left)):
            yield graph, at
            for body in stage.graphs[graph].eqns[at].bodies:
                if body.graph not in seen:
                    seen.add(body.graph)
                    ranges.append((body.graph, 0, len(stage.graphs[body.graph].eqns)))
        left -= min(left, last - first)


def cast(stage: Stage, number: int, at: int) -> Key | None:
    graph = stage.graphs[number]
    eqn = graph.eqns[at]
    dtypes = widened(stage, graph, eqn)
    return None if dtypes is None else (*dtypes, line_of(stage, eqn))


def line_of(stage: Stage, eqn: Eqn) -> Line:
    frame = None if eqn.frame is None else stage.frames[eqn.frame]
    return None if frame is None else (frame.file, frame.line)
