"""Functions of libraries that have a jit of their own are captured as the user wrote them."""

from __future__ import annotations

import jax.numpy as jnp
from flax import nnx
from programs import shaped

import jaxviz


class Layer(nnx.Module):
    def __init__(self):
        self.weight = nnx.Param(jnp.ones((3, 2)))

    def __call__(self, x):
        return x @ self.weight


def total(layer, x):
    return layer(x).sum()


def test_a_module_is_a_pytree_of_parameters():
    program = jaxviz.inspect(total)(Layer(), shaped(4, 3))
    assert [leaf.path for leaf in program.args] == ["layer.weight.value", "x"]


def test_a_function_that_nnx_jitted_is_not_jitted_again():
    program = jaxviz.inspect(nnx.jit(total))(Layer(), shaped(4, 3))
    assert program.name == "total"
    assert [eqn.op for eqn in program.stage("jaxpr").graphs[0].eqns] == [
        "dot_general",
        "reduce_sum",
    ]
    assert {frame.function for frame in program.stage("jaxpr").frames} == {
        "total",
        "Layer.__call__",
    }
