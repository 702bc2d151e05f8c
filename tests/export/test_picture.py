"""The static picture of a program."""

from __future__ import annotations

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import msgspec
import pytest
from golden_jax import Golden
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from samples import ANY_TEXT, HOSTILE, PROGRAMS, eqn, graph, load, program
from svg import SVG, check, texts

import jaxviz
from jaxviz import schema
from jaxviz.picture.draw import picture
from jaxviz.schema import Opening
from jaxviz.schema.opening import chosen

HERE = Path(__file__).parents[1]
STAGES = (("mlp", "stablehlo"), ("mlp", "hlo"), ("scan_products", "hlo"))
DRAWN = ("lesson", "cond_two", "scan_with_cond", "hostile")


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_program_has_a_picture(path: Path) -> None:
    record = load(path)
    shown = texts(check(picture(record)))[0]
    assert shown.startswith(record.name) or not record.name.isprintable()
    assert picture(record) == picture(record)


@pytest.mark.parametrize("name", DRAWN)
def test_golden(name: str, golden: Golden) -> None:
    drawn = picture(load(HERE / "golden" / f"{name}.json"))
    assert drawn == golden(HERE / "pictures" / f"{name}.svg", drawn)


@pytest.mark.parametrize(("name", "kind"), STAGES)
def test_golden_of_a_later_stage(name: str, kind: str, golden: Golden) -> None:
    drawn = picture(load(HERE / "golden" / "stages" / f"{name}.json"), chosen({"stage": kind}))
    check(drawn)
    assert drawn == golden(HERE / "pictures" / f"{name}.{kind}.svg", drawn)


def test_a_stage_that_is_not_there_is_the_jaxpr() -> None:
    record = load(HERE / "golden" / "lesson.json")
    assert picture(record, Opening(stage="hlo")) == picture(record)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_boxes_hold_one_another_or_stand_apart(path: Path) -> None:
    boxes: list[tuple[float, float, float, float]] = []
    for rect in check(picture(load(path))).iter(f"{SVG}rect"):
        x, y, w, h = (float(rect.get(name, "0")) for name in ("x", "y", "width", "height"))
        if rect.get("class") != "g":
            boxes.append((x, y, x + w, y + h))
    for i, (x0, y0, x1, y1) in enumerate(boxes):
        for a0, b0, a1, b1 in boxes[:i]:
            apart = x0 >= a1 or a0 >= x1 or y0 >= b1 or b0 >= y1
            within = a0 <= x0 and x1 <= a1 and b0 <= y0 and y1 <= b1
            holds = x0 <= a0 and a1 <= x1 and y0 <= b0 and b1 <= y1
            assert apart or within or holds


def test_inputs_types_and_branches_are_named() -> None:
    shown = texts(check(picture(load(HERE / "golden" / "cond_two.json"))))
    assert {"flag", "x", "result", "f32[3]", "bool[]"} <= set(shown)
    assert {"if true", "if false", "picks the branch"} <= set(shown)


def test_five_thousand_eqns_of_hostile_names() -> None:
    n = 5_000
    eqns = [eqn(HOSTILE, [max(0, i - 7), i], [i + 1]) for i in range(n)]
    root = check(picture(program(eqns, [f"{HOSTILE}{i}" for i in range(n + 1)], 1)))
    assert {"…", "4,961"} <= set(texts(root))


def test_many_inputs_are_gathered() -> None:
    paths = [f"params['{HOSTILE}'][{i}]" for i in range(40)] + ["x"]
    names = [f"v{i}" for i in range(42)]
    record = program([eqn("sum", list(range(41)), [41])], names, 41, paths=paths)
    shown = texts(check(picture(record)))
    assert {"params", "40", "x"} <= set(shown)


def test_thousands_of_arguments() -> None:
    names = [f"x{i}" for i in range(5_001)]
    check(picture(program([eqn("sum", list(range(5_000)), [5_000])], names, 5_000)))


