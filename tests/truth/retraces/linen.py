"""Flax linen: a module's `apply` and `init` jitted as they are, and a training step around them."""

from __future__ import annotations

import flax.linen  # noqa: F401  (what the programs need)
import optax  # noqa: F401

from .grammar import Call, Kind, Subject
from .sides import FLAG, ONE_WAY

MODEL = """
import flax.linen as nn
import optax

class Net(nn.Module):  #= apply init
    width: int = 3
    @nn.compact
    def __call__(self, x, scale=1.0):  #= apply init
        ran.append("LABEL")
        x = nn.relu(nn.Dense(self.width)(x))
        return nn.Dense(1)(x) * scale

net = Net()
params = net.init(key, x8)
wide = Net(5).init(key, x8)
ran.clear()
"""
APPLY = MODEL.replace("LABEL", "apply")
TRAIN = (
    MODEL.replace("LABEL", "net")
    + """
tx = optax.adam(1e-3)
state = tx.init(params)

def loss(params, batch):
    ran.append("loss")
    return jnp.mean(net.apply(params, batch) ** 2)

@jax.jit
def train(params, state, batch):  #= train
    ran.append("train")
    value, grads = jax.value_and_grad(loss)(params, batch)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, value
"""
)
KERNEL = "shape variables['params']['Dense_0']['kernel'] f32[4,3]→f32[4,5]"
OTHERS = (
    "shape variables['params']['Dense_0']['bias'] + shape variables['params']['Dense_1']['kernel']"
)

SUBJECTS = (
    Subject(
        "jit of model.apply",
        APPLY + "jitted = jax.jit(net.apply)",
        "jitted",
        "apply/Net: {why}",
        "params, {args}",
        has="loop rank",
        kinds=(
            Kind(
                "keyword of the module",
                (Call("x8, scale=one", "first"), Call("x8, scale=2.0", "weak type scale")),
            ),
            Kind(
                "left out",
                (Call("x8", "first"), Call("x8, one", "static scale 1.0 (static)→f32[]")),
            ),
        ),
    ),
    Subject(
        "jit of model.apply, with other parameters",
        APPLY + "jitted = jax.jit(Net(5).apply)\njitted = jax.jit(Net(5).apply)",
        "jitted",
        "apply/Net: {why}",
        "{args}",
        own=True,
        kinds=(
            Kind(
                "dtype of a parameter",
                (
                    Call("wide, x8", "first"),
                    Call(
                        "{**wide, 'extra': {'a': x8}}, x8",
                        "pytree variables['extra']['a'] absent→f32[8,4]",
                    ),
                ),
                "",
            ),
        ),
    ),
    Subject(
        "jit of model.init",
        MODEL.replace("LABEL", "init") + "jitted = jax.jit(net.init)",
        "jitted",
        "init/Net: {why}",
        "key, {args}",
        without=("committed",),  # what is made of shapes alone does not read x
        has="loop rank",
    ),
    Subject(
        "training step",
        TRAIN,
        "train",
        "train: {why}",
        "params, state, {args}",
        has="loop",
        where={"x": "batch"},
    ),
    Subject(
        "jit of a lambda around apply",
        MODEL.replace("LABEL", "net")
        + 'jitted = jax.jit(lambda x: (ran.append("<lambda>"), net.apply(params, x))[1])  #= <lambda>',
        "jitted",
        "<lambda>: {why}",
        has="loop rank",
    ),
    Subject(
        "jit of a partial of apply",
        APPLY + "jitted = jax.jit(partial(net.apply, params))",
        "jitted",
        "apply/Net: {why}",
        has="loop rank",
    ),
    Subject(
        "jit of grad of a loss",
        MODEL.replace("LABEL", "net")
        + """
def loss(params, batch):  #= loss
    ran.append("loss")
    return jnp.mean(net.apply(params, batch) ** 2)

gradient = jax.jit(jax.value_and_grad(loss))
""",
        "gradient",
        "loss: {why}",
        "params, {args}",
        has="loop rank",
        where={"x": "batch"},
    ),
    Subject(
        "a flag, jit of model.apply",
        APPLY.replace("scale=1.0", "train=False").replace("* scale", "* (2 if train else 3)")
        + 'jitted = jax.jit(net.apply, static_argnames="train")',
        "jitted",
        "apply/Net: {why}",
        "params, {args}",
        kinds=ONE_WAY,
        own=True,
    ),
    Subject(
        "a flag, training step",
        TRAIN.replace("@jax.jit", '@partial(jax.jit, static_argnames="train")')
        .replace("def train(params, state, batch)", "def fit(params, state, x, train=False)")
        .replace("#= train", "#= fit")
        .replace('ran.append("train")', 'ran.append("fit")')
        .replace("(loss)(params, batch)", "(loss)(params, x)"),
        "fit",
        "fit: {why}",
        "params, state, {args}",
        kinds=FLAG,
        own=True,
    ),
)
