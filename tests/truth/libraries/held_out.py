"""Programs that no rule was made for: written, with their authors' sentences, before jaxviz had
seen them, and run when all rules stood."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import flax.linen as nn
import haiku as hk
import jax
import jax.numpy as jnp
import optax
from flax import nnx

from . import Call, made


class Residual(nnx.Module):
    def __init__(self, width: int, rngs: nnx.Rngs) -> None:
        self.norm = nnx.LayerNorm(width, rngs=rngs)
        self.up = nnx.Linear(width, 4 * width, rngs=rngs)
        self.down = nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return x + self.down(nnx.gelu(self.up(self.norm(x))))


class Mixer(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.stem = nnx.Linear(16, 32, rngs=rngs)
        self.blocks = getattr(nnx, "List", list)([Residual(32, rngs) for _ in range(4)])
        self.head = nnx.Linear(32, 10, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def held_nnx_mixer() -> Call:
    model = Mixer(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1, momentum=0.9), wrt=nnx.Param)

    @nnx.jit
    def train_step(model: Mixer, optimizer: Any, images: Any, labels: Any) -> Any:
        def loss_fn(model: Mixer) -> Any:
            logits = model(images)
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        return loss

    return train_step, (model, optimizer, jnp.ones((8, 16)), jnp.zeros(8, int))


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x: Any) -> Any:
        y = nn.LayerNorm(name="norm_1")(x)
        x = x + nn.MultiHeadDotProductAttention(num_heads=2, name="attention")(y, y)
        y = nn.LayerNorm(name="norm_2")(x)
        return x + nn.Dense(32, name="mlp_out")(nn.gelu(nn.Dense(64, name="mlp_in")(y)))


class Tagger(nn.Module):
    @nn.compact
    def __call__(self, tokens: Any) -> Any:
        x = nn.Embed(100, 32, name="tokens")(tokens)
        for layer in range(3):
            x = Encoder(name=f"encoder_{layer}")(x)
        return nn.Dense(7, name="tags")(x)


def held_linen_tagger() -> Call:
    model, optimizer = Tagger(), optax.adamw(1e-3)

    @jax.jit
    def update(params: Any, opt_state: Any, tokens: Any, tags: Any) -> Any:
        def cost(params: Any) -> Any:
            logits: Any = model.apply(params, tokens)
            hits = jax.nn.one_hot(tags, 7) * jax.nn.log_softmax(logits)
            return -hits.sum(-1).mean()

        value, grads = jax.value_and_grad(cost)(params)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, value

    tokens = jnp.zeros((2, 12), int)
    params = made(model.init, jax.random.key(0), tokens)
    return update, (params, made(optimizer.init, params), tokens, tokens)


class Critic(eqx.Module):
    trunk: list[eqx.nn.Linear]
    value: eqx.nn.Linear
    advantage: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        keys = jax.random.split(key, 4)
        self.trunk = [eqx.nn.Linear(6, 32, key=keys[0]), eqx.nn.Linear(32, 32, key=keys[1])]
        self.value = eqx.nn.Linear(32, 1, key=keys[2])
        self.advantage = eqx.nn.Linear(32, 3, key=keys[3])

    def __call__(self, observation: Any) -> Any:
        x = observation
        for layer in self.trunk:
            x = jax.nn.relu(layer(x))
        advantage = self.advantage(x)
        return self.value(x) + advantage - advantage.mean()


def held_equinox_dqn() -> Call:
    """A step of deep Q-learning, whose target network follows slowly."""
    critic, optimizer = Critic(jax.random.key(0)), optax.adam(1e-3)

    @eqx.filter_jit
    def learn(critic: Critic, target: Critic, opt_state: Any, batch: Any) -> Any:
        observation, action, reward, following = batch

        def td_error(critic: Critic) -> Any:
            chosen = jnp.take_along_axis(jax.vmap(critic)(observation), action[:, None], 1)[:, 0]
            best = jax.vmap(target)(following).max(axis=1)
            return jnp.mean(optax.huber_loss(chosen, reward + 0.99 * best))

        value, grads = eqx.filter_value_and_grad(td_error)(critic)
        updates, opt_state = optimizer.update(grads, opt_state, eqx.filter(critic, eqx.is_array))
        critic = eqx.apply_updates(critic, updates)
        target = jax.tree.map(
            lambda t, c: 0.99 * t + 0.01 * c if eqx.is_array(t) else t, target, critic
        )
        return critic, target, opt_state, value

    batch = jnp.ones((4, 6)), jnp.zeros(4, int), jnp.ones(4), jnp.ones((4, 6))
    opt_state = optimizer.init(eqx.filter(critic, eqx.is_array))
    return learn, (critic, Critic(jax.random.key(1)), opt_state, batch)


def held_haiku_unet() -> Call:
    def denoiser(x: Any) -> Any:
        down = jax.nn.silu(hk.Conv2D(8, 3, stride=2, name="down")(x))
        middle = jax.nn.silu(hk.Conv2D(8, 3, name="middle")(down))
        up = hk.Conv2DTranspose(8, 3, stride=2, name="up")(middle)
        return hk.Conv2D(1, 3, name="to_image")(jnp.concatenate([up, x], axis=-1))

    net, optimizer = hk.without_apply_rng(hk.transform(denoiser)), optax.adam(1e-3)

    def score_matching(params: Any, key: Any, images: Any) -> Any:
        noise = jax.random.normal(key, images.shape)
        return jnp.mean((net.apply(params, images + 0.1 * noise) - noise) ** 2)

    @jax.jit
    def step(params: Any, opt_state: Any, key: Any, images: Any) -> Any:
        grads = jax.grad(score_matching)(params, key, images)
        updates, opt_state = optimizer.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state

    images = jnp.ones((2, 8, 8, 1))
    params = made(net.init, jax.random.key(0), images)
    return step, (params, made(optimizer.init, params), jax.random.key(0), images)


def held_jitted_blocks() -> Call:
    """Ten jitted blocks of a list of tuples, momentum written by hand."""

    @jax.jit
    def block(layer: Any, h: Any) -> Any:
        w, b = layer
        return h + jax.nn.silu(h @ w + b)

    def objective(net: Any, x: Any, y: Any) -> Any:
        for layer in net["body"]:
            x = block(layer, x)
        return jnp.mean((x @ net["readout"] - y) ** 2)

    @jax.jit
    def train(net: Any, velocity: Any, x: Any, y: Any) -> Any:
        grads = jax.grad(objective)(net, x, y)
        velocity = jax.tree.map(lambda v, g: 0.9 * v + g, velocity, grads)
        return jax.tree.map(lambda p, v: p - 1e-2 * v, net, velocity), velocity

    body = [(jnp.ones((16, 16)), jnp.ones(16)) for _ in range(10)]
    net = {"body": body, "readout": jnp.ones((16, 2))}
    return train, (net, jax.tree.map(jnp.zeros_like, net), jnp.ones((4, 16)), jnp.ones((4, 2)))


def held_two_rates() -> Call:
    """Encoder and decoder with an optimizer each, in a loop over their names."""
    optimizers = {"encoder": optax.adam(1e-3), "decoder": optax.sgd(1e-2)}

    def reconstruct(parts: Any, x: Any) -> Any:
        code = jnp.tanh(x @ parts["encoder"]["w"] + parts["encoder"]["b"])
        return code @ parts["decoder"]["w"] + parts["decoder"]["b"]

    @jax.jit
    def step(parts: Any, states: Any, x: Any) -> Any:
        def error(parts: Any) -> Any:
            return jnp.mean(optax.l2_loss(reconstruct(parts, x), x))

        grads = jax.grad(error)(parts)
        new, kept = {}, {}
        for name, optimizer in optimizers.items():
            updates, kept[name] = optimizer.update(grads[name], states[name])
            new[name] = optax.apply_updates(parts[name], updates)
        return new, kept

    parts = {
        "encoder": {"w": jnp.ones((8, 3)), "b": jnp.ones(3)},
        "decoder": {"w": jnp.ones((3, 8)), "b": jnp.ones(8)},
    }
    states = {name: made(one.init, parts[name]) for name, one in optimizers.items()}
    return step, (parts, states, jnp.ones((5, 8)))


PROGRAMS = (
    *(held_nnx_mixer, held_linen_tagger, held_equinox_dqn, held_haiku_unet),
    *(held_jitted_blocks, held_two_rates),
)
