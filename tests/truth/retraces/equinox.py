"""Equinox: its filtered transformations around plain functions and models."""

from __future__ import annotations

import equinox  # noqa: F401  (what the programs need)
import optax  # noqa: F401

from .grammar import Call, Kind, Subject
from .sides import FLAG, STYLE_HINT

MODEL = """
import equinox as eqx
import optax

class Net(eqx.Module):
    layers: list
    def __init__(self, width, key):
        self.layers = [eqx.nn.Linear(4, width, key=key), eqx.nn.Linear(width, 1, key=key)]
    def __call__(self, x):
        first, last = self.layers
        return last(jax.nn.relu(first(x)))

net = Net(3, key)
wide = Net(5, key)
"""
FORWARD = """
@eqx.filter_jit
def forward(model, x, lr=None):  #= forward
    ran.append("forward")
    return jax.vmap(model)(x) * (1 if lr is None else lr)
"""
WIDE = (
    "shape model.layers[0].weight f32[3,4]→f32[5,4] + shape model.layers[0].bias f32[3]→f32[5] + "
    "shape model.layers[1].weight f32[1,3]→f32[1,5]"
)
WIDTH = "static model.layers[0].out_features 3→5 + static model.layers[1].in_features 3→5"

SUBJECTS = (
    Subject(
        "filter_jit of a forward pass",
        MODEL + FORWARD,
        "forward",
        "forward: {why}",
        "net, {args}",
        has="loop x64",
        kinds=(
            Kind(
                "a number that is static",
                (
                    Call("x8, 0.1", "first"),
                    Call("x8, 0.2", "static lr 0.1→0.2"),
                    Call("x8, 0.1", ""),
                ),
            ),
            Kind(
                "number to array",
                (
                    Call("x8, lr=one", "first"),
                    Call("x8, lr=one + 1", ""),
                    Call("x16, lr=one", "shape x f32[8,4]→f32[16,4]"),
                ),
            ),
        ),
    ),
    Subject(
        "filter_jit of models",
        MODEL + FORWARD,
        "forward",
        "forward: {why}",
        own=True,
        kinds=(
            Kind(
                "wider model",
                (
                    Call("net, x8", "first"),
                    Call("wide, x8", f"{WIDE} | {WIDE} + {WIDTH} | {WIDTH}"),
                    Call("net, x8", ""),
                ),
            ),
        ),
    ),
    Subject(
        "filter_jit training step",
        MODEL
        + """
tx = optax.adam(1e-3)
state = tx.init(eqx.filter(net, eqx.is_array))

@eqx.filter_value_and_grad
def loss(model, x):
    ran.append("loss")
    return jnp.mean(jax.vmap(model)(x) ** 2)

@eqx.filter_jit
def train(model, state, x):  #= train
    ran.append("train")
    value, grads = loss(model, x)
    updates, state = tx.update(grads, state, model)
    return eqx.apply_updates(model, updates), state, value
""",
        "train",
        "train: {why}",
        "net, state, {args}",
        has="loop",
    ),
    Subject(
        "filter_jit of filter_value_and_grad",
        MODEL
        + """
def loss(model, x):  #= loss
    ran.append("loss")
    return jnp.mean(jax.vmap(model)(x) ** 2)

gradient = eqx.filter_jit(eqx.filter_value_and_grad(loss))
""",
        "gradient",
        "loss: {why}",
        "net, {args}",
        has="loop",
    ),
    Subject(
        "filter_jit of filter_vmap",
        MODEL
        + """
def forward(x):  #= forward
    ran.append("forward")
    return net(x)

mapped = eqx.filter_jit(eqx.filter_vmap(forward))
""",
        "mapped",
        "forward: {why}",
        has="loop",
    ),
    Subject(
        "filter_grad of filter_jit",
        MODEL
        + """
@eqx.filter_jit
def loss(model, x):  #= loss
    ran.append("loss")
    return jnp.mean(jax.vmap(model)(x) ** 2)

gradient = eqx.filter_grad(loss)
""",
        "gradient",
        "~loss: {why}",
        "net, {args}",
    ),
    Subject(
        "filter_jit of a method",
        MODEL.replace(
            "    def __call__",
            """    @eqx.filter_jit
    def predict(self, x):  #= predict
        ran.append("predict")
        return jax.vmap(self)(x)
    def __call__""",
        ),
        "net.predict",
        "predict: {why}",
        has="loop",
    ),
    Subject(
        "jit of a partitioned model",
        MODEL
        + """
params, static = eqx.partition(net, eqx.is_array)

@jax.jit
def forward(params, x):  #= forward
    ran.append("forward")
    return jax.vmap(eqx.combine(params, static))(x)
""",
        "forward",
        "forward: {why}",
        "params, {args}",
        has="loop",
    ),
    Subject(
        "a flag, filter_jit",
        MODEL
        + """
@eqx.filter_jit
def forward(model, x, train=False):  #= forward
    ran.append("forward")
    return jax.vmap(model)(x) * (2 if train else 3)
""",
        "forward",
        "forward: {why}",
        "net, {args}",
        own=True,
        kinds=(
            FLAG[0],
            FLAG[1],
            Kind(
                "default to the same value",  # Equinox hands keywords on by position
                (Call("x8", "first"), Call("x8, train=False", f"style train => {STYLE_HINT}")),
            ),
            Kind("keyword to the same", (Call("x8, train=True", "first"), Call("x8, True", ""))),
            FLAG[3],
            FLAG[5],
        ),
    ),
)
