"""Keras 3 on JAX: its own loops, and steps that users write around a model's stateless calls."""

from __future__ import annotations

import os

os.environ.setdefault("KERAS_BACKEND", "jax")
import keras  # noqa: F401  (what the programs need)

from .grammar import Call, Kind, Subject

MODEL = """
import keras

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3), keras.layers.Dense(1)])
model.compile(optimizer="sgd", loss="mse")
weights = [variable.value for variable in model.trainable_variables]
others = [variable.value for variable in model.non_trainable_variables]
n16, n20, y20 = np.ones((16, 4)), np.ones((20, 4)), np.ones((20, 1))
"""
TRAIN = (
    MODEL
    + """
model.optimizer.build(model.trainable_variables)
slots = [variable.value for variable in model.optimizer.variables]

def loss(weights, others, x):
    out, others = model.stateless_call(weights, others, x, training=True)
    return jnp.mean(out ** 2), others

@jax.jit
def train(weights, others, slots, x):  #= train
    ran.append("train")
    (value, others), grads = jax.value_and_grad(loss, has_aux=True)(weights, others, x)
    weights, slots = model.optimizer.stateless_apply(slots, grads, weights)
    return value, weights, others, slots
"""
)

SUBJECTS = (
    Subject(
        "jit of stateless_call",
        MODEL + "jitted = jax.jit(model.stateless_call)",
        "jitted",
        "stateless_call: {why}",
        "weights, others, {args}",
        has="loop",
        where={"x": "args[0]"},
    ),
    Subject(
        "training step",
        TRAIN,
        "train",
        "train: {why}",
        "weights, others, slots, {args}",
        has="loop",
    ),
    Subject(
        "jit of a lambda around a model",
        MODEL + 'jitted = jax.jit(lambda x: (ran.append("<lambda>"), model(x))[1])  #= <lambda>',
        "jitted",
        "<lambda>: {why}",
        has="loop",
    ),
    Subject(
        "fit",
        MODEL,
        "model.fit",
        "^train_step: {why}",
        "n20, y20, verbose=0, shuffle=False, {args}",
        own=True,
        looks=False,
        kinds=(
            Kind("whole batches", (Call("batch_size=10, epochs=2", "first"),)),
            Kind(
                "smaller last batch",
                (Call("batch_size=8", "first; ^train_step: shape data[0] + shape data[1]"),),
            ),
        ),
    ),
    Subject(
        "predict",
        MODEL,
        "model.predict",
        "^predict_step: {why}",
        "{args}, verbose=0",
        own=True,
        looks=False,
        kinds=(
            Kind("a hit", (Call("n16, batch_size=16", "first"), Call("n16, batch_size=16", ""))),
            Kind(
                "shape",
                (Call("n16, batch_size=16", "first"), Call("n16, batch_size=8", "shape data")),
            ),
        ),
    ),
)
