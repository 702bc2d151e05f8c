"""What is open in the first view of a program, and the frames that show it."""

from __future__ import annotations

from dataclasses import dataclass, field

from jaxviz.picture.frame import Frame, Plan, layout_frame
from jaxviz.picture.items import Item, Outline


@dataclass
class Opened:
    """An open item (None: the program), what it holds, and which of that is open in turn."""

    graph: int
    holder: Item | None
    items: list[Item]
    inner: dict[int, int] = field(default_factory=dict[int, int])


def root_of(outline: Outline) -> int:
    """The program's graph, without wrappers: graphs that one eqn with one body makes up."""
    graphs = outline.stage.graphs
    at = 0
    for _ in graphs:
        eqns = graphs[at].eqns
        if len(eqns) != 1 or len(eqns[0].bodies) != 1 or eqns[0].op not in ("jit", "pjit"):
            break
        at = eqns[0].bodies[0].graph
    return at


def open_within(outline: Outline, graph: int, budget: int) -> list[Opened]:
    """Opens what fits in so many boxes: level by level, and of a level the largest first."""
    opened = [Opened(graph, None, outline.of_graph(graph))]
    boxes = len(opened[0].items)
    level = [0]
    while level:
        candidates = [
            (at, index, item)
            for at in level
            for index, item in enumerate(opened[at].items)
            if item.foldable
        ]
        level = []
        for at, index, item in sorted(candidates, key=lambda candidate: -candidate[2].count):
            held = outline.inside(item) if boxes < budget else []
            if not held or boxes + len(held) > budget:
                continue
            boxes += len(held)
            level.append(len(opened))
            opened[at].inner[index] = len(opened)
            opened.append(Opened(_graph_inside(outline, item, held), item, held))
    return opened


def _graph_inside(outline: Outline, item: Item, held: list[Item]) -> int:
    if item.kind == "group" or held[0].kind == "body":
        return item.graph
    return outline.stage.graphs[item.graph].eqns[item.span[0]].bodies[item.body].graph


def layout_scene(outline: Outline, opened: list[Opened]) -> Frame:
    """From the inside out, as the size of a box follows from what is open in it."""
    frames: dict[int, Frame] = {}
    for number in range(len(opened) - 1, -1, -1):
        at = opened[number]
        inner = [
            frames[at.inner[index]] if index in at.inner else None for index in range(len(at.items))
        ]
        frames[number] = layout_frame(Plan(outline, at.graph, at.holder, at.items, inner))
    return frames[0]
