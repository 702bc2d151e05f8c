"""The static picture of a program: for saved notebooks, where no script runs."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.picture.fixed import fixed_text
from jaxviz.picture.layout.measure import head, one_line
from jaxviz.picture.layout.scene import scene_of
from jaxviz.picture.marked import marked
from jaxviz.picture.model.budget import first_view
from jaxviz.picture.model.compared import Differences
from jaxviz.picture.model.outline import Outline
from jaxviz.picture.model.pairs import pair_of
from jaxviz.picture.model.pytree import argument
from jaxviz.picture.shorten import shortened
from jaxviz.picture.svg import svg

MOST_ITEMS = (40, 20, 10)
"""Boxes in one place, fewer where a picture is too large."""
MOST_BOXES = 100
"""Boxes in all: bodies of which each holds but the next are opened no further."""
WIDEST, TALLEST = 1600, 2800
"""Px before a picture is made smaller; past these, less is open."""
LARGEST = 40_000
"""Bytes."""
NAME, SIGNATURE, FIXED = 40, 64, 80
"""Columns of the header's texts."""
OF = {"stablehlo": " of StableHLO", "hlo": " of optimized HLO"}
"""What the eqns of later stages are called, where those of the jaxpr are just eqns."""
ENDLESS = 10**9
"""Eqns of a body that holds another twice, which holds another twice: more need no number."""


def picture(record: schema.Program, kind: str = "jaxpr") -> str:
    """An SVG of one stage of a program: at most 1000 px wide and 40 kB, on a ground of its own.

    Of the stage `kind`, or the first where that is not there. What is open is what the page opens
    at first, less where that is too large. Raises ValueError where the program has no graph to
    draw.
    """
    drawable = [stage for stage in record.stages if stage.graphs]
    if not drawable:
        raise ValueError(f"there is no graph to draw of {record.name!r}: save it as .json.")
    stage = next((stage for stage in drawable if stage.kind == kind), drawable[0])
    name = head(one_line(record.name), NAME)
    fixed = one_line(fixed_text(record))
    about = head(signature(record), SIGNATURE) + (f" · {head(fixed, FIXED)}" if fixed else "")
    drawn = ""
    for most in MOST_ITEMS:
        outline = Outline(shortened(stage, most))
        differs = Differences(record.compared, outline.stage) if record.compared else None
        opened = first_view(outline, most=MOST_BOXES, differences=differs)
        count = eqns(outline.totals[0]) + OF.get(stage.kind, "")
        while True:
            scene = scene_of(outline, set(opened))
            marks = differs and marked(outline, scene, differs, count)
            drawn = svg(scene, name, about, "" if marks else count, marks)
            small = len(drawn.encode()) <= LARGEST
            if small and (not opened or (scene.width <= WIDEST and scene.height <= TALLEST)):
                return drawn
            if not opened:
                break
            opened = _fewer(outline, opened)
    return drawn


def _fewer(outline: Outline, opened: list[str]) -> list[str]:
    """Without what was opened last; a forward and its backward group go together."""
    kept = opened[: -max(1, len(opened) // 8)]
    gone = {id for last in opened[len(kept) :] for id in pair_of(outline, last)}
    return [id for id in kept if id not in gone]


def eqns(total: int) -> str:
    if total > ENDLESS:
        return f"over {ENDLESS:,} eqns"
    return f"{total:,} eqns" if total != 1 else "1 eqn"


def signature(record: schema.Program) -> str:
    """`(params, x) → f32[]`: the arguments by name, the results by type."""
    names = dict.fromkeys(one_line(argument(leaf.path)) for leaf in record.args)
    types = [one_line(leaf.aval.text) for leaf in record.results]
    results = ", ".join(types[:3]) + (f", … {len(types) - 3:,} more" if len(types) > 3 else "")
    return f"({', '.join(names)}) → {results or '()'}"
