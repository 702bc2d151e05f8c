"""A mutated file is refused in one sentence, or it is a program that can be drawn and saved.

Each mutation is made from a number (`mutated_files`), so a failing one can be made again.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import jax
import jax.numpy as jnp
import pytest
from golden_jax import part
from mutated_files import SENTENCE, mutated, mutated_text

import jaxviz
from jaxviz import schema
from jaxviz.export import FORMS
from jaxviz.load import NotLoadedError

IN_A_RUN = 25
TEXTS_OF = {".jaxpr": "jaxpr", ".mlir": "stablehlo", ".hlo": "hlo"}


def loaded(data: bytes, file: Path) -> jaxviz.Program | str:
    """The program of a file with these bytes, or why it is refused."""
    file.write_bytes(data)
    try:
        return jaxviz.load(file)
    except NotLoadedError as error:
        return str(error)


def used(data: bytes, file: Path) -> bool:
    """True if a file with these bytes loads. Then it is drawn, and saved in every format."""
    program = loaded(data, file)
    if isinstance(program, str):
        assert SENTENCE.fullmatch(program)
        return False
    assert str(program)
    assert schema.MIME in program._repr_mimebundle_()
    for suffix in FORMS:
        saved = file.with_name(f"saved{suffix}")
        if not has(program, suffix):
            with pytest.raises(ValueError, match=r"there is no |can not be made: "):
                program.save(saved)
            continue
        program.save(saved)
        assert saved.stat().st_size > 0
    if has(program, ".svg"):
        ElementTree.parse(file.with_name("saved.svg"))
    assert jaxviz.load(file.with_name("saved.json")) == program
    return True


def has(program: jaxviz.Program, suffix: str) -> bool:
    """True if a program has the stage of this text, or a graph to draw."""
    stages = program.record.stages
    if suffix in TEXTS_OF:
        return any(one.kind == TEXTS_OF[suffix] and one.error is None for one in stages)
    return suffix in (".json", ".html") or any(stage.graphs for stage in stages)


@pytest.mark.parametrize("first", part(range(0, 2_000, IN_A_RUN), of=20))
def test_a_mutated_file_is_refused_or_can_be_drawn_and_saved(first: int, tmp_path: Path) -> None:
    seeds = range(first, first + IN_A_RUN)
    loaded = [used(mutated(seed), tmp_path / "p.json") for seed in seeds]
    assert 0 < sum(loaded) < IN_A_RUN


@cache
def compiled() -> list[str]:
    def f(x: jax.Array) -> jax.Array:
        found, _ = jax.lax.scan(lambda carry, y: (jnp.sin(carry) + y, None), x[0], x)
        return jax.lax.cond(found > 0, jnp.cos, jnp.tanh, found)

    lowered = jax.jit(f).lower(jnp.ones(4))
    return [lowered.as_text(), lowered.compile().as_text() or ""]


@pytest.mark.parametrize("seed", part(range(40), of=10))
def test_a_mutated_file_of_a_compiler_is_refused_or_drawn(seed: int, tmp_path: Path) -> None:
    used(mutated_text(seed, compiled()[seed % 2]), tmp_path / "p.txt")
