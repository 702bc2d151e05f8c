"""Haiku and Optax: functions that these libraries make, jitted as they are."""

from __future__ import annotations

import haiku  # noqa: F401  (what the programs need)
import optax  # noqa: F401

from .grammar import Subject
from .sides import ONE_WAY

MODEL = """
import haiku as hk
import optax

def forward(x):  #= forward init apply
    ran.append("LABEL")
    return hk.nets.MLP([3, 1])(x)

net = hk.transform(forward)
params = net.init(key, x8)
ran.clear()
"""
TRAIN = (
    MODEL.replace("LABEL", "net")
    + """
tx = optax.sgd(0.1, momentum=0.9)
state = tx.init(params)

def loss(params, batch):
    return jnp.mean(net.apply(params, None, batch) ** 2)

@jax.jit
def train(params, state, batch):  #= train
    ran.append("train")
    grads = jax.grad(loss)(params, batch)
    updates, state = tx.update(grads, state)
    return optax.apply_updates(params, updates), state
"""
)

SUBJECTS = (
    Subject(
        "jit of transform(f).apply",
        MODEL.replace("LABEL", "forward") + "jitted = jax.jit(net.apply)",
        "jitted",
        "forward/apply: {why}",
        "params, None, {args}",
        has="loop rank",
    ),
    Subject(
        "jit of transform(f).init",
        MODEL.replace("LABEL", "forward") + "jitted = jax.jit(net.init)",
        "jitted",
        "forward/init: {why}",
        "key, {args}",
        without=("committed",),  # what is made of shapes alone does not read x
        has="loop rank",
    ),
    Subject(
        "jit of without_apply_rng",
        MODEL.replace("LABEL", "forward") + "jitted = jax.jit(hk.without_apply_rng(net).apply)",
        "jitted",
        "forward/apply: {why}",
        "params, {args}",
        has="loop rank",
    ),
    Subject(
        "jit of transform_with_state",
        MODEL.replace("LABEL", "forward")
        .replace("hk.transform(", "hk.transform_with_state(")
        .replace("params = net", "params, state = net")
        + "jitted = jax.jit(net.apply)",
        "jitted",
        "forward/apply: {why}",
        "params, state, None, {args}",
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
        "a flag, jit of apply",
        """
import haiku as hk

def forward(x, train=False):  #= forward
    ran.append("forward")
    return hk.Linear(1)(x) * (2 if train else 3)

net = hk.without_apply_rng(hk.transform(forward))
params = net.init(key, x8)
ran.clear()
jitted = jax.jit(net.apply, static_argnames="train")
""",
        "jitted",
        "forward: {why}",
        "params, {args}",
        kinds=ONE_WAY,
        own=True,
    ),
)
