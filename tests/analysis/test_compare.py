"""Two programs merged to one, against files that a person can read: `pytest --update-golden`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import pytest
from compared_programs import PAIRS, captured
from records import loose_ends

import jaxviz
from jaxviz import schema
from jaxviz.analysis.compare import compare_programs
from jaxviz.display import decode, encode

GOLDEN = Path(__file__).parents[1] / "golden" / "compared"


@pytest.mark.parametrize("name", PAIRS)
def test_golden(name: str, update_golden: bool) -> None:
    found = compare_programs(*captured(name))
    path = GOLDEN / f"{name}.json"
    if update_golden:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")
    assert loose_ends(found.stages[0]) == []
    assert decode(encode(found)) == found
    golden = msgspec.json.decode(path.read_bytes(), type=schema.Program)
    if golden.jax == jax.__version__:
        assert found == golden


def comparison(name: str) -> jaxviz.Comparison:
    before, after = (jaxviz.inspect(function)(*args) for function, args in PAIRS[name])
    return jaxviz.compare(before, after)


def test_what_is_reported_of_a_shape_that_changed() -> None:
    assert str(jaxviz.load(GOLDEN / "shape.json")) == (
        "step → step: 2 changed, 21 of other types, 9 the same\n"
        "  ~ x: f32[8,4] → f32[5,4]\n"
        "  ~ y: f32[8,4] → f32[5,4]\n"
        "\n"
        "  ~ div × 2  32.0 → 20.0\n"
        "  : f32[8,4] → f32[5,4]  19 eqns: broadcast_in_dim 5 · dot_general 3 · 7 more\n"
        "  : bool[8,4] → bool[5,4]  2 eqns: gt 2"
    )


def test_a_shape_that_changed_adds_and_removes_nothing() -> None:
    found = comparison("shape")
    assert not found.same
    assert [change.where for change in found.inputs] == ["x", "y"]
    assert {mark.kind for mark in found.marks} == {"changed", "retyped"}


def test_the_user_of_a_removed_eqn_says_that_it_took_its_result() -> None:
    def summed(fun: Callable[[jax.Array], jax.Array]) -> jaxviz.Program:
        def scan(xs: jax.Array) -> Any:
            return jax.lax.scan(lambda total, x: (total + fun(x), None), 0.0, xs)

        return jaxviz.inspect(scan)(jnp.ones(4))

    found = jaxviz.compare(summed(lambda x: jnp.sin(jnp.cos(x))), summed(jnp.sin))
    eqns = [eqn for graph in found.record.stages[0].graphs for eqn in graph.eqns]
    [cos] = [eqn for eqn in eqns if eqn.op == "cos"]
    assert {eqn.op: eqn.was for eqn in eqns if eqn.was} == {"sin": cos.outvars}


def test_equal_programs_say_so() -> None:
    found = comparison("same")
    assert found.same
    assert (found.marks, found.inputs) == ([], [])
    assert str(found) == "renamed → other_names: the same program, 3 eqns"
    assert repr(found) == "<jaxviz.Comparison renamed → other_names: the same program, 3 eqns>"


@pytest.mark.parametrize("name", PAIRS)
def test_what_is_printed_fits_a_screen(name: str) -> None:
    lines = str(comparison(name)).splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100


def test_a_comparison_is_shown_and_saved(tmp_path: Path) -> None:
    found = comparison("upcast")
    bundle = found._repr_mimebundle_()
    assert bundle["text/plain"] == str(found)
    assert {schema.MIME, "text/html"} <= bundle.keys()
    for suffix in ("json", "html", "svg", "dot", "jaxpr"):
        found.save(tmp_path / f"found.{suffix}")
    loaded = jaxviz.load(tmp_path / "found.json")
    assert loaded.record == found.record
    assert str(loaded) == str(found)
    with pytest.raises(ValueError, match="compared by their jaxprs alone"):
        found.save(tmp_path / "found.hlo")


def test_what_cannot_be_compared_is_one_sentence() -> None:
    program = jaxviz.inspect(jnp.sin)(1.0)
    with pytest.raises(TypeError, match=r"^after must be a jaxviz\.Program, .* PjitFunction\.$"):
        jaxviz.compare(program, jnp.cos)  # pyright: ignore[reportArgumentType]
    both = jaxviz.Program(jaxviz.compare(program, program).record)
    with pytest.raises(ValueError, match=r"^before is a comparison already"):
        jaxviz.compare(both, program)
