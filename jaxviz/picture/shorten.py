"""What a picture that cannot be moved leaves out: the rest of a region with too many boxes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.picture.model.outline import MOST_BINDERS
from jaxviz.picture.model.pytree import branches

REST = "…"


def shortened(stage: schema.Stage, most: int) -> schema.Stage:
    """The stage with at most `most` eqns and groups, inputs, or outputs in one place: all further
    ones are gathered as `…`."""
    return replace(stage, graphs=[_graph(graph, most) for graph in stage.graphs])


def _graph(graph: schema.Graph, most: int) -> schema.Graph:
    groups = [*graph.groups, *_rests(graph, most)]
    args, results = _paths(graph.args, most), _paths(graph.results, most)
    return replace(graph, groups=groups, args=args, results=results)


def _rests(graph: schema.Graph, most: int) -> list[schema.Group]:
    """A group of all but the first eqns and groups, where there are too many."""
    inside: dict[int | None, list[schema.Group]] = {}
    for group in graph.groups:
        inside.setdefault(group.parent, []).append(group)
    wholes: list[tuple[int | None, str, int, int]] = [(None, "", 0, len(graph.eqns))]
    wholes += [(i, one.role, one.start, one.stop) for i, one in enumerate(graph.groups)]
    found: list[schema.Group] = []
    for parent, role, start, stop in wholes:
        held = inside.get(parent, [])
        if stop - start - sum(one.stop - one.start - 1 for one in held) <= most:
            continue
        stops = {one.start: one.stop for one in held}
        for _ in range(most - 1):
            start = stops.get(start, start + 1)
        found.append(
            schema.Group(
                name=REST,
                kind="section",
                role=role,
                parent=parent,
                twin=None,
                alike=-1,
                start=start,
                stop=stop,
            )
        )
    return found


def _paths(paths: list[str], most: int) -> list[str]:
    """Paths of which all but the first go on from `…`, where they have too many branches."""
    found: Sequence[tuple[str, list[int]]] = branches(paths) if len(paths) > MOST_BINDERS else ()
    rest = {index for _, indices in found[most - 1 :] for index in indices}
    if len(found) <= most:
        return paths
    return [f"{REST}.{path}" if index in rest else path for index, path in enumerate(paths)]
