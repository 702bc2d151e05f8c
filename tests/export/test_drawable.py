"""The reduced program that is sent to be drawn has the same picture as the whole one."""

from __future__ import annotations

import random
from itertools import pairwise, repeat
from pathlib import Path

import msgspec
import pytest
from arbitrary import Growing, body, dags, later, of, steps
from golden_jax import part
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from samples import group, load

from jaxviz import schema
from jaxviz.picture.draw import drawn, json_of, picture
from jaxviz.picture.drawable import drawable
from jaxviz.schema.opening import PICTURE_ITEMS, SVG_BYTES

HERE = Path(__file__).parents[1]
GOLDEN = [
    path for path in sorted((HERE / "golden").glob("**/*.json")) if path.parent.name != "wire"
]
OPENINGS = [
    schema.UNCHOSEN,
    schema.Opening(stage="stablehlo"),
    schema.Opening(stage="hlo"),
    schema.Opening(depth=0),
    schema.Opening(depth=2),
    schema.Opening(boxes=70),
]
RUNS = settings(max_examples=40, deadline=None)
KINDS = ("scope", "call", "repeat", "section")
ROLES = ("", "", "forward", "backward", "optimizer")
OPS = ("add", "dot_general", "reduce", "sort", "scan")


def of_whole(record: schema.Program, opening: schema.Opening) -> str:
    svg = ""
    for most in PICTURE_ITEMS:
        svg = drawn("picture", json_of(record), msgspec.json.encode(opening).decode(), most)
        if len(svg.encode()) <= SVG_BYTES:
            break
    return svg


def nested_program(seed: int) -> schema.Program:
    """A larger program: graphs that hold one another, with groups of all kinds in one another."""
    rng = random.Random(seed)
    graphs: list[schema.Graph] = []
    count = rng.choice((1, 1, 2, 4))
    for index in reversed(range(count)):
        known = dict(zip(range(index + 1, count), graphs, strict=True))
        graphs.insert(0, nest(rng, known))
    return of(graphs)


def nest(rng: random.Random, known: dict[int, schema.Graph]) -> schema.Graph:
    growing = Growing([f"params['w{at}']" for at in range(rng.choice((1, 3, 12)))])
    most, share = rng.choice(((4, 0.1), (60, 0.3), (400, 0.05)))
    for _ in range(rng.randint(0, most)):
        near = max(0, growing.values - rng.choice((2, 10, 400)))
        operands = [rng.randint(near, growing.values - 1) for _ in range(rng.randint(0, 3))]
        held = [at for at in known if rng.random() < share]
        bodies = [body(label, known[at], at) for label, at in enumerate(held)]
        growing.eqn(rng.choice(OPS), operands, bodies)
    graph = growing.grown()
    return replace(graph, groups=groups(rng, len(graph.eqns), rng.choice((1, 2, 5, 20))))


def groups(rng: random.Random, eqns: int, many: int) -> list[schema.Group]:
    """Nested runs, each cut into at most `many` parts."""
    found: list[schema.Group] = []
    waiting: list[tuple[int | None, int, int]] = [(None, 0, eqns)]
    while waiting and len(found) < 200:
        parent, start, stop = waiting.pop(rng.randrange(len(waiting)))
        cuts = (rng.randint(start, stop) for _ in range(rng.randint(0, many)))
        for low, high in pairwise(sorted({start, stop, *cuts})):
            if rng.random() < 0.3:
                continue
            role = rng.choice(ROLES) if parent is None else found[parent].role
            found.append(random_group(rng, found, parent, role, low, high))
            if (low, high) != (start, stop) or rng.random() < 0.5:
                waiting.append((len(found) - 1, low, high))
    return found


def random_group(
    rng: random.Random,
    before: list[schema.Group],
    parent: int | None,
    role: str,
    start: int,
    stop: int,
) -> schema.Group:
    forward = [at for at, one in enumerate(before) if one.role == "forward"]
    twinned = role == "backward" and forward and rng.random() < 0.5
    return group(
        f"g{len(before)}",
        start,
        stop,
        kind=rng.choice(KINDS),
        role=role,
        parent=parent,
        twin=rng.choice(forward) if twinned else None,
        alike=rng.choice((-1, -1, 0, 1)),
    )


NESTS = st.integers(0, 10**9).map(nested_program)


@RUNS
@given(st.one_of(NESTS, dags(), steps(), later()), st.sampled_from(OPENINGS))
def test_the_picture_is_that_of_the_whole_program(
    record: schema.Program, opening: schema.Opening
) -> None:
    assert picture(record, opening) == of_whole(record, opening)


@pytest.mark.parametrize("seed", [29, 36, 56, 263, 279, 345, 373])
def test_the_picture_is_that_of_the_whole_nested_program(seed: int) -> None:
    """Several operations make what leaves a closed group, bodies stand beside one another that stay
    closed, and a row is within what opens with its twin."""
    record = nested_program(seed)
    assert picture(record) == of_whole(record, schema.UNCHOSEN)


@RUNS
@given(NESTS)
def test_what_is_known_of_an_eqn_stays_with_it(record: schema.Program) -> None:
    """Also after a graph that the page gets as counts, and fills with as many eqns."""
    stage = record.stages[0]
    ops = [eqn.op for graph in stage.graphs for eqn in graph.eqns]
    strays = [
        schema.Outlier(eqn=eqn, layer=op, siblings=0, shared=False) for eqn, op in enumerate(ops)
    ]
    record = replace(record, stages=[replace(stage, strays=strays)])
    shown = drawable(record, schema.UNCHOSEN, 40).stages[0]
    drawn_ops: list[str] = []
    for graph in shown.graphs:
        for eqn, times in zip(graph.eqns, getattr(graph, "times", repeat(1)), strict=False):
            drawn_ops += [eqn.op] * times
    assert [drawn_ops[one.eqn] for one in shown.strays] == [one.layer for one in shown.strays]


@pytest.mark.parametrize("path", part(GOLDEN, of=2), ids=lambda path: path.stem)
def test_the_picture_is_that_of_the_whole_golden(path: Path) -> None:
    record = load(path)
    for opening in OPENINGS:
        assert picture(record, opening) == of_whole(record, opening)
