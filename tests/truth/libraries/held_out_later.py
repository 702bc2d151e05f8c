"""Six more programs that no rule was made for, of kinds that were not held out before: written,
with their authors' sentences, before jaxviz had seen them."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import haiku as hk
import jax
import jax.numpy as jnp
import optax
from flax import nnx

from . import Call, made
from .keras_models import built, keras, layers, values


class Digits(nnx.Module):
    def __init__(self, rngs: nnx.Rngs) -> None:
        self.encoder = nnx.Linear(16, 32, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.classifier = nnx.Linear(32, 10, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        return self.classifier(self.dropout(nnx.relu(self.encoder(x))))


def held_nnx_metrics() -> Call:
    """A step of training and the evaluation after it, with metrics of their own."""
    model = Digits(nnx.Rngs(0, dropout=1))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)
    average = nnx.metrics.Average("loss")
    metrics = nnx.MultiMetric(accuracy=nnx.metrics.Accuracy(), loss=average)

    def loss_fn(model: Digits, batch: Any) -> Any:
        logits = model(batch["image"])
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"])
        return losses.mean(), logits

    @nnx.jit
    def train_and_eval(model: Any, optimizer: Any, metrics: Any, train: Any, test: Any) -> None:
        model.train()
        (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model, train)
        metrics.update(loss=loss, logits=logits, labels=train["label"])
        optimizer.update(model, grads)
        model.eval()
        loss, logits = loss_fn(model, test)
        metrics.update(loss=loss, logits=logits, labels=test["label"])

    batch = {"image": jnp.ones((4, 16)), "label": jnp.zeros(4, int)}
    return train_and_eval, (model, optimizer, metrics, batch, batch)


def held_optax_multi_steps() -> Call:
    """Gradients of four small batches are gathered before the parameters move."""
    opt = optax.MultiSteps(optax.adamw(1e-3), every_k_schedule=4)

    def net(params: Any, x: Any) -> Any:
        for layer in params["hidden"]:
            x = jax.nn.gelu(x @ layer["kernel"] + layer["bias"])
        return x @ params["readout"]["kernel"] + params["readout"]["bias"]

    def loss(params: Any, x: Any, y: Any) -> Any:
        return optax.sigmoid_binary_cross_entropy(net(params, x)[:, 0], y).mean()

    @jax.jit
    def train_step(params: Any, opt_state: Any, x: Any, y: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params, x, y)
        updates, opt_state = opt.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, value

    def dense(width: int) -> Any:
        return {"kernel": jnp.ones((8, width)), "bias": jnp.ones(width)}

    params = {"hidden": [dense(8), dense(8)], "readout": dense(1)}
    return train_step, (params, made(opt.init, params), jnp.ones((4, 8)), jnp.ones(4))


class Discriminator(eqx.Module):
    """The example of Equinox' documentation on stateful operations."""

    conv: eqx.nn.SpectralNorm
    hidden: eqx.nn.SpectralNorm
    score: eqx.nn.Linear

    def __init__(self, key: Any) -> None:
        keys = jax.random.split(key, 5)
        conv = eqx.nn.Conv2d(1, 4, 3, key=keys[0])
        self.conv = eqx.nn.SpectralNorm(conv, weight_name="weight", key=keys[1])
        hidden = eqx.nn.Linear(144, 16, key=keys[2])
        self.hidden = eqx.nn.SpectralNorm(hidden, weight_name="weight", key=keys[3])
        self.score = eqx.nn.Linear(16, 1, key=keys[4])

    def __call__(self, x: Any, state: Any) -> Any:
        x, state = self.conv(x, state)
        x, state = self.hidden(jax.nn.leaky_relu(x.reshape(-1)), state)
        return self.score(jax.nn.leaky_relu(x)), state


def held_equinox_spectral() -> Call:
    model, state = eqx.nn.make_with_state(Discriminator)(jax.random.key(0))
    optim = optax.rmsprop(1e-3)

    def hinge(model: Any, state: Any, images: Any, real: Any) -> Any:
        batched = jax.vmap(model, axis_name="batch", in_axes=(0, None), out_axes=(0, None))
        scores, state = batched(images, state)
        return jnp.mean(jnp.maximum(0.0, 1.0 - real * scores[:, 0])), state

    @eqx.filter_jit
    def make_step(model: Any, state: Any, opt_state: Any, images: Any, real: Any) -> Any:
        grads, state = eqx.filter_grad(hinge, has_aux=True)(model, state, images, real)
        updates, opt_state = optim.update(grads, opt_state)
        return eqx.apply_updates(model, updates), state, opt_state

    opt_state = optim.init(eqx.filter(model, eqx.is_inexact_array))
    return make_step, (model, state, opt_state, jnp.ones((2, 1, 8, 8)), jnp.ones(2))


