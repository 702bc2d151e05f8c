"""What is held, and for how long: a program holds no more arrays than it says."""

from __future__ import annotations

import gc
from weakref import ref

import jax
import pytest
from memory import FACTORIES, direct, large, live, of_numpy

import jaxviz

GONE = (
    r"^An array of 64 MiB \(float32\[16777216\]\) that the function closed over is gone, as jaxviz "
    r"keeps only 16 MiB of them: capture the call again with jaxviz.inspect\(f, keep=True\), or "
    r"keep f and open this stage before f goes.$"
)


@pytest.mark.parametrize("make", FACTORIES)
@pytest.mark.parametrize("mib", [1, 64])
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
    f = make(64)
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
    program = jaxviz.inspect(make(64), keep=True)(1.0)
    assert live() - start == 64
    assert program.stage("hlo").error is None
    assert live() - start == 64
    assert program.stage("stablehlo").error is None
    assert live() == start
