"""The reason and the advice for a smaller last batch, in training loops of several libraries.

The reason names the user's argument alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxviz

eqx: Any = pytest.importorskip("equinox", reason="not for the oldest JAX")
nn: Any = pytest.importorskip("flax.linen")
nnx: Any = pytest.importorskip("flax.nnx")


def linen() -> Callable[[Any], Any]:
    dense = nn.Dense(3)
    weights = dense.init(jax.random.key(0), jnp.ones((1, 4)))
    apply = jax.jit(dense.apply)
    return lambda batch: apply(weights, batch)


def modules() -> Callable[[Any], Any]:
    model = nnx.Linear(4, 3, rngs=nnx.Rngs(0))
    train = nnx.jit(lambda model, x: (model(x) ** 2).mean())
    return lambda batch: train(model, batch)


def equinox() -> Callable[[Any], Any]:
    layer = eqx.nn.Linear(4, 3, key=jax.random.key(0))
    step = eqx.filter_jit(lambda model, batch: jax.vmap(model)(batch))
    return lambda batch: step(layer, batch)


@pytest.mark.parametrize(
    ("made", "argument"), [(linen, "inputs"), (modules, "x"), (equinox, "batch")]
)
def test_a_smaller_last_batch(made: Callable[[], Callable[[Any], Any]], argument: str) -> None:
    call = made()
    with jaxviz.watch() as log:
        for size in (8, 8, 5):
            call(jnp.ones((size, 4)))
    (cause,) = log.causes
    assert [(c.kind, c.where, c.before, c.after) for c in cause.reason] == [
        ("shape", argument, "f32[8,4]", "f32[5,4]")
    ]
    assert (
        cause.hint.text
        == "if this is a smaller last batch, pad it to the size of the others, or drop it"
    )
    assert cause.times == 1
