"""A program holds no more arrays than it says, and for no longer."""

from __future__ import annotations

import gc
from pathlib import Path
from weakref import ref

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from memory import FACTORIES, RULES, called_back, direct, large, live
from msgspec.structs import replace
from notebook import started

import jaxviz

GONE = (
    r"^The function closed over an array of 20 MiB \(float32\[5242880\]\), which is gone: jaxviz "
    r"keeps only 16 MiB of such arrays. Capture the call again with "
    r"jaxviz.inspect\(f, keep=True\), or keep f alive until you have opened this stage.$"
)


@pytest.mark.parametrize(("make", "mib"), [(direct, 64), *((one, 20) for one in FACTORIES)])
def test_bytes_alive_at_each_step(make, mib):
    start = live()
    f = make(mib)
    assert live() - start == mib
    program = jaxviz.inspect(f)(1.0)
    assert live() - start == mib
    for kind in ("stablehlo", "hlo"):
        stage = program.stage(kind)
        assert stage.error is None
        assert live() - start == mib
    program._repr_mimebundle_()
    del f
    assert live() == start
    del program
    assert live() == start


@pytest.mark.parametrize("make", FACTORIES)
def test_a_large_array_goes_with_its_function(make):
    start = live()
    f = make(20)
    program = jaxviz.inspect(f)(1.0)
    assert program.stage("stablehlo").error is None
    del f
    assert live() == start
    for kind in ("hlo", "stablehlo"):
        stage = program.stage(kind)
        if kind == "hlo":
            with pytest.raises(AssertionError, match=GONE):
                raise AssertionError(stage.error)
        else:
            assert stage.error is None


@pytest.mark.parametrize("make", FACTORIES)
def test_a_small_array_is_held_until_the_stages_are_made(make):
    start = live()
    program = jaxviz.inspect(make(1))(1.0)
    assert live() - start == 1
    assert program.stage("hlo").error is None
    assert live() - start == 1
    assert program.stage("stablehlo").error is None
    assert live() == start


@pytest.mark.parametrize("make", FACTORIES)
def test_keep_holds_all(make):
    start = live()
    program = jaxviz.inspect(make(20), keep=True)(1.0)
    assert live() - start == 20
    assert program.stage("hlo").error is None
    assert live() - start == 20
    assert program.stage("stablehlo").error is None
    assert live() == start


def test_a_large_array_of_numpy_goes_too():
    def make():
        array = np.arange(16 << 20, dtype=np.float32)
        return jax.jit(lambda x: jnp.sin(array * x)[0]), ref(array)

    f, kept = make()
    program = jaxviz.inspect(f)(1.0)
    del f
    gc.collect()
    assert kept() is None
    assert "gone" in (program.stage("hlo").error or "")


def test_the_smallest_arrays_are_held():
    def make():
        small, other, tall = large(4), large(12), large(20)
        return jax.jit(lambda x: small[0] + other[0] + tall[0] + x)

    start = live()
    program = jaxviz.inspect(make())(1.0)
    assert live() - start == 16
    assert "20 MiB" in (program.stage("hlo").error or "")


def test_a_comparison_holds_nothing():
    start = live()
    before, after = (jaxviz.inspect(direct(20), keep=True)(x) for x in (1.0, 2))
    assert live() - start == 40
    compared = jaxviz.compare(before, after)
    compared._repr_mimebundle_()
    del before, after
    assert live() == start


@pytest.mark.parametrize("hits", [False, True])
@pytest.mark.parametrize("make", FACTORIES)
def test_a_log_keeps_no_array_alive(make, hits):
    start = live()
    with jaxviz.watch(hits=hits) as log:
        f = make(20)
        jax.block_until_ready([jax.jit(f)(x) for x in (1.0, np.float32(2), 2.0)])
        program = log.program(log.events[0].number)
        log._repr_mimebundle_()
        del f
        assert live() == start
    assert live() == start
    assert log.events
    assert program is None or program.name


SETUP = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from memory import FACTORIES, direct, live
%load_ext jaxviz
"""


@pytest.mark.parametrize("show", ["%jaxviz direct({mib})(1.0)", "%%jaxviz\ndirect({mib})(1.0)"])
@pytest.mark.parametrize(("mib", "shown"), [(1, 1), (20, 0)])
def test_what_a_cell_shows_holds_as_long_as_it_is_shown(show, mib, shown):
    def alive(kernel) -> int:
        outputs = kernel.run("count", "print(round(live()))")
        return int("".join(one["text"] for one in outputs if one["name"] == "stdout"))

    with started() as kernel:
        kernel.run("setup", SETUP)
        assert alive(kernel) == 0
        kernel.run("show", show.format(mib=mib))
        assert alive(kernel) == (0 if show.startswith("%%") else shown)
        kernel.run("show", "None")
        assert alive(kernel) == 0


@pytest.mark.parametrize("make", RULES)
def test_a_rule_that_lowering_does_not_call_is_not_held(make):
    start = live()
    program = jaxviz.inspect(make(20))(1.0)
    assert live() == start
    for kind in ("stablehlo", "hlo"):
        stage = program.stage(kind)
        assert stage.error is None
        assert stage == replace(jaxviz.inspect(make(1))(1.0).stage(kind), took=stage.took)


def test_a_callback_goes_with_its_function():
    start = live()
    f = called_back(20)
    program = jaxviz.inspect(f)(1.0)
    assert program.stage("stablehlo").error is None
    del f
    assert live() == start
    assert "20 MiB (of a callback)" in (program.stage("hlo").error or "")
    small = jaxviz.inspect(called_back(1))(1.0)
    assert small.stage("hlo").error is None
