"""Properties of the static picture of any program."""

from __future__ import annotations

import math
import re
from copy import deepcopy

from arbitrary import dags, later, steps
from hypothesis import given, settings
from hypothesis import strategies as st
from svg import SVG, check, texts

from jaxviz import schema
from jaxviz.picture.draw import picture

SLACK = 0.2
"""Lengths are written to a tenth of a px."""
MOST_BINDERS = 8
"""More inputs of a graph than this are gathered."""
RUNS = settings(max_examples=25, deadline=None)
PROGRAMS = st.one_of(dags(), steps(), later())

Box = tuple[float, float, float, float]
"""Left, top, right and bottom."""


def boxes(drawn: str) -> list[Box]:
    """Boxes without their shadows, and without the ground that all stand on."""
    found: list[Box] = []
    for rect in check(drawn).iter(f"{SVG}rect"):
        if rect.get("class") in ("o", "g"):
            continue
        x, y, w, h = (float(rect.get(name, "0")) for name in ("x", "y", "width", "height"))
        found.append((x, y, x + w, y + h))
    shadows = {tuple(round(side + 3, 1) for side in box) for box in found}
    return [box for box in found if tuple(round(side, 1) for side in box) not in shadows]


@RUNS
@given(PROGRAMS)
def test_boxes_hold_one_another_or_stand_apart(record: schema.Program) -> None:
    drawn = boxes(picture(record))
    for i, (x0, y0, x1, y1) in enumerate(drawn):
        for a0, b0, a1, b1 in drawn[:i]:
            beside = x0 >= a1 - SLACK or a0 >= x1 - SLACK
            below = y0 >= b1 - SLACK or b0 >= y1 - SLACK
            within = a0 <= x0 and x1 <= a1 and b0 <= y0 and y1 <= b1
            assert beside or below or within


@RUNS
@given(PROGRAMS)
def test_all_of_it_lies_in_the_picture(record: schema.Program) -> None:
    drawn = picture(record)
    root = check(drawn)
    _, _, width, height = (float(part) for part in root.get("viewBox", "").split())
    for x0, y0, x1, y1 in boxes(drawn):
        assert min(x0, y0) >= 0
        assert x1 <= width
        assert y1 <= height
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", "")) <= width
        assert 0 <= float(text.get("y", "")) <= height
    for path in root.iter(f"{SVG}path"):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", path.get("d", ""))]
        assert all(map(math.isfinite, numbers))
        assert max(numbers, default=0) <= max(width, height)


@RUNS
@given(PROGRAMS)
def test_the_same_program_has_the_same_picture(record: schema.Program) -> None:
    assert picture(record) == picture(deepcopy(record))


@RUNS
@given(dags())
def test_inputs_and_results_are_named(record: schema.Program) -> None:
    paths = record.stages[0].graphs[0].args
    shown = " ".join(texts(check(picture(record))))
    assert "result" in shown
    if len(paths) <= MOST_BINDERS and " more" not in shown:  # those of one pytree may be one box
        assert all(path in shown or path.partition("[")[0] in shown for path in paths)


@RUNS
@given(steps())
def test_a_training_step_shows_its_passes(record: schema.Program) -> None:
    shown = texts(check(picture(record)))
    for name in ("forward", "backward", "optimizer"):
        assert any(text.startswith(name) for text in shown)
