"""`jaxviz.watch()`: each trace, lowering and compilation, and why it was made again."""

from __future__ import annotations

import jax
import jax.numpy as jnp

import jaxviz


def test_a_log_tells_what_changed() -> None:
    @jax.jit
    def step(x):
        return x * 2

    with jaxviz.watch() as log:
        step(jnp.ones((8, 32)))
        step(jnp.ones((8, 32)))
        step(jnp.ones((5, 32)))
    assert [(event.kind, event.again) for event in log.events] == [
        *(("trace", False), ("lower", False), ("compile", False)),
        *(("trace", True), ("lower", False), ("compile", False)),
    ]
    change = log.events[3].reason[0]
    assert (change.kind, change.where) == ("shape", "x")
    assert (change.before, change.after) == ("f32[8,32]", "f32[5,32]")
    assert "x: f32[8→5, 32]" in str(log)
