"""Optax: an optimizer's functions jitted as they are, and steps that users write around them."""

from __future__ import annotations

import optax  # noqa: F401  (what the programs need)

from .grammar import Subject

STEP = """
import optax

tx = OPTIMIZER
params = {"w": jnp.ones((4, 1))}
state = tx.init(params)

def loss(params, x):
    return jnp.mean((x @ params["w"]) ** 2)

@jax.jit
def train(params, state, x):  #= train
    ran.append("train")
    value, grads = jax.value_and_grad(loss)(params, x)
    updates, state = tx.update(grads, state, params)
    return optax.apply_updates(params, updates), state, value
"""
WITHIN = """
import optax

tx = optax.sgd(0.1)
state = tx.init(x8)
"""

SUBJECTS = (
    *(
        Subject(
            f"training step with {name}",
            STEP.replace("OPTIMIZER", made),
            "train",
            "train: {why}",
            "params, state, {args}",
            has="loop",
            library="Optax",
        )
        for name, made in {
            "Adam": "optax.adam(1e-3)",
            "a chain": "optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))",
        }.items()
    ),
    Subject(
        "jit of update",
        WITHIN + "jitted = jax.jit(tx.update)",
        "jitted",
        "update/update_fn: {why}",
        "{args}, state",
        has="loop rank tree",
        where={"x": "updates", "x['b']": "updates['b']", "x['a'][0]": "updates['a'][0]"},
    ),
    Subject(
        "jit of init",
        WITHIN.replace("optax.sgd(0.1)", "optax.adam(0.1)") + "jitted = jax.jit(tx.init)",
        "jitted",
        "init/init_fn: {why}",
        without=("committed",),  # what is made of shapes alone does not read x
        has="loop rank tree",
        where={"x": "params", "x['b']": "params['b']", "x['a'][0]": "params['a'][0]"},
    ),
    Subject(
        "jit of apply_updates",
        'import optax\njitted = jax.jit(lambda x: (ran.append("<lambda>"), optax.apply_updates(x, x))[1])  #= <lambda>',
        "jitted",
        "<lambda>: {why}",
        has="loop rank tree",
    ),
)
