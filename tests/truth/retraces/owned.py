"""Caches that are cleared, and traces that a library makes for itself, by library.

Each subject defines `step` and `other`, which the reader jitted and which are traced before
watching, and `library(x)`, a call of a library. The truth has no line for what a library traces
meanwhile: nothing is reported of it.
"""

from __future__ import annotations

from .program import WATCH, Program

JAX = """
@jax.jit
def step(x):  #= step
    ran.append("step")
    return total(x)

@jax.jit
def other(x):  #= other
    ran.append("other")
    return total(x) * 2
"""
INNER = """
@jax.jit
def inner(x):  #= inner
    ran.append("inner")
    return jnp.sin(x)

@jax.jit
def step(x):  #= step
    ran.append("step")
    return inner(x) + 1

@jax.jit
def other(x):  #= other
    ran.append("other")
    return inner(x) * 2
"""
AROUND = """
@jax.jit
def step(x):  #= step
    ran.append("step")
    return total(library(x))

@jax.jit
def other(x):  #= other
    ran.append("other")
    return total(library(x)) * 2
"""
LIBRARIES = {
    "JAX": {
        "two functions": JAX + "library = total",
        "functions that share another": INNER + "library = total",
        "a function of jnp": AROUND + "library = jnp.linalg.norm",
    },
    "Flax linen": {
        "apply": """
import flax.linen as nn

net = nn.Sequential([nn.Dense(3), nn.relu, nn.LayerNorm(), nn.Dense(1)])
params = net.init(key, x8)

def library(x):
    return net.apply(params, x)
"""
        + AROUND,
        "init": """
import flax.linen as nn

def library(x):
    return nn.Dense(3).init(key, x)
"""
        + AROUND,
        "a module with state": """
import flax.linen as nn

net = nn.BatchNorm(use_running_average=False)
params = net.init(key, x8)

def library(x):
    return net.apply(params, x, mutable=["batch_stats"])
"""
        + AROUND,
    },
    "Flax NNX": {
        "a model": """
from flax import nnx

model = nnx.Sequential(nnx.Linear(4, 3, rngs=nnx.Rngs(0)), nnx.relu)

def library(x):
    return model(x)
"""
        + AROUND,
        "nnx.jit": """
from flax import nnx

model = nnx.Linear(4, 3, rngs=nnx.Rngs(0))

def library(x):
    return model(x)

@nnx.jit
def step(x):  #= step
    ran.append("step")
    return total(library(x))

@nnx.jit
def other(x):  #= other
    ran.append("other")
    return total(library(x)) * 2
""",
    },
    "Equinox": {
        "a model": """
import equinox as eqx

model = eqx.nn.MLP(4, 2, 8, 1, key=key)

def library(x):
    return jax.vmap(model)(x)
"""
        + AROUND,
        "checked values": """
import equinox as eqx

def library(x):
    return eqx.error_if(x, jnp.any(x < 0), "negative")
"""
        + AROUND,
        "filter_grad": """
import equinox as eqx

def library(x):
    return eqx.filter_grad(lambda x: total(x))(x)
"""
        + AROUND,
    },
    "Haiku": {
        "transform": """
import haiku as hk

net = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([3, 1])(x)))
params = net.init(key, x8)

def library(x):
    return net.apply(params, x)
"""
        + AROUND,
        "a scan of a library": """
import haiku as hk

def rnn(x):
    core = hk.VanillaRNN(3)
    return hk.dynamic_unroll(core, x[:, None], core.initial_state(1))[0]

net = hk.without_apply_rng(hk.transform(rnn))
params = net.init(key, x8)

def library(x):
    return net.apply(params, x)
"""
        + AROUND,
    },
    "Optax": {
        "an update": """
import optax

tx = optax.adam(1e-3)

def library(x):
    return optax.apply_updates(x, tx.update(x, tx.init(x), x)[0])
"""
        + AROUND,
        "a line search": """
import optax

tx = optax.lbfgs()

def library(x):
    grad = jax.grad(total)(x)
    value, state = total(x), tx.init(x)
    return tx.update(grad, state, x, value=value, grad=grad, value_fn=total)[0]
"""
        + AROUND,
    },
    "Keras": {
        "layers": """
import keras

layer = keras.layers.Dense(3)
layer.build((None, 4))

def library(x):
    return layer(x)
"""
        + AROUND,
    },
}
CLEARED = {
    "cleared": """
step.clear_cache()
step(x8)  #> step: cleared
step(x8)
other(x8)
""",
    "cleared twice": """
step.clear_cache()
step(x8)  #> step: cleared
step.clear_cache()
step(x8)  #> step: cleared
other(x8)
""",
    "both cleared": """
step.clear_cache()
other.clear_cache()
other(x8)  #> other: cleared
step(x8)  #> step: cleared
""",
    "cleared in a loop": """
for _ in range(3):
    step.clear_cache()
    step(x8)  #> step: cleared; step: cleared; step: cleared
    other(x8)
""",
    "cleared, and another shape": """
step.clear_cache()
step(x16)  #> step: shape x
step(x8)  #> step: cleared
other(x8)
""",
    "another function cleared": """
other.clear_cache()
step(x8)
step(x16)  #> step: shape x
other(x8)  #> other: cleared
""",
    "a function is gone": """
import gc
made = jax.jit(lambda x: total(x) * 3)  #= <lambda>
made(x8)  #> <lambda>: first
del made
gc.collect()
step(x8)
other(x8)
step(x16)  #> step: shape x
""",
}
ALL_CLEARED = {
    "all cleared": """
jax.clear_caches()
step(x8)  #> step: cleared
step(x8)
""",
    "all cleared, one called": """
jax.clear_caches()
other(x8)  #> other: cleared
other(x16)  #> other: shape x
""",
}
SHARED = ("cleared", "cleared twice", "both cleared", "cleared in a loop")
"""The kinds in which no other trace is within that of `step`."""
OUTSIDE = {
    "outside of jit": """
library(x8)
library(x8)
step(x8)
""",
    "outside of jit, with another shape": """
library(x8)
library(x16)
step(x16)  #> step: shape x
""",
    "outside of jit, in a loop": """
for batch in batches:
    library(batch)
    step(batch)  #> step: shape x f32[8,4]→f32[5,4]
""",
}
"""Traces of a library outside of jit are the library's. It may compile a loop of its own: this is
reported as the library's, and is no retrace."""
OWN_LOOPS = ("a scan of a library", "a line search", "an update", "checked values")
"""Subjects that the library compiles on its own, outside of jit."""


BEFORE = """with jaxviz.watch():
    step(x8)
    other(x8)
ran.clear()"""


def programs(library: str) -> list[Program]:
    """The programs of a library."""
    return [
        Program(
            library,
            kind,
            subject,
            "not looked at",
            f"{setup.strip()}\n\n{BEFORE}\n{WATCH}\n{calls.strip()}",
        )
        for subject, setup in LIBRARIES[library].items()
        for kind, calls in _kinds(library, subject).items()
    ]


def _kinds(library: str, subject: str) -> dict[str, str]:
    if subject == "functions that share another":
        return {kind: CLEARED[kind] for kind in SHARED}
    clearing = {} if subject == "nnx.jit" else CLEARED  # what it returns has no clear_cache
    outside = {} if library == "JAX" or subject in OWN_LOOPS else OUTSIDE
    return {**clearing, **ALL_CLEARED, **outside}
