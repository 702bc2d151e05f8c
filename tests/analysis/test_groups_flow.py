"""Dataflow decides the parts and parameters of a training step, not names or sizes."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
from models import dense, weights

import jaxviz
from jaxviz import schema


def groups(fun: Any, *args: Any) -> list[schema.Group]:
    stage = jaxviz.inspect(fun)(*args).stage("jaxpr")
    return next(graph.groups for graph in stage.graphs if graph.groups)


def parts(found: list[schema.Group]) -> dict[str, list[str]]:
    """The names in each outermost group, one level down."""
    return {
        group.name: [inner.name for inner in found if inner.parent == index]
        for index, group in enumerate(found)
        if group.parent is None
    }


def test_a_step_of_physics_has_no_optimizer() -> None:
    """The author: a force from the energy's slope, then velocity, position and what is observed."""

    def energy(q: Any) -> Any:
        return jnp.sum(jnp.sin(q) ** 2) + jnp.sum(q[1:] * q[:-1])

    def step(state: Any, action: Any) -> Any:
        q, v = state["q"], state["v"]
        v = v + 0.01 * (action - jax.grad(energy)(q))
        q = q + 0.01 * v
        observed = jnp.concatenate([q, v, jnp.sin(q), jnp.cos(q)])
        return {"q": q, "v": v}, observed, -jnp.sum(q**2) - 0.1 * jnp.sum(action**2)

    state = {"q": jnp.ones(4), "v": jnp.ones(4)}
    assert "optimizer" not in parts(groups(step, state, jnp.ones(4)))


def two_layers(params: Any, state: Any, x: Any) -> Any:
    """A model whose second argument, larger than its parameters, holds running means."""
    new = {}
    for name in ("first", "second"):
        x = dense(params[name], x)
        mean = state[name]["mean"]
        new[name] = {key: 0.9 * kept + 0.1 * x.mean(0) for key, kept in state[name].items()}
        x = jnp.tanh(x - mean)
    return jnp.mean(x**2), new


def test_what_is_trained_is_what_is_differentiated_not_what_is_large() -> None:
    """The author: two layers, a loss, their derivatives, and plain gradient descent on both."""
    params = {"first": weights(4, 4), "second": weights(4, 4)}
    running = ("mean", "square", "slow", "fast", "count")
    state = {name: {key: jnp.zeros(4) for key in running} for name in params}

    def step(params: Any, state: Any, x: Any) -> Any:
        (loss, state), slopes = jax.value_and_grad(two_layers, has_aux=True)(params, state, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, slopes), state, loss

    found = parts(groups(step, params, state, jnp.ones((3, 4))))
    assert list(found) == ["forward", "backward", "optimizer"]
    assert found["optimizer"] == ["first", "second"]
    assert found["backward"][-2:] == ["second ⟵", "first ⟵"]


def test_metrics_between_gradients_and_optimizer_are_no_part_of_it() -> None:
    """The author: the step, and what `metrics` adds up of it."""
    params = {"first": weights(4, 4), "second": weights(4, 4)}

    def metrics(total: Any, out: Any) -> Any:
        sharp = jnp.argmax(out, -1) == jnp.argmin(out**2, -1)
        return total + jnp.mean(jnp.where(sharp, jnp.exp(out).sum(-1), 0.0))

    def loss(params: Any, x: Any) -> Any:
        out = dense(params["second"], jnp.tanh(dense(params["first"], x)))
        return jnp.mean(out**2), out

    def step(params: Any, total: Any, x: Any) -> Any:
        slopes, out = jax.grad(loss, has_aux=True)(params, x)
        total = metrics(total, out)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, slopes), total

    found = parts(groups(step, params, jnp.float32(0), jnp.ones((3, 4))))
    assert list(found) == ["forward", "backward", "metrics", "optimizer"]


def test_moments_under_other_keys_give_no_names() -> None:
    """The author: five networks, each with its own momentum."""
    names = [f"net{n}" for n in range(5)]
    params = {name: weights(4, 4) for name in names}
    state = {name: ({"velocity": {"m": weights(4, 4), "v": weights(4, 4)}},) for name in names}

    def loss(params: Any, x: Any) -> Any:
        for name in names:
            x = jnp.tanh(dense(params[name], x))
        return jnp.mean(x**2)

    def step(params: Any, state: Any, x: Any) -> Any:
        slopes = jax.grad(loss)(params, x)
        kept, new = {}, {}
        for name in names:
            old = state[name][0]["velocity"]
            m = jax.tree.map(lambda m, g: 0.9 * m + g, old["m"], slopes[name])
            v = jax.tree.map(lambda v, g: 0.9 * v + g * g, old["v"], slopes[name])
            kept[name] = ({"velocity": {"m": m, "v": v}},)
            new[name] = jax.tree.map(lambda p, m, v: p - m / jnp.sqrt(v + 1), params[name], m, v)
        return new, kept

    found = parts(groups(step, params, state, jnp.ones((3, 4))))
    assert found["optimizer"] == names
    assert [name for name in found["backward"] if "net" in name] == [f"{n} ⟵" for n in names[::-1]]