def held_keras_tickets() -> Call:
    """The model of several inputs and outputs in Keras' guide to the functional API."""
    text, tags = jnp.zeros((2, 6), jnp.int32), jnp.ones((2, 5))
    data = {"body": text, "tags": tags}, {"priority": jnp.ones((2, 1)), "dept": jnp.ones((2, 3))}

    def build() -> Any:
        body = keras.Input(shape=(6,), dtype="int32", name="body")
        labels = keras.Input(shape=(5,), name="tags")
        words = layers.Embedding(20, 8, name="words")(body)
        read = layers.LSTM(8, name="read")(words)
        x = layers.concatenate([read, labels])
        priority = layers.Dense(1, activation="sigmoid", name="priority")(x)
        dept = layers.Dense(3, name="dept")(x)
        outputs = {"priority": priority, "dept": dept}
        model: Any = keras.Model(inputs=[body, labels], outputs=outputs)
        loss = {
            "priority": keras.losses.BinaryCrossentropy(),
            "dept": keras.losses.CategoricalCrossentropy(from_logits=True),
        }
        model.compile(optimizer=keras.optimizers.RMSprop(1e-3), loss=loss)
        model._symbolic_build(data_batch=data)  # what `fit` does first
        return model

    model = built(build)
    held = (
        *(model.trainable_variables, model.non_trainable_variables),
        *(model.optimizer.variables, model.metrics_variables),
    )
    return jax.jit(model.train_step), (tuple(map(values, held)), data)


class CausalTransformer(hk.Module):
    """Haiku's example of a transformer."""

    def __call__(self, x: Any) -> Any:
        mask = jnp.tril(jnp.ones((1, 1, x.shape[1], x.shape[1])))
        scaled = hk.initializers.VarianceScaling(0.5)
        for _ in range(2):
            normed = hk.LayerNorm(-1, create_scale=True, create_offset=True)(x)
            attention = hk.MultiHeadAttention(num_heads=2, key_size=4, w_init=scaled)
            x = x + attention(normed, normed, normed, mask=mask)
            normed = hk.LayerNorm(-1, create_scale=True, create_offset=True)(x)
            dense = hk.Sequential([hk.Linear(16), jax.nn.gelu, hk.Linear(8)], name="dense_block")
            x = x + dense(normed)
        return hk.LayerNorm(-1, create_scale=True, create_offset=True, name="ln_f")(x)


def held_haiku_transformer() -> Call:
    def forward(tokens: Any) -> Any:
        x = hk.Embed(16, 8, name="token_embed")(tokens)
        x = x + hk.get_parameter("positional_embed", [6, 8], init=jnp.zeros)
        x = CausalTransformer(name="transformer")(x)
        return hk.Linear(16, name="logits")(x)

    model = hk.without_apply_rng(hk.transform(forward))
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(1e-3))

    def lm_loss(params: Any, tokens: Any) -> Any:
        logits = model.apply(params, tokens[:, :-1])
        hits = jax.nn.one_hot(tokens[:, 1:], 16) * jax.nn.log_softmax(logits)
        return -hits.sum() / hits.shape[1]

    @jax.jit
    def update(params: Any, opt_state: Any, tokens: Any) -> Any:
        loss, grads = jax.value_and_grad(lm_loss)(params, tokens)
        updates, opt_state = optimizer.update(grads, opt_state)
        return optax.apply_updates(params, updates), opt_state, loss

    tokens = jnp.zeros((2, 7), int)
    params = made(model.init, jax.random.key(0), tokens[:, 1:])
    return update, (params, made(optimizer.init, params), tokens)


def held_dict_gpt() -> Call:
    """A GPT in plain dicts, whose blocks are stacked for a scan."""

    def norm(scale: Any, x: Any) -> Any:
        return scale * x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6)

    def block(x: Any, p: Any) -> Any:
        q, k, v = jnp.split(norm(p["norm1"], x) @ p["qkv"], 3, axis=-1)
        scores = jnp.where(jnp.tri(x.shape[1]), jnp.einsum("btd,bsd->bts", q, k), -1e9)
        x = x + jax.nn.softmax(scores / 2.8) @ v @ p["proj"]
        return x + jax.nn.silu(norm(p["norm2"], x) @ p["up"]) @ p["down"], None

    def gpt(params: Any, tokens: Any) -> Any:
        x = params["embed"][tokens] + params["position"]
        x, _ = jax.lax.scan(block, x, params["blocks"])
        return norm(params["norm"], x) @ params["unembed"]

    def cross_entropy(params: Any, tokens: Any) -> Any:
        logp = jax.nn.log_softmax(gpt(params, tokens[:, :-1]))
        return -jnp.take_along_axis(logp, tokens[:, 1:, None], axis=-1).mean()

    optimizer = optax.adamw(1e-3)

    @jax.jit
    def step(params: Any, opt_state: Any, tokens: Any) -> Any:
        loss, grads = jax.value_and_grad(cross_entropy)(params, tokens)
        updates, opt_state = optimizer.update(grads, opt_state, params)
        return optax.apply_updates(params, updates), opt_state, loss

    shapes = {"norm1": (8,), "qkv": (8, 24), "proj": (8, 8), "norm2": (8,)}
    shapes |= {"up": (8, 32), "down": (32, 8)}
    blocks = {name: jnp.ones((3, *shape)) for name, shape in shapes.items()}
    params = {"embed": jnp.ones((16, 8)), "position": jnp.ones((6, 8)), "blocks": blocks}
    params |= {"norm": jnp.ones(8), "unembed": jnp.ones((8, 16))}
    return step, (params, made(optimizer.init, params), jnp.zeros((2, 7), int))


PROGRAMS = (
    *(held_nnx_metrics, held_optax_multi_steps, held_equinox_spectral),
    *(held_keras_tickets, held_haiku_transformer, held_dict_gpt),
)
