"""The groups that open and close together. As `js/src/facts/pairs.ts`."""

from __future__ import annotations

from jaxviz.picture.model.ids import group_id, parse
from jaxviz.picture.model.outline import Outline


def pair_of(outline: Outline, id: str) -> list[str]:
    """Of a forward group the backward ones, of a backward group the forward one."""
    path, step = parse(id)
    if step.kind != "group":
        return []
    found: list[int] = []
    for index, group in enumerate(outline.graph_at(path).groups):
        if group.role != "backward" or group.twin is None:
            continue
        if group.twin == step.index:
            found.append(index)
        if index == step.index:
            found.append(group.twin)
    return [group_id(path, index) for index in found]
