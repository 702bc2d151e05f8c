"""A program that is shown can be traced once more for its steps; what JAX knew is named."""

from __future__ import annotations

import gc
import weakref

import jax
import jax.numpy as jnp
import pytest
from test_steps import inner, lesson, looped

import jaxviz
from jaxviz.capture.steps import KNOWN


def test_a_program_that_is_shown_can_be_traced_once_more():
    x, jitted = jnp.ones((2, 3)), jax.jit(lesson, static_argnames="n")
    shown = jaxviz.inspect(jitted)(x, 1.0, n=2)
    expected = jaxviz.steps(jitted)(x, 1.0, n=2).record
    here, x = weakref.ref(x), None
    gc.collect()
    assert here() is None
    assert shown._stages.again is not None
    assert shown._stages.again()[1] == expected


def test_what_is_gone_or_cannot_be_kept_is_not_traced_once_more():
    def brief(x):
        return x + 1

    gone = jaxviz.inspect(brief)(1.0)
    del brief
    assert gone._stages.again is not None
    with pytest.raises(ValueError, match=r"^The function is gone: run the cell again\.$"):
        gone._stages.again()
    assert jaxviz.inspect(lambda f, x: f(x))(jnp.sin, 1.0)._stages.again is None


def test_arguments_that_no_pytree_can_hold_fail_as_ever():
    with pytest.raises(jaxviz.CaptureError, match=r"sorting pytree dictionary keys; mend the call"):
        jaxviz.inspect(lambda x: 1.0)({1: 1.0, "a": 2.0})


def test_functions_that_jax_knew_are_named():
    known = jax.jit(inner)
    known(jnp.ones(3))
    told = jaxviz.steps(lambda x: known(x) + 1)(jnp.ones(3)).record.notes
    assert told == [KNOWN.format("inner")]
    assert jaxviz.steps(looped)(jnp.ones(3)).record.notes == []
