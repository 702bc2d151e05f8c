"""Training steps over plain pytrees, for tests that read their outlines as text."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp

Call = tuple[Any, tuple[Any, ...]]


def weights(inputs: int, outputs: int) -> Any:
    return {"w": jnp.ones((inputs, outputs)), "b": jnp.ones(outputs)}


def dense(p: Any, x: Any) -> Any:
    return x @ p["w"] + p["b"]


def descend(params: Any, grads: Any) -> Any:
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def scopes_step() -> Call:
    """An MLP whose layers are named scopes, and plain gradient descent."""
    params = [{"w": jnp.ones((8, 8)), "b": jnp.ones(8)} for _ in range(3)]

    def loss(params: Any, x: Any) -> Any:
        for number, layer in enumerate(params):
            with jax.named_scope(f"layer{number}"):
                with jax.named_scope("affine"):
                    x = x @ layer["w"] + layer["b"]
                x = jnp.tanh(x) * jax.nn.sigmoid(x)
        with jax.named_scope("loss"):
            return jnp.mean((x - 1.0) ** 2)

    def step(params: Any, x: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)

    return step, (params, jnp.ones((4, 8)))


def plain_step() -> Call:
    """Functions over pytrees: no scopes, no modules, no optimizer's library."""

    def layer(p: Any, x: Any) -> Any:
        return jax.nn.relu(x @ p["w"] + p["b"]) * p["scale"]

    def loss(params: Any, x: Any, y: Any) -> Any:
        x = params["embed"][x]
        for p in params["layers"]:
            x = layer(p, x)
        logits = x @ params["head"]["w"] + params["head"]["b"]
        return -jnp.mean(jax.nn.log_softmax(logits)[y])

    def step(params: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return value, descend(params, grads)

    layers = [weights(8, 8) | {"scale": jnp.ones(8)} for _ in range(3)]
    params = {"embed": jnp.ones((16, 8)), "layers": layers, "head": weights(8, 16)}
    return step, (params, jnp.zeros(4, int), jnp.zeros(4, int))


def remat_step() -> Call:
    """Three layers whose backward pass computes them again."""

    @jax.checkpoint
    def layer(p: Any, x: Any) -> Any:
        return x + jnp.tanh(dense(p, x)) * jax.nn.sigmoid(x)

    def loss(params: Any, x: Any, y: Any) -> Any:
        for p in params["layers"]:
            x = layer(p, x)
        return jnp.mean((dense(params["head"], x) - y) ** 2)

    def step(params: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        return descend(params, grads), value

    params = {"layers": [weights(8, 8) for _ in range(3)], "head": weights(8, 1)}
    return step, (params, jnp.ones((4, 8)), jnp.ones((4, 1)))


def accumulate_step() -> Call:
    """Gradients summed over four parts of a batch, by a scan."""

    def loss(params: Any, x: Any, y: Any) -> Any:
        hidden = jax.nn.relu(dense(params["hidden"], x))
        return jnp.mean((dense(params["out"], hidden) - y) ** 2)

    def step(params: Any, x: Any, y: Any) -> Any:
        def part(carry: Any, batch: Any) -> Any:
            total, grads = carry
            value, more = jax.value_and_grad(loss)(params, *batch)
            return (total + value, jax.tree.map(jnp.add, grads, more)), None

        x, y = x.reshape(4, -1, 8), y.reshape(4, -1, 1)
        zeros = jax.tree.map(jnp.zeros_like, params)
        (value, grads), _ = jax.lax.scan(part, (0.0, zeros), (x, y))
        grads = jax.tree.map(lambda g: g / 4, grads)
        return descend(params, grads), value / 4

    params = {"hidden": weights(8, 8), "out": weights(8, 1)}
    return step, (params, jnp.ones((16, 8)), jnp.ones((16, 1)))


def lora_step() -> Call:
    """Low-rank updates learned beside frozen weights."""

    def layer(frozen: Any, lora: Any, x: Any) -> Any:
        return jnp.tanh(dense(frozen, x) + (x @ lora["lora_a"]) @ lora["lora_b"])

    def loss(lora: Any, frozen: Any, x: Any, y: Any) -> Any:
        for p, low in zip(frozen["layers"], lora["layers"], strict=True):
            x = layer(p, low, x)
        return jnp.mean((dense(frozen["head"], x) - y) ** 2)

    def step(lora: Any, frozen: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(lora, frozen, x, y)
        return descend(lora, grads), value

    def low() -> Any:
        return {"lora_a": jnp.ones((8, 2)), "lora_b": jnp.ones((2, 8))}

    frozen = {"layers": [weights(8, 8) for _ in range(3)], "head": weights(8, 1)}
    lora = {"layers": [low() for _ in range(3)]}
    return step, (lora, frozen, jnp.ones((4, 8)), jnp.ones((4, 1)))


def rnn_step(length: int = 30) -> Call:
    """A gated recurrent cell, unrolled."""

    def cell(p: Any, h: Any, x: Any) -> Any:
        both = jnp.concatenate([h, x], -1)
        gate = jax.nn.sigmoid(dense(p["gate"], both))
        return gate * h + (1 - gate) * jnp.tanh(dense(p["new"], both))

    def loss(params: Any, xs: Any, y: Any) -> Any:
        h = jnp.zeros((4, 8))
        for x in xs:
            h = cell(params["cell"], h, x)
        return jnp.mean((dense(params["head"], h) - y) ** 2)

    def step(params: Any, xs: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, xs, y)
        return descend(params, grads), value

    params = {"cell": {"gate": weights(12, 8), "new": weights(12, 8)}, "head": weights(8, 1)}
    return step, (params, jnp.ones((length, 4, 4)), jnp.ones((4, 1)))


def conv(p: Any, x: Any, stride: int = 1) -> Any:
    numbers = ("NHWC", "HWIO", "NHWC")
    window = (stride, stride)
    y = jax.lax.conv_general_dilated(x, p["w"], window, "SAME", dimension_numbers=numbers)
    return y + p["b"]


def residual(p: Any, x: Any, time: Any) -> Any:
    y = conv(p["conv1"], jax.nn.silu(x))
    y = y + dense(p["time"], time)[:, None, None]
    return x + conv(p["conv2"], jax.nn.silu(y))


def embed(p: Any, t: Any) -> Any:
    angles = t[:, None] * jnp.exp(-jnp.arange(4.0))
    return dense(p, jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1))


def unet(params: Any, x: Any, t: Any) -> Any:
    time = embed(params["time"], t)
    x = conv(params["first"], x)
    skips = []
    for p in params["down"]:
        x = residual(p["res"], x, time)
        skips.append(x)
        x = conv(p["pool"], x, 2)
    x = residual(params["middle"], x, time)
    for p in params["up"]:
        skip = skips.pop()
        x = jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
        x = conv(p["merge"], jnp.concatenate([x, skip], -1))
        x = residual(p["res"], x, time)
    return conv(params["last"], x)


def unet_weights() -> Any:
    def kernel(inputs: int, outputs: int) -> Any:
        return {"w": jnp.ones((3, 3, inputs, outputs)), "b": jnp.ones(outputs)}

    def res() -> Any:
        return {"conv1": kernel(4, 4), "time": weights(4, 4), "conv2": kernel(4, 4)}

    return {
        "time": weights(8, 4),
        "first": kernel(1, 4),
        "down": [{"res": res(), "pool": kernel(4, 4)} for _ in range(2)],
        "middle": res(),
        "up": [{"merge": kernel(8, 4), "res": res()} for _ in range(2)],
        "last": kernel(4, 1),
    }


def unet_step() -> Call:
    """A small diffusion model: noise is added, a U-Net with a time embedding tells it."""

    def loss(params: Any, image: Any, key: Any) -> Any:
        time_key, noise_key = jax.random.split(key)
        t = jax.random.uniform(time_key, (image.shape[0],))
        noise = jax.random.normal(noise_key, image.shape)
        signal = jnp.cos(t * jnp.pi / 2)[:, None, None, None]
        noisy = signal * image + jnp.sqrt(1 - signal**2) * noise
        return jnp.mean((unet(params, noisy, t) - noise) ** 2)

    def step(params: Any, image: Any, key: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, image, key)
        return descend(params, grads), value

    return step, (unet_weights(), jnp.ones((2, 8, 8, 1)), jax.random.key(0))


def ppo_step() -> Call:
    """Proximal policy optimization: a policy and a value network under one clipped loss."""

    def network(layers: Any, x: Any) -> Any:
        for p in layers[:-1]:
            x = jnp.tanh(dense(p, x))
        return dense(layers[-1], x)

    def loss(params: Any, batch: Any) -> Any:
        logits = network(params["policy"], batch["observation"])
        value = network(params["value"], batch["observation"])[..., 0]
        every = jax.nn.log_softmax(logits)
        chosen = jnp.take_along_axis(every, batch["action"][:, None], -1)[:, 0]
        ratio = jnp.exp(chosen - batch["log_prob"])
        advantage = batch["advantage"]
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        clipped = jnp.clip(ratio, 0.8, 1.2) * advantage
        policy_loss = -jnp.minimum(ratio * advantage, clipped).mean()
        value_loss = jnp.mean((value - batch["returns"]) ** 2)
        entropy = -jnp.sum(jnp.exp(every) * every, -1).mean()
        return policy_loss + 0.5 * value_loss - 0.01 * entropy

    def step(params: Any, batch: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, batch)
        return descend(params, grads), value

    params = {
        "policy": [weights(6, 8), weights(8, 8), weights(8, 3)],
        "value": [weights(6, 8), weights(8, 8), weights(8, 1)],
    }
    floats = {name: jnp.ones(5) for name in ("log_prob", "advantage", "returns")}
    batch = floats | {"observation": jnp.ones((5, 6)), "action": jnp.zeros(5, int)}
    return step, (params, batch)
