"""The static picture of two programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from golden_jax import Golden
from msgspec.structs import replace
from samples import HOSTILE, eqn, graph, load, program
from svg import check, texts

from jaxviz import schema
from jaxviz.picture.draw import picture
from jaxviz.schema import Compared, Mark

HERE = Path(__file__).parents[1]
GOLDEN = sorted((HERE / "golden" / "compared").glob("*.json"))
DRAWN = ("replaced", "scan", "same")
KINDS = ("added", "removed", "changed", "retyped")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_comparison_has_a_picture(path: Path) -> None:
    record = load(path)
    shown = texts(check(picture(record)))
    assert record.compared
    before, after = record.compared.before, record.compared.after
    assert shown[1] == ("before → after" if before == after else f"{before} → {after}")
    assert picture(record) == picture(record)


@pytest.mark.parametrize("name", DRAWN)
def test_golden(name: str, golden: Golden) -> None:
    drawn = picture(load(HERE / "golden" / "compared" / f"{name}.json"))
    assert drawn == golden(HERE / "pictures" / f"compared_{name}.svg", drawn)


def of_two(record: schema.Program, marks: list[Mark]) -> schema.Program:
    compared = Compared(before="trace 12", after="trace 17", inputs=[], marks=marks, unknown=[])
    return replace(record, compared=compared)


def mark(number: int, kind: str) -> Mark:
    return Mark(eqn=number, kind=kind, before="", after="")


def test_what_differs_has_a_sign_and_a_colour() -> None:
    eqns = [eqn("sin", [i], [i + 1]) for i in range(5)]
    marks = [mark(number, kind) for number, kind in enumerate(KINDS)]
    record = of_two(program(eqns, [f"x{i}" for i in range(6)], 1), marks)
    drawn = picture(record)
    shown = texts(check(drawn))
    counts = ["1 added", "1 removed", "1 changed", "1 type changed"]
    assert [text for text in shown if text in counts] == counts
    assert shown.count("+") == shown.count("−") == shown.count("~") == 2
    assert re.findall(r'rect class="(\w+)"', drawn)[1:] == [
        "pill",
        "added",
        "removed",
        "changed",
        "retyped",
        "same",
        "pill",
    ]


def test_a_closed_box_says_what_it_holds() -> None:
    eqns = [eqn("scan", [i], [i + 1], [1]) for i in range(40)]
    body = graph([eqn("sin", [i], [i + 1]) for i in range(100)], [f"v{i}" for i in range(101)], 1)
    marks = [mark(40, "added"), mark(41, "removed"), mark(50, "retyped")]
    names = [f"x{i}" for i in range(41)]
    shown = texts(check(picture(of_two(program(eqns, names, 1, bodies=[body]), marks))))
    assert {"+1", "−1"} <= set(shown)
    assert "1 type changed" in shown


def test_a_removed_body_is_removed_as_a_whole() -> None:
    body = graph([eqn("sin", [0], [1])], ["a", "b"], 1)
    eqns = [eqn("jit", [0], [1], [1]), eqn("cos", [1], [2])]
    record = program(eqns, ["x", "y", "z"], 1, bodies=[body])
    drawn = picture(of_two(record, [mark(0, "removed"), mark(2, "removed")]))
    assert 'rect class="removed o"' in drawn or 'rect class="removed"' in drawn
    assert 'rect class="changed' not in drawn


def test_programs_that_are_the_same_say_so() -> None:
    record = of_two(program([eqn("sin", [0], [1])], ["x", "y"], 1), [])
    assert "Both programs are the same: 1 eqn" in texts(check(picture(record)))


def test_hostile_names_of_two_programs() -> None:
    record = program([eqn("sin", [0], [1])], ["x", "y"], 1)
    compared = Compared(
        before=HOSTILE, after=HOSTILE * 20, inputs=[], marks=[mark(0, HOSTILE)], unknown=[HOSTILE]
    )
    check(picture(replace(record, compared=compared)))
