"""A captured program runs with arguments given later: like those of its call, or refused."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxviz

X = jnp.arange(6.0).reshape(2, 3)


def loss(params, x, n=2):
    return jnp.sum(jnp.tanh(x @ params["w"]) ** n)


PARAMS = {"w": jnp.ones((3, 3))}
TYPE = jax.ShapeDtypeStruct(X.shape, X.dtype)


def test_it_is_profiled_as_it_was_captured_without_its_function() -> None:
    program = jaxviz.inspect(jax.grad(lambda w, x: jnp.sum(w @ x)))(X, jnp.ones((3, 2)))
    found = program.profile(repeats=2)(X, jnp.ones((3, 2)))
    assert {line.frame.code for line in found.lines if line.frame}
    assert found.program == program
    assert found.program.stage("jaxpr").times is not None
    assert program.stage("jaxpr").times is None


def test_values_are_those_of_the_arguments_that_are_given() -> None:
    program = jaxviz.inspect(lambda x, f: f(x) * 2)(X, jnp.exp)
    largest = [row.largest for row in program.statistics(np.zeros((2, 3)), jnp.exp).rows]
    assert largest == [1.0, 2.0]
    assert [row.largest for row in program.statistics(X, jnp.exp).rows] == [148.0, 297.0]


def test_static_arguments_and_what_is_closed_over_by_name() -> None:
    jitted: Any = jax.jit(loss, static_argnames="n")
    program = jaxviz.inspect(jitted)(PARAMS, X, n=3)
    assert program.statistics(PARAMS, X, n=3).rows[-1].largest == 5.96  # tanh(3)³·3 + 3
    with pytest.raises(jaxviz.CaptureError, match=r"n is fixed in this program as 3, and here it"):
        program.statistics(PARAMS, X, n=2)
    jaxpr = jaxviz.inspect(jax.make_jaxpr(loss)(PARAMS, X))
    assert jaxpr.statistics(PARAMS["w"], X).rows[-1].largest == 5.97


REFUSED = {
    "it takes the arguments of the call that was captured, (params, x): give": ((PARAMS,), {}),
    "(params, x): give these, by position and by name": ((PARAMS,), {"x": X}),
    "x is f32[2,3] in this program, and here it is f32[1,3]: ": ((PARAMS, X[:1]), {}),
    "x is f32[2,3] in this program, and here it is i32[2,3]: ": ((PARAMS, X.astype(int)), {}),
    "x is a ShapeDtypeStruct, which has no values": ((PARAMS, TYPE), {}),
    "it has 2, and here are 3.": (({**PARAMS, "b": X}, X), {}),
}


@pytest.mark.parametrize("why", REFUSED)
def test_other_arguments_are_refused(why: str) -> None:
    args, kwargs = REFUSED[why]
    with pytest.raises(jaxviz.CaptureError) as refused:
        jaxviz.inspect(loss)(PARAMS, X).statistics(*args, **kwargs)
    assert why in str(refused.value)


def test_what_is_not_there_to_run_is_refused_with_the_fix(tmp_path: Any) -> None:
    program = jaxviz.inspect(jnp.sin)(X)
    program.save(tmp_path / "sin.json")
    for gone in jaxviz.load(tmp_path / "sin.json"), jaxviz.inspect(jax.jit(jnp.sin).lower(X)):
        with pytest.raises(jaxviz.CaptureError, match=r"use jaxviz\.profile\(f\)\(…\)"):
            gone.profile(repeats=2)(X)
    with pytest.raises(ValueError, match=r"repeats is a number of runs from 2 on"):
        program.profile(repeats=1)


def test_the_object_whose_method_was_called_is_held_weakly() -> None:
    x = jnp.ones((2, 3))
    program, there = jaxviz.inspect(x.sum)(axis=0), weakref.ref(x)
    assert program.statistics(axis=0).rows[0].largest == 2.0
    del x
    gc.collect()
    assert there() is None
    with pytest.raises(jaxviz.CaptureError, match="whose method was called is gone"):
        program.statistics(axis=0)