def test_bodies_a_thousand_levels_deep() -> None:
    bodies = [graph([eqn("jit", [0], [1], [i + 2])], ["a", "b"], 1) for i in range(1_000)]
    bodies.append(graph([eqn("sin", [0], [1])], ["a", "b"], 1))
    shown = texts(
        check(picture(program([eqn("jit", [0], [1], [1])], ["a", "b"], 1, bodies=bodies)))
    )
    assert shown.count("jitaxes=jit") > 5


def test_bodies_shared_two_to_the_hundredth() -> None:
    def twice(body: int) -> schema.Graph:
        eqns = [eqn("jit", [0], [1], [body]), eqn("jit", [1], [2], [body])]
        return graph(eqns, ["a", "b", "c"], 1)

    bodies = [twice(i + 2) for i in range(100)]
    bodies.append(graph([eqn("sin", [0], [1])], ["a", "b"], 1))
    record = program([eqn("jit", [0], [1], [1])], ["a", "b"], 1, bodies=bodies)
    assert "202 eqns" in texts(check(picture(record)))


def test_a_damaged_file_s_body_that_holds_itself_comes_to_an_end() -> None:
    body = graph([eqn("jit", [0], [1], [1])], ["a", "b"], 1)
    check(picture(program([eqn("jit", [0], [1], [1])], ["a", "b"], 1, bodies=[body])))


def test_no_graph_is_refused() -> None:
    record = msgspec.structs.replace(program([], ["x"], 1), stages=[])
    with pytest.raises(ValueError, match="no graph to draw of 'f'"):
        picture(record)


@settings(max_examples=60)
@given(st.lists(ANY_TEXT, min_size=4, max_size=4))
def test_any_name_is_text(names: list[str]) -> None:
    op, one, other, name = names
    eqns = [eqn(op, [0], [1]), eqn(one, [0, 1], [2])]
    check(picture(program(eqns, [one, other, op], 1, name=name)))


def test_a_count_stands_beside_its_label() -> None:
    record = jaxviz.inspect(lambda xs: sum(xs))([jnp.ones(2)] * 1443).record
    [stage] = record.stages
    nameless = replace(stage.graphs[0], args=[""] * 1443)
    drawn = picture(replace(record, stages=[replace(stage, graphs=[nameless])]))
    label = re.search(r'<text x="([\d.]+)" y="[\d.]+">inputs</text>', drawn)
    count = re.search(r'<text class="n c" x="([\d.]+)" y="[\d.]+">1,443</text>', drawn)
    assert label
    assert count
    apart, column = 8, 7.2
    end, start = float(label[1]) + column * len("inputs"), float(count[1]) - column * len("1,443")
    assert end + apart <= start


@pytest.mark.parametrize("layers", [12, 48, 130])
def test_a_row_of_layers_says_how_many_there_are(layers: int) -> None:
    """Also where the picture leaves most of them out."""

    def net(params, x):
        for p in params:
            x = jnp.tanh(x @ p["w"] + p["b"])
        return x.sum()

    params = [{"w": jnp.ones((4, 4)), "b": jnp.ones(4)} for _ in range(layers)]
    shown = picture(jaxviz.inspect(net)(params, jnp.ones((2, 4))).record)
    assert re.findall(r"×\d+", shown) == [f"×{layers}"]


def test_the_scans_in_both_passes_open_where_both_have_room() -> None:
    def cell(w: jax.Array, h: jax.Array, x: jax.Array) -> jax.Array:
        gate = jax.nn.sigmoid(w @ x + h)
        return gate * h + (1 - gate) * jnp.tanh(w @ (gate * h) + x)

    def loss(w: jax.Array, xs: jax.Array) -> jax.Array:
        last, _ = jax.lax.scan(lambda h, x: (cell(w, h, x), None), xs[0], xs)
        return jnp.sum(last**2)

    record = jaxviz.inspect(jax.value_and_grad(loss))(jnp.ones((4, 4)), jnp.ones((9, 4))).record
    shown = texts(check(picture(record)))
    assert shown.count("next iteration") == 2
    assert "cell" in [text.partition(" ")[0] for text in shown]
