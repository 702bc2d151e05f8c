"""The author of a program chooses how it opens, and every form of it keeps the choice."""

from __future__ import annotations

import inspect
import json
import re
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import pytest
from memories_asked import AMOUNTS, GIB, NO_AMOUNTS

import jaxviz
from jaxviz import schema
from jaxviz.magics.magic import JaxvizMagics
from jaxviz.schema.opening import OPTIONS

CHOSEN = {"stage": "stablehlo", "depth": 0, "boxes": 30, "colours": "dtype", "memory": 16}


@pytest.fixture(scope="module")
def program() -> jaxviz.Program:
    return jaxviz.inspect(lambda x: jax.lax.scan(lambda c, y: (c + y, c), x[0], x))(jnp.ones(3))


def test_what_is_chosen_is_in_the_output_and_its_picture(program: jaxviz.Program) -> None:
    bundle = program.opened(**CHOSEN)._repr_mimebundle_()
    assert bundle[schema.MIME]["opening"] == CHOSEN
    assert in_class(bundle["text/html"]) == CHOSEN
    plain = program._repr_mimebundle_()
    assert plain[schema.MIME]["opening"] == in_class(plain["text/html"]) == {}


def in_class(text: str) -> Any:
    """The opening that a page with our script reads from the picture."""
    letters = text.partition("jaxviz-opening-")[2].partition('"')[0].partition(" ")[0]
    return json.loads(urlsafe_b64decode(letters + "=" * (-len(letters) % 4)))


def test_the_widget_has_it_too(program: jaxviz.Program) -> None:
    widget = program.opened(depth=2)._display_()
    assert widget.opening == {"depth": 2}
    widget.close()


def test_it_is_the_same_program_in_another_view(program: jaxviz.Program) -> None:
    deep = program.opened(depth=1)
    assert deep == program
    assert hash(deep) == hash(program)
    assert deep.record is program.record
    assert program.opening == schema.UNCHOSEN
    assert deep.opened().opening == schema.UNCHOSEN


def test_the_stage_is_made_and_saved(program: jaxviz.Program, tmp_path: Path) -> None:
    later = jaxviz.inspect(lambda x: jnp.sin(x) * 2)(jnp.ones(3)).opened(stage="stablehlo")
    later.save(tmp_path / "p.svg")
    assert "stablehlo" in (tmp_path / "p.svg").read_text().lower()
    assert [stage.kind for stage in later.record.stages] == ["jaxpr", "stablehlo"]


def test_a_saved_page_opens_so(program: jaxviz.Program, tmp_path: Path) -> None:
    program.opened(depth=1, colours="dtype").save(tmp_path / "p.html")
    [said] = re.findall(r'data-opening="([^"]*)"', (tmp_path / "p.html").read_text())
    assert json.loads(said.replace("&quot;", '"')) == {"depth": 1, "colours": "dtype"}


def test_a_comparison_opens_as_its_author_says() -> None:
    before, after = (jaxviz.inspect(f)(1.0) for f in (jnp.sin, jnp.cos))
    compared = jaxviz.compare(before, after).opened(colours="dtype")
    assert isinstance(compared, jaxviz.Comparison)
    assert compared._repr_mimebundle_()[schema.MIME]["opening"] == {"colours": "dtype"}


def test_a_stage_that_cannot_be_made_is_for_the_page_to_say(
    program: jaxviz.Program, tmp_path: Path
) -> None:
    program.save(tmp_path / "p.json")
    loaded = jaxviz.load(tmp_path / "p.json").opened(stage="hlo")
    assert loaded._repr_mimebundle_()[schema.MIME]["opening"] == {"stage": "hlo"}
    with pytest.raises(ValueError, match="the stage 'hlo' can not be made"):
        loaded.save(tmp_path / "p.svg")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"stage": "ast"}, "stage takes jaxpr, stablehlo or hlo, not 'ast': write stage='hlo'."),
        ({"depth": -1}, "depth takes a whole number of at least 0, not -1: write depth=1."),
        ({"depth": True}, "depth takes a whole number of at least 0, not True: write depth=1."),
        ({"depth": 1.5}, "depth takes a whole number of at least 0, not 1.5: write depth=1."),
        ({"boxes": 0}, "boxes takes a whole number of at least 1, not 0: write boxes=40."),
    ],
)
def test_what_there_is_not(program: jaxviz.Program, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        program.opened(**given)


def test_every_member_is_an_argument_of_opened_and_an_option_of_the_magic() -> None:
    names = [field.name for field in msgspec.structs.fields(schema.Opening)]
    assert [*OPTIONS] == names
    assert [*inspect.signature(jaxviz.Program.opened).parameters] == ["self", *names]
    help_text = JaxvizMagics.jaxviz.__doc__ or ""
    assert all(f"--{name}" in help_text for name in names)


def test_whether_it_fits_into_a_memory() -> None:
    def ordered(x: jax.Array) -> jax.Array:
        y = jnp.sort(x)
        return y @ y.T

    program = jaxviz.inspect(ordered)(jax.ShapeDtypeStruct((16384, 8192), jnp.float32))
    assert "is known once XLA has compiled it: the stage hlo." in str(program.opened(memory=1))
    program.stage("hlo")
    [small, large] = (" ".join(str(program.opened(memory=of)).split()) for of in (1, 3))
    parts = "arguments 512.0 MiB, outputs 1.0 GiB, temporaries 512.0 MiB"
    sets = f"XLA sets 2.0 GiB aside on each device ({parts})"
    assert f"Does not fit into 1.0 GiB: {sets}, which is 1.0 GiB too much." in small
    assert f"Fits into 3.0 GiB: {sets}, and 1.0 GiB are left." in large
    largest = "The largest value between inputs and results is f32[16384,8192], 512.0 MiB"
    assert f"{largest}, made by " in small
    assert "(y = jnp.sort(x)). This is XLA's estimate, by the compiler that made this HLO" in small


@pytest.mark.parametrize("given", AMOUNTS)
def test_an_amount_of_memory(program: jaxviz.Program, given: float | str) -> None:
    memory = program.opened(memory=given).opening.memory
    assert memory is not None
    assert round(memory * GIB) == AMOUNTS[given]


@pytest.mark.parametrize("given", NO_AMOUNTS)
def test_what_is_no_amount_of_memory(program: jaxviz.Program, given: Any) -> None:
    said = "memory takes a number of GiB above 0 (16, 0.6) or an amount with its unit (600MiB), not"
    with pytest.raises(ValueError, match=f"^{re.escape(said)} .*: write memory=16.$"):
        program.opened(memory=given)


def test_a_fraction_is_reported_as_it_is() -> None:
    program = jaxviz.inspect(jnp.sin)(jax.ShapeDtypeStruct((1 << 20,), jnp.float32))
    program.stage("hlo")
    texts = (" ".join(str(program.opened(memory=of)).split()) for of in (0.6, "4MiB"))
    assert "Fits into 614.4 MiB: XLA sets 8.0 MiB aside" in next(texts)
    assert "Does not fit into 4.0 MiB: XLA sets 8.0 MiB aside" in next(texts)
