"""Objects that a program makes anew for each call, so that two are not equal. Each has the hint that
names the place, and the same program with the suggested fix."""

from __future__ import annotations

from .anew_equinox import EQUINOX
from .anew_flax import LINEN, NNX
from .anew_jax import JAX
from .program import Edits, Program, with_fixed

HAIKU: dict[str, tuple[str, Edits]] = {
    "a transformed function each time": (
        """
import haiku as hk
params = hk.transform(lambda x: hk.Linear(1)(x)).init(key, x8)
@partial(jax.jit, static_argnames="apply")
def step(params, x, apply):  #= step
    ran.append("step")
    return apply(params, None, x)
# watch
for i in range(3):
    net = hk.transform(lambda x: hk.Linear(1)(x))
    step(params, x8, net.apply)  #> step: first; step: static apply => `transform` is made again in {file}, line 9: make it once, above the loop; step: static apply
""",
        (
            (
                "for i in range(3):\n    net = hk.transform(lambda x: hk.Linear(1)(x))",
                "net = hk.transform(lambda x: hk.Linear(1)(x))\nfor i in range(3):",
            ),
        ),
    ),
    "one transformed function": (
        """
import haiku as hk
net = hk.transform(lambda x: hk.Linear(1)(x))
params = net.init(key, x8)
@partial(jax.jit, static_argnames="apply")
def step(params, x, apply):  #= step
    ran.append("step")
    return apply(params, None, x)
# watch
for i in range(3):
    step(params, x8, net.apply)  #> step: first
""",
        (),
    ),
}
SGD = """
import optax
params = {"w": jnp.ones((4, 1))}
state = optax.adam(1e-3).init(params)
@partial(jax.jit, static_argnames="tx")
def train(params, state, tx):  #= train
    ran.append("train")
    return tx.update(params, state, params)
"""
OPTAX: dict[str, tuple[str, Edits]] = {
    "an optimizer as a static argument": (
        SGD
        + """
# watch
for i in range(3):
    train(params, state, optax.adam(1e-3))  #> train: first; train: static tx => `adam` is made again in {file}, line 11: make it once, above the loop; train: static tx
""",
        (
            ("for i in", "tx = optax.adam(1e-3)\nfor i in"),
            ("train(params, state, optax.adam(1e-3))", "train(params, state, tx)"),
        ),
    ),
    "an optimizer as a static argument, by name": (
        SGD
        + """
# watch
for i in range(3):
    tx = optax.adam(learning_rate=1e-3)
    train(params, state, tx=tx)  #> train: first; train: static tx => `adam` is made again in {file}, line 11: make it once, above the loop; train: static tx
""",
        (
            (
                "for i in range(3):\n    tx = optax.adam(learning_rate=1e-3)",
                "tx = optax.adam(learning_rate=1e-3)\nfor i in range(3):",
            ),
        ),
    ),
    "an optimizer made by a function": (
        SGD
        + """
def optimizer():
    return optax.adam(1e-3)
# watch
for i in range(3):
    train(params, state, tx=optimizer())  #> train: first; train: static tx => `optimizer` is made again in {file}, line 13: make it once, above the loop; train: static tx
""",
        (("for i in", "tx = optimizer()\nfor i in"), ("tx=optimizer()", "tx=tx")),
    ),
    "an optimizer twice": (
        SGD
        + """
# watch
train(params, state, optax.adam(1e-3))  #> train: first
train(params, state, optax.adam(1e-3))  #> train: static tx => `adam` is made again in {file}, line 11: make it once, and pass the same one every time
""",
        (
            ("# watch", "tx = optax.adam(1e-3)\n# watch"),
            ("train(params, state, optax.adam(1e-3))", "train(params, state, tx)"),
        ),
    ),
    "a schedule as a static argument": (
        """
import optax
@partial(jax.jit, static_argnames="schedule")
def update(w, i, schedule):  #= update
    ran.append("update")
    return w - schedule(i) * w
# watch
for run in range(3):
    update(x8, 0, optax.cosine_decay_schedule(0.1, 10))  #> update: first; update: static schedule => `cosine_decay_schedule` is made again in {file}, line 8: make it once, above the loop; update: static schedule
""",
        (
            ("for run", "decay = optax.cosine_decay_schedule(0.1, 10)\nfor run"),
            ("x8, 0, optax.cosine_decay_schedule(0.1, 10)", "x8, 0, decay"),
        ),
    ),
    "one optimizer": (
        SGD
        + """
tx = optax.adam(1e-3)
# watch
for i in range(3):
    train(params, state, tx)  #> train: first
""",
        (),
    ),
}
KERAS: dict[str, tuple[str, Edits]] = {
    "a loss as a static argument": (
        """
import keras
model = keras.Sequential([keras.layers.Dense(1)])
model.build((8, 4))
weights = [v.value for v in model.trainable_variables]
@partial(jax.jit, static_argnames="loss")
def evaluate(weights, x, loss):  #= evaluate
    ran.append("evaluate")
    return loss(x[:, :1], model.stateless_call(weights, [], x)[0])
# watch
for i in range(3):
    evaluate(weights, x8, keras.losses.MeanSquaredError())  #> evaluate: first; evaluate: static loss => `MeanSquaredError` is made again in {file}, line 11: make it once, above the loop; evaluate: static loss
""",
        (
            ("for i in", "loss = keras.losses.MeanSquaredError()\nfor i in"),
            ("x8, keras.losses.MeanSquaredError()", "x8, loss"),
        ),
    ),
}
ALL = {
    "JAX": JAX,
    "Flax linen": LINEN,
    "Flax NNX": NNX,
    "Equinox": EQUINOX,
    "Haiku": HAIKU,
    "Optax": OPTAX,
    "Keras": KERAS,
}


def programs(library: str) -> list[Program]:
    """Those of a library, each followed by the same with its edits."""
    return with_fixed("made anew, not equal", ALL[library], library)
