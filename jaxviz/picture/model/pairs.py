"""The groups that open and close together. As `js/src/model/pairs.ts`."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.picture.model.ids import group_id, parse
from jaxviz.picture.model.outline import Outline


def pair_of(outline: Outline, id: str) -> list[str]:
    """Of a forward group the backward ones, of a backward group the forward one."""
    path, step = parse(id)
    partners = partners_in(outline.graph_at(path), step.index)
    return [group_id(path, index) for index in partners]


def partners_in(graph: schema.Graph, index: int) -> list[int]:
    found: list[int] = []
    for other, group in enumerate(graph.groups):
        if group.role != "backward" or group.twin is None:
            continue
        if group.twin == index:
            found.append(other)
        if other == index:
            found.append(group.twin)
    return found
