"""Parameters that are arguments themselves, as in `step(w, b, x)`, and averages of parameters."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from models import dense, weights
from test_groups_flow import groups, parts

X, Y = jnp.ones((2, 4)), jnp.ones((2, 3))
LAYERS = jnp.ones((4, 8)), jnp.ones(8), jnp.ones((8, 3)), jnp.ones(3)


def loss(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any) -> Any:
    return jnp.mean((jnp.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)


def test_arrays_that_are_arguments_are_a_steps_parameters() -> None:
    """The author: two layers, a loss, their derivatives, and gradient descent on both."""

    def step(w1: Any, b1: Any, w2: Any, b2: Any, x: Any, y: Any) -> Any:
        params = w1, b1, w2, b2
        slopes = jax.grad(loss, argnums=(0, 1, 2, 3))(*params, x, y)
        return [p - 0.1 * g for p, g in zip(params, slopes, strict=True)]

    assert parts(groups(step, *LAYERS, X, Y)) == {
        "forward": ["w1, b1", "w2, b2", "loss"],
        "backward": ["loss ⟵", "w2, b2 ⟵", "w1, b1 ⟵"],
        "optimizer": ["w1, b1", "w2, b2"],
    }


def test_gradients_that_are_returned_reveal_the_parameters_too() -> None:
    found = parts(groups(jax.grad(loss, argnums=(0, 1, 2, 3)), *LAYERS, X, Y))
    assert found["backward"] == ["loss ⟵", "w2, b2 ⟵", "w1, b1 ⟵"]


def test_a_gradient_that_may_be_of_either_input_names_neither() -> None:
    """Both have one type, and one gradient is returned."""

    def square(x: Any, w: Any) -> Any:
        return jnp.mean(jnp.tanh(jnp.cos(jnp.sin(x @ w))) ** 2)

    found = groups(jax.grad(square, argnums=1), jnp.ones((4, 4)), jnp.ones((4, 4)))
    assert {group.name for group in found} <= {"forward", "backward", "square", "square ⟵"}


def energy(q: Any, mass: Any) -> Any:
    return jnp.sum(mass[:, None] * q**2) + jnp.sum(jnp.sin(q[:, None] - q[None]))


def leapfrog(q: Any, v: Any, mass: Any) -> Any:
    """Moves positions by velocities, and these by a force."""
    v = v - 0.1 * jax.grad(energy)(q, mass) / mass[:, None]
    return q + 0.1 * v, v


def downhill(q: Any, v: Any, mass: Any) -> Any:
    """Positions in a thick fluid, along the force."""
    return q - 0.1 * jax.grad(energy)(q, mass), v


def hamilton(q: Any, v: Any, mass: Any) -> Any:
    def total(q: Any, v: Any) -> Any:
        return energy(q, mass) + jnp.sum(v**2 / mass[:, None])

    return jax.grad(total, argnums=(0, 1))(q, v)


@pytest.mark.parametrize("step", [leapfrog, downhill, hamilton])
def test_physics_has_no_loss_and_no_optimizer(step: Any) -> None:
    """The author: energy, force, motion."""
    found = groups(step, jnp.ones((4, 3)), jnp.ones((4, 3)), jnp.ones(4))
    assert not {"loss", "optimizer", "state"} & {group.name for group in found}


def test_noise_that_is_added_is_no_optimizers() -> None:
    """The author: a draw from a posterior by Langevin's equation, which is no training."""

    def sample(w: Any, x: Any, y: Any, key: Any) -> Any:
        slope = jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(w)
        return w - 0.1 * slope + 0.1 * jax.random.normal(key, w.shape)

    found = groups(sample, jnp.ones((4, 3)), X, Y, jax.random.key(0))
    assert "optimizer" not in {group.name for group in found}


def test_averages_of_parameters_are_state() -> None:
    """The author: a step, and a slow copy of the parameters for evaluation."""

    def step(params: Any, slow: Any, x: Any) -> Any:
        slopes = jax.grad(lambda p: jnp.mean(dense(p["out"], dense(p["in"], x)) ** 2))(params)
        params = jax.tree.map(lambda p, g: p - 0.1 * g, params, slopes)
        slow = jax.tree.map(lambda s, p: 0.99 * s + 0.01 * p, slow, params)
        return params, slow

    params = {"in": weights(4, 8), "out": weights(8, 2)}
    found = groups(step, params, params, jnp.ones((3, 4)))
    outer = [(group.name, group.role) for group in found if group.parent is None]
    assert outer[2:] == [("optimizer", "optimizer"), ("slow", "state")]
