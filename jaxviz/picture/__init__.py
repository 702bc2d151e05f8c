"""The static picture of a program: for saved notebooks, where no script runs."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.picture.items import Outline
from jaxviz.picture.measure import head, one_line
from jaxviz.picture.pytree import argument
from jaxviz.picture.scene import layout_scene, open_within, root_of
from jaxviz.picture.svg import svg

BUDGETS = (60, 50, 40, 28, 16, 6)
"""Boxes to show, the most that makes a legible picture."""
WIDEST, TALLEST = 1300, 2800
"""Px before a picture is made smaller; past these, fewer boxes are shown."""
LARGEST = 40_000
"""Bytes."""
NAME, SIGNATURE = 40, 64
"""Columns of the header's texts."""


def picture(record: schema.Program) -> str:
    """An SVG of the program's first stage: at most 1000 px wide and 40 kB, on a ground of its own.

    What is open is chosen to fit a budget of boxes. Raises ValueError where the program has no
    graph to draw.
    """
    stage = next((stage for stage in record.stages if stage.graphs), None)
    if stage is None:
        raise ValueError(f"there is no graph to draw of {record.name!r}.")
    name = head(one_line(record.name), NAME)
    drawn = ""
    for budget in BUDGETS:
        outline = Outline(stage, budget)
        graph = root_of(outline)
        frame = layout_scene(outline, open_within(outline, graph, budget))
        total = outline.totals[0]
        count = f"{total:,} eqns" if total != 1 else "1 eqn"
        drawn = svg(frame, name, head(signature(record), SIGNATURE), count)
        if frame.w <= WIDEST and frame.h <= TALLEST and len(drawn.encode()) <= LARGEST:
            break
    return drawn


def signature(record: schema.Program) -> str:
    """`(params, x) → f32[]`: the arguments by name, the results by type."""
    names = dict.fromkeys(one_line(argument(leaf.path)) for leaf in record.args)
    types = [one_line(leaf.aval.text) for leaf in record.results]
    results = ", ".join(types[:3]) + (f", … {len(types) - 3:,} more" if len(types) > 3 else "")
    return f"({', '.join(names)}) → {results or '()'}"
