"""The layout of one region. Its golden placements are read by the TypeScript tests too.

A golden may give the shape to fit.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxviz.picture.layout.region import OPTIONS, Pin, Placement, Region, Shape, layout_region

SLACK = 1 / 16
"""Lengths are whole 64ths of a px."""

LAYOUTS = sorted((Path(__file__).parent / "layouts").glob("*.json"))


def read(record: dict[str, Any]) -> Region:
    """A region from its JSON, where null stands for NaN."""
    names = {"sourceX": "source_x", "targetX": "target_x"}
    region = {names.get(key, key): value for key, value in record.items()}
    if "target_x" in region:
        region["target_x"] = [math.nan if x is None else x for x in region["target_x"]]
    return Region(**region)


def written(placement: Placement) -> dict[str, Any]:
    def short(numbers: list[float]) -> list[float]:
        return [round(number, 6) for number in numbers]

    return {
        "x": short(placement.x),
        "y": short(placement.y),
        "rank": placement.rank,
        "width": round(placement.width, 6),
        "height": round(placement.height, 6),
        "points": [short([c for point in line for c in point]) for line in placement.points],
        "cut": placement.cut,
    }


def as_text(golden: dict[str, Any]) -> str:
    """JSON with one line for each list."""
    region, placement = (
        ",\n".join(f'    "{key}": {json.dumps(value)}' for key, value in golden[part].items())
        for part in ("region", "placement")
    )
    about = json.dumps(golden["about"])
    shape = f'  "shape": {json.dumps(golden["shape"])},\n' if "shape" in golden else ""
    return (
        f'{{\n  "about": {about},\n{shape}  "region": {{\n{region}\n  }},\n'
        f'  "placement": {{\n{placement}\n  }}\n}}\n'
    )


@pytest.mark.parametrize("path", LAYOUTS, ids=lambda path: path.stem)
def test_golden(path: Path, update_golden: bool) -> None:
    golden = json.loads(path.read_text())
    shape = Shape(**golden["shape"]) if "shape" in golden else None
    placement = written(layout_region(read(golden["region"]), replace(OPTIONS, shape=shape)))
    if update_golden:
        path.write_text(as_text({**golden, "placement": placement}))
        return
    expected = golden["placement"]
    assert placement["rank"] == expected["rank"]
    assert placement["cut"] == expected["cut"]
    for key in ("x", "y", "width", "height"):
        assert placement[key] == pytest.approx(expected[key], abs=1e-5)
    for line, other in zip(placement["points"], expected["points"], strict=True):
        assert line == pytest.approx(other, abs=1e-5)


@st.composite
def regions(draw: st.DrawFn) -> Region:
    n = draw(st.integers(0, 30))
    size = st.integers(0, 200)
    pair = st.tuples(st.integers(0, max(0, n - 1)), st.integers(0, max(0, n - 1)))
    drawn = draw(st.lists(pair, max_size=60))
    edges = sorted({(min(edge), max(edge)) for edge in drawn if edge[0] != edge[1]})
    sources = {a for a, _ in edges}
    sinks = {b for _, b in edges}
    pins = draw(st.lists(st.sampled_from(Pin), min_size=n, max_size=n))
    for v, pin in enumerate(pins):
        if (pin == Pin.FIRST and v in sinks) or (pin in (Pin.LAST, Pin.LOW) and v in sources):
            pins[v] = Pin.FREE
    width = draw(st.lists(size, min_size=n, max_size=n))
    return Region(
        width=[float(w) for w in width],
        height=[float(h) for h in draw(st.lists(size, min_size=n, max_size=n))],
        source=[a for a, _ in edges],
        target=[b for _, b in edges],
        source_x=draw(st.sampled_from([None, [width[a] / 4 for a, _ in edges]])),
        target_x=draw(st.sampled_from([None, [math.nan if a % 2 else 0 for a, _ in edges]])),
        reach=draw(st.sampled_from([None, [60.0] * n])),
        pin=[int(pin) for pin in pins],
    )


@given(regions())
def test_boxes_stand_apart_inside_the_picture(region: Region) -> None:
    placement = layout_region(region)
    boxes = list(zip(placement.x, placement.y, region.width, region.height, strict=True))
    for x, y, w, h in boxes:
        assert x - w / 2 >= -SLACK
        assert x + w / 2 <= placement.width + SLACK
        assert y - h / 2 >= -SLACK
        assert y + h / 2 <= placement.height + SLACK
    for i, (x, y, w, h) in enumerate(boxes):
        for other_x, other_y, other_w, other_h in boxes[:i]:
            aside = abs(x - other_x) >= (w + other_w) / 2 + OPTIONS.gap_x - SLACK
            gap = OPTIONS.gap_y / (1 if min(h, other_h) > 0 else 2)
            above = abs(y - other_y) >= (h + other_h) / 2 + gap - SLACK
            assert aside or above


@given(regions())
def test_ranks_follow_the_data(region: Region) -> None:
    rank = layout_region(region).rank
    for u, v in zip(region.source, region.target, strict=True):
        assert rank[u] < rank[v]


@given(regions())
def test_edges_lead_from_border_to_border_and_pass_no_box(region: Region) -> None:
    placement = layout_region(region)
    for e, line in enumerate(placement.points):
        u, v = region.source[e], region.target[e]
        assert line[0][1] == placement.y[u] + region.height[u] / 2
        assert line[-1][1] == placement.y[v] - region.height[v] / 2
        assert abs(line[-1][0] - placement.x[v]) <= region.width[v] / 2 + SLACK
        assert placement.cut[e] == (placement.rank[v] - placement.rank[u] > OPTIONS.cut)
        if placement.cut[e]:
            assert len(line) == 2
            continue
        for (x0, y0), (x1, y1) in pairwise(line):
            assert y0 <= y1
            assert min(x0, x1) >= -SLACK
            assert max(x0, x1) <= placement.width + SLACK
            for b in range(len(region.width)):
                aside = placement.x[b] - min(x0, x1), max(x0, x1) - placement.x[b]
                beside = min(aside) <= -region.width[b] / 2 + SLACK
                upper = placement.y[b] - region.height[b] / 2
                lower = placement.y[b] + region.height[b] / 2
                assert beside or y1 <= upper + SLACK or y0 >= lower - SLACK


@st.composite
def chains(draw: st.DrawFn) -> Region:
    """Regions of many rows, which fold into columns."""
    n = draw(st.integers(10, 50))
    skips = draw(st.lists(st.tuples(st.integers(0, n), st.integers(1, 7)), max_size=2 * n))
    steps = {(v, v + 1) for v in range(n - 1)}
    edges = sorted(steps | {(v, v + by) for v, by in skips if v + by < n})
    return Region(
        width=draw(st.lists(st.floats(0, 200), min_size=n, max_size=n)),
        height=draw(st.lists(st.floats(0, 60), min_size=n, max_size=n)),
        source=[a for a, _ in edges],
        target=[b for _, b in edges],
        reach=draw(st.sampled_from([None, [60.0] * n])),
    )


SHAPES = st.builds(Shape, aspect=st.sampled_from([0.3, 1.0, 3.0]), tall=st.sampled_from([0, 200]))


@given(chains() | regions(), SHAPES)
def test_columns_stand_apart_and_no_edge_passes_a_box(region: Region, shape: Shape) -> None:
    placement = layout_region(region, replace(OPTIONS, shape=shape))
    boxes = list(zip(placement.x, placement.y, region.width, region.height, strict=True))
    for i, (x, y, w, h) in enumerate(boxes):
        assert x + w / 2 <= placement.width + SLACK
        assert y + h / 2 <= placement.height + SLACK
        for other_x, other_y, other_w, other_h in boxes[:i]:
            aside = abs(x - other_x) >= (w + other_w) / 2 + OPTIONS.gap_x - SLACK
            above = abs(y - other_y) >= (h + other_h) / 2 - SLACK
            assert aside or above
    for line, cut in zip(placement.points, placement.cut, strict=True):
        for (x0, y0), (x1, y1) in pairwise(() if cut else line):
            for x, y, w, h in boxes:
                beside = max(x0, x1) <= x - w / 2 + SLACK or min(x0, x1) >= x + w / 2 - SLACK
                below = max(y0, y1) <= y - h / 2 + SLACK or min(y0, y1) >= y + h / 2 - SLACK
                assert beside or below


@given(regions())
def test_the_same_region_gives_the_same_picture(region: Region) -> None:
    assert layout_region(region) == layout_region(region)


def test_a_deep_region_needs_no_stack() -> None:
    n = 20_000
    chain = Region([40.0] * n, [20.0] * n, list(range(n - 1)), list(range(1, n)))
    placement = layout_region(chain)
    assert placement.rank == list(range(n))
    assert set(placement.x) == {20.0}


def test_an_edge_upwards_is_refused() -> None:
    with pytest.raises(ValueError, match="Edge 0 leads from box 1 to box 0"):
        layout_region(Region([1.0, 1.0], [1.0, 1.0], [1], [0]))
