"""Outlines of programs written with Flax, Equinox, Haiku and Optax."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import library_models
import models
import pytest
import transformers
from golden_jax import Golden
from test_groups_programs import GOLDEN, read_well

import jaxviz

PROGRAMS = [*("nnx_step", "linen_step", "equinox_step", "haiku_step", "mlp_adam", "adamw_step")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_real_programs_read_well(name: str, golden: Golden) -> None:
    fun, args = getattr(library_models, name)()
    read_well(name, jaxviz.inspect(fun)(*args).stage("jaxpr"), golden)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("mlp_adam", library_models.mlp_adam),
        ("remat", models.remat_step),
        ("gpt", transformers.small_gpt_step),
    ],
)
def test_steps_are_kept_for_the_layout(
    name: str, call: Callable[[], models.Call], update_golden: bool, tmp_path: Path
) -> None:
    """Whole training steps, which the tests of both layouts read. What JAX has traced before
    keeps the lines of its first caller."""
    jax.clear_caches()
    fun, args = call()
    program = jaxviz.inspect(fun)(*args)
    file = GOLDEN.parent / "steps" / f"{name}.json"
    if update_golden:
        program.save(file)
    here = f"python{sys.version_info.major}.{sys.version_info.minor}"
    kept = tmp_path / file.name
    kept.write_text(re.sub(r"python3\.\d+", here, file.read_text("utf-8")), "utf-8")
    golden = jaxviz.load(kept)
    assert file.stat().st_size <= 470_000
    if golden.record.jax == jax.__version__:
        assert program == golden