def test_weights_without_names_are_called_by_the_scope_that_reads_them() -> None:
    """The author, as Keras writes it: layers `stem` and `head`; the weights are a list."""
    params = [jnp.ones((4, 4)), jnp.ones(4), jnp.ones((4, 4)), jnp.ones(4)]

    def loss(params: Any, x: Any) -> Any:
        with jax.named_scope("stem"):
            x = jnp.tanh(x @ params[0] + params[1])
        with jax.named_scope("head"):
            return jnp.mean((x @ params[2] + params[3]) ** 2)

    def step(params: Any, x: Any) -> Any:
        slopes = jax.grad(loss)(params, x)
        return [p - 0.1 * (g + 0.01 * p) for p, g in zip(params, slopes, strict=True)]

    found = parts(groups(step, params, jnp.ones((3, 4))))
    assert list(found) == ["forward", "backward", "optimizer"]
    names = {name.removesuffix(" ⟵") for part in found.values() for name in part}
    assert not any("[" in name for name in names)
    assert found["optimizer"] == ["stem", "head"]


def test_running_means_are_state_and_no_part_of_the_optimizer() -> None:
    def loss(params: Any, means: Any, x: Any) -> Any:
        h = dense(params["in"], x)
        new = 0.9 * means["in"] + 0.1 * h.mean(0)
        return jnp.mean(dense(params["out"], jnp.tanh(h - h.mean(0))) ** 2), {"in": new}

    def step(params: Any, means: Any, x: Any) -> Any:
        (value, means), grads = jax.value_and_grad(loss, has_aux=True)(params, means, x)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), means, value

    params = {"in": weights(4, 8), "out": weights(8, 2)}
    found = groups(step, params, {"in": jnp.zeros(8)}, jnp.ones((3, 4)))
    state = [group for group in found if group.role == "state"]
    assert [group.name for group in state] == ["new"]
    assert state[0].parent is not None
    assert found[state[0].parent].role == "forward"


def test_a_step_counter_and_the_loss_of_the_last_step_are_no_state() -> None:
    def step(params: Any, count: Any, last: Any, x: Any) -> Any:
        value, grads = jax.value_and_grad(lambda p: jnp.mean(dense(p, x) ** 2))(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), count + 1, value

    found = groups(step, weights(4, 8), 0, 0.0, jnp.ones((3, 4)))
    assert not any(group.role == "state" for group in found)


def test_the_lines_of_one_function_stand_beside_their_derivatives() -> None:
    """The author: attention in one function; its lines, each with what it becomes backward."""

    def attention(q: Any, k: Any, v: Any) -> Any:
        scores = q @ k.T / jnp.sqrt(q.shape[-1])
        weights = jax.nn.softmax(jnp.where(scores > 0, scores, -1.0))
        out = jnp.tanh(weights @ v * 2.0)
        return jnp.mean((out - 1.0) ** 2)

    found = groups(jax.grad(attention, (0, 1, 2)), *[jnp.ones((8, 16))] * 3)
    assert parts(found) == {
        "forward": ["scores", "weights", "out", "mean"],
        "backward": ["mean ⟵", "out ⟵", "weights ⟵", "scores ⟵"],
    }
    twins = {group.name: found[group.twin].name for group in found if group.twin is not None}
    assert all(twins[f"{name} ⟵"] == name for name in ("scores", "weights", "out", "mean"))


def test_a_section_with_two_passes_is_called_by_its_lines() -> None:
    """The author: a slope, a Hessian and a step by both; `forward…backward` says nothing of it."""

    def energy(x: Any) -> Any:
        return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    def step(x: Any) -> Any:
        slope = jax.grad(energy)(x)
        bend = jax.hessian(energy)(x)
        towards = jnp.linalg.solve(bend, slope)
        length = jax.lax.while_loop(
            lambda t: energy(x - t * towards) > energy(x), jnp.negative, 1.0
        )
        return x - jnp.tanh(length * towards)

    outermost = [group.name for group in groups(step, jnp.ones(5)) if group.parent is None]
    assert outermost
    assert all(name.startswith("lines ") for name in outermost)


def test_a_letter_names_a_line_that_does_more_than_one_call() -> None:
    def norm(x: Any) -> Any:
        return (x - x.mean()) / jnp.sqrt(x.var() + 1e-5)

    def loss(x: Any) -> Any:
        a = jnp.sin(x) * 2.0 + jnp.cos(x) / 3.0
        b = norm(a)
        c = jnp.tanh(b * b + b)
        return jnp.mean(c**2)

    found = parts(groups(jax.grad(loss), jnp.ones((4, 4))))
    assert found["forward"] == ["a", "norm", "c", "mean"]


def squares(params: Any, x: Any) -> Any:
    for p in params:
        x = jnp.tanh(x @ p["w"] + p["b"])
    return jnp.mean(x**2)


def test_an_update_that_returns_tuples_is_an_optimizer() -> None:
    """The author: Adam's rule mapped over parameters and moments, whose result is a tree of
    tuples."""

    def update(p: Any, m: Any, v: Any, g: Any) -> Any:
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g**2
        return p - 1e-3 * m / (jnp.sqrt(v) + 1e-8), m, v

    def step(params: Any, mean: Any, square: Any, x: Any) -> Any:
        value, grads = jax.value_and_grad(squares)(params, x)
        return value, jax.tree.map(update, params, mean, square, grads)

    params = [{"w": jnp.ones((4, 4)), "b": jnp.ones(4)}] * 2
    found = parts(groups(step, params, params, params, jnp.ones((2, 4))))
    assert list(found) == ["forward", "backward", "optimizer"]
    assert found["optimizer"] == ["params[0]", "params[1]"]
