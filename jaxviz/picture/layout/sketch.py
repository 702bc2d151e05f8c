"""Each item's texts and size, before it has a place. As `js/src/layout/sketch.ts`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from jaxviz import schema
from jaxviz.picture.layout.caption import Caption, caption_of, size_of, types_of
from jaxviz.picture.layout.mentions import mention_text, mentions_of
from jaxviz.picture.layout.wires import Wiring
from jaxviz.picture.model.outline import Item, Outline


@dataclass(frozen=True)
class Sketch:
    captions: list[Caption]
    width: list[float]
    height: list[float]
    types: list[str]


def sketch_of(
    outline: Outline,
    graph: schema.Graph,
    items: Sequence[Item],
    opened: Sequence[tuple[float, float] | None],
    wiring: Wiring,
    cut: Sequence[int],
) -> Sketch:
    """What an item says changes with the wires that are cut: an output names where its value is
    made. `opened` are the sizes of open items."""
    captions = [caption_of(outline, graph, item) for item in items]
    for at, indices in mentions_of(items, wiring, cut, "output").items():
        note = mention_text(outline, graph, wiring, indices)
        captions[at] = replace(captions[at], note=note)
    sizes = [
        size or size_of(item, caption)
        for item, caption, size in zip(items, captions, opened, strict=True)
    ]
    leaving: list[dict[int, None]] = [{} for _ in items]
    for wire in wiring.wires:
        if wire.source.item >= 0:
            leaving[wire.source.item].update(dict.fromkeys(wire.vars))
    return Sketch(
        captions,
        [width for width, _ in sizes],
        [height for _, height in sizes],
        [
            "" if size or item.kind == "gathered" else types_of(outline.stage, graph, list(made))
            for item, size, made in zip(items, opened, leaving, strict=True)
        ],
    )
