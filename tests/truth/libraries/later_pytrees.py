"""Plain functions of pytrees: state spaces, filters, graphs, low-rank updates, an ODE; and losses
that are jitted before they are differentiated."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax.experimental.ode import odeint

from . import Call


def mamba_block() -> Call:
    def discretize(p: Any, x: Any) -> Any:
        dt = jax.nn.softplus(x @ p["dt"] + p["dt_bias"])
        decay = jnp.exp(dt[..., None] * -jnp.exp(p["A_log"]))
        new = (dt * x)[..., None] * (x @ p["B"])[..., None, :]
        return decay, new

    def combine(one: Any, two: Any) -> Any:
        return one[0] * two[0], two[0] * one[1] + two[1]

    def mamba(p: Any, u: Any) -> Any:
        x, gate = jnp.split(u @ p["in"], 2, axis=-1)
        x = jax.nn.silu(x)
        _, states = jax.lax.associative_scan(combine, discretize(p, x), axis=1)
        y = jnp.einsum("btds,bts->btd", states, x @ p["C"])
        return ((y + p["D"] * x) * jax.nn.silu(gate)) @ p["out"]

    shapes = {
        "in": (8, 32), "dt": (16, 16), "dt_bias": (16,), "A_log": (16, 4), "B": (16, 4),
        "C": (16, 4), "D": (16,), "out": (16, 8),
    }  # fmt: skip
    return mamba, ({name: jnp.ones(shape) for name, shape in shapes.items()}, jnp.ones((2, 16, 8)))


class Model(NamedTuple):
    A: Any
    C: Any
    Q: Any
    R: Any


class Belief(NamedTuple):
    mean: Any
    cov: Any


def kalman_steps() -> Call:
    def predict(model: Model, belief: Belief) -> Belief:
        return Belief(model.A @ belief.mean, model.A @ belief.cov @ model.A.T + model.Q)

    def innovate(model: Model, belief: Belief, y: Any) -> Any:
        residual = y - model.C @ belief.mean
        spread = model.C @ belief.cov @ model.C.T
        return residual, spread

    def update(model: Model, belief: Belief, y: Any) -> Belief:
        residual, spread = innovate(model, belief, y)
        gain = jnp.linalg.solve(spread + model.R, model.C @ belief.cov).T
        mean = belief.mean + gain @ residual
        return Belief(mean, belief.cov - gain @ model.C @ belief.cov)

    @jax.jit
    def filtered(model: Model, belief: Belief, ys: Any) -> Belief:
        for y in ys:
            belief = update(model, predict(model, belief), y)
        return belief

    model = Model(jnp.eye(3), jnp.ones((2, 3)), jnp.eye(3), jnp.eye(2))
    return filtered, (model, Belief(jnp.zeros(3), jnp.eye(3)), jnp.ones((4, 2)))


def graph_network() -> Call:
    def message_passing(layer: Any, nodes: Any, senders: Any, receivers: Any) -> Any:
        messages = nodes[senders] @ layer["message"]
        received = jax.ops.segment_sum(messages, receivers, nodes.shape[0])
        return jax.nn.relu(nodes @ layer["own"] + received + layer["bias"])

    def predict(params: Any, graph: Any) -> Any:
        nodes = graph["nodes"] @ params["embed"]
        for layer in params["layers"]:
            nodes = message_passing(layer, nodes, graph["senders"], graph["receivers"])
        return nodes.mean(axis=0) @ params["readout"]

    def loss(params: Any, graph: Any, label: Any) -> Any:
        return optax.softmax_cross_entropy_with_integer_labels(predict(params, graph), label)

    @jax.jit
    def train_step(params: Any, graph: Any, label: Any) -> Any:
        grads = jax.grad(loss)(params, graph, label)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    layer = {"message": jnp.ones((16, 16)), "own": jnp.ones((16, 16)), "bias": jnp.zeros(16)}
    params = {"embed": jnp.ones((5, 16)), "layers": [layer] * 3, "readout": jnp.ones((16, 4))}
    edges = jnp.zeros(20, int)
    graph = {"nodes": jnp.ones((7, 5)), "senders": edges, "receivers": edges}
    return train_step, (params, graph, jnp.zeros((), int))


def low_rank_updates() -> Call:
    """The frozen weights are an argument that nobody differentiates."""

    def dense(frozen: Any, adapter: Any, x: Any) -> Any:
        return x @ frozen["w"] + frozen["b"] + 0.5 * (x @ adapter["down"]) @ adapter["up"]

    def forward(adapters: Any, frozen: Any, x: Any) -> Any:
        x = jax.nn.gelu(dense(frozen["query"], adapters["query"], x))
        return dense(frozen["value"], adapters["value"], x)

    optimizer = optax.adam(1e-3)

    @jax.jit
    def train_step(adapters: Any, opt_state: Any, frozen: Any, x: Any, y: Any) -> Any:
        def loss_fn(adapters: Any) -> Any:
            return jnp.mean((forward(adapters, frozen, x) - y) ** 2)

        loss, grads = jax.value_and_grad(loss_fn)(adapters)
        updates, opt_state = optimizer.update(grads, opt_state)
        return optax.apply_updates(adapters, updates), opt_state, loss

    names = "query", "value"
    adapters = {name: {"down": jnp.ones((16, 2)), "up": jnp.ones((2, 16))} for name in names}
    frozen = {name: {"w": jnp.ones((16, 16)), "b": jnp.ones(16)} for name in names}
    x = jnp.ones((4, 16))
    return train_step, (adapters, optimizer.init(adapters), frozen, x, x)


def neural_ode() -> Call:
    def field(state: Any, t: Any, params: Any) -> Any:
        return jnp.tanh(state @ params["w_in"] + t) @ params["w_out"]

    def loss(params: Any, start: Any, times: Any, path: Any) -> Any:
        return jnp.mean((odeint(field, start, times, params) - path) ** 2)

    params = {"w_in": jnp.ones((2, 16)), "w_out": jnp.ones((16, 2))}
    times = jnp.linspace(0.0, 1.0, 5)
    return jax.value_and_grad(loss), (params, jnp.ones(2), times, jnp.ones((5, 2)))


def jitted_loss() -> Call:
    @jax.jit
    def loss(params: Any, x: Any, y: Any) -> Any:
        hidden = jnp.tanh(x @ params["hidden"]["w"] + params["hidden"]["b"])
        logits = hidden @ params["out"]["w"] + params["out"]["b"]
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, axis=-1))

    params = {name: {"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for name in ("hidden", "out")}
    return jax.grad(loss), (params, jnp.ones((4, 8)), jnp.ones((4, 8)))


def jitted_model_in_a_step() -> Call:
    """The model is jitted, its loss recomputed, and the step that differentiates it is jitted."""

    @jax.jit
    def model(params: Any, x: Any) -> Any:
        for layer in params["layers"]:
            x = jax.nn.relu(x @ layer["w"] + layer["b"])
        return x @ params["head"]

    def loss(params: Any, x: Any, y: Any) -> Any:
        return jnp.mean((model(params, x) - y) ** 2)

    @jax.jit
    def step(params: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), value

    layers = [{"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for _ in range(3)]
    return step, ({"layers": layers, "head": jnp.ones((8, 2))}, jnp.ones((4, 8)), jnp.ones((4, 2)))


def attention_of_one_array() -> Call:
    """Queries, keys and values come of one product."""

    def heads_of(qkv: Any) -> Any:
        return jnp.moveaxis(qkv.reshape(*qkv.shape[:2], 3, 2, 8), 2, 0)

    def attention(params: Any, x: Any) -> Any:
        query, key, value = heads_of(x @ params["qkv"])
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / 8**0.5
        scores = jnp.where(jnp.tri(x.shape[1]) > 0, scores, -jnp.inf)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)
        return mixed.reshape(x.shape) @ params["out"]

    def block(params: Any, x: Any) -> Any:
        x = x + attention(params["attn"], x)
        return x + jax.nn.gelu(x @ params["up"]) @ params["down"]

    attn = {"qkv": jnp.ones((16, 48)), "out": jnp.ones((16, 16))}
    params = {"attn": attn, "up": jnp.ones((16, 64)), "down": jnp.ones((64, 16))}
    return block, (params, jnp.ones((2, 6, 16)))


PROGRAMS = (
    *(mamba_block, kalman_steps, graph_network, low_rank_updates, neural_ode, jitted_loss),
    *(jitted_model_in_a_step, attention_of_one_array),
)
