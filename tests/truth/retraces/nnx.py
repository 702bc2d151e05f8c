"""Flax NNX as its documentation writes it."""

from __future__ import annotations

import optax  # noqa: F401  (what the programs need)
from flax import nnx  # noqa: F401

from .grammar import Call, Kind, Subject
from .program import written
from .sides import ONE_WAY

MODEL = """
from flax import nnx
import optax

class Net(nnx.Module):
    def __init__(self, width, rngs):
        self.linear = nnx.Linear(4, width, rngs=rngs)
        self.head = nnx.Linear(width, 1, rngs=rngs)
    def __call__(self, x):
        return self.head(nnx.relu(self.linear(x)))

model = Net(3, nnx.Rngs(0))
wide = Net(5, nnx.Rngs(0))
"""
OPTIMIZER = "optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)\n"
TRAIN = (
    MODEL
    + OPTIMIZER
    + """
def loss(model, x):
    return jnp.mean(model(x) ** 2)

@nnx.jit
def train(model, optimizer, x):  #= train
    ran.append("train")
    value, grads = nnx.value_and_grad(loss)(model, x)
    optimizer.update(model, grads)
    return value
"""
)


PLACED = ("committed",)
"""Results that nnx.jit returns to the model are committed, too, so the next call differs."""


def _widths(argument: str) -> str:
    """The changes of a model that is wider."""

    def one(path: str) -> str:
        return f"shape {argument}.{path}"

    shapes = [one("head.kernel"), one("linear.bias"), one("linear.kernel")]
    sizes = [f"static {argument}.head.in_features", f"static {argument}.linear.out_features"]
    return f"{' + '.join(shapes)} | {' + '.join([*shapes, *sizes])}"


SUBJECTS = (
    Subject(
        "nnx.jit of a forward pass",
        MODEL
        + """
@nnx.jit
def forward(model, x):  #= forward
    ran.append("forward")
    return model(x)
""",
        "forward",
        "forward: {why}",
        "model, {args}",
        without=PLACED,
        has="loop rank",
    ),
    Subject(
        "nnx.jit of models",
        MODEL
        + """
@nnx.jit
def forward(model, x):  #= forward
    ran.append("forward")
    return model(x)
""",
        "forward",
        "forward: {why}",
        own=True,
        kinds=(
            Kind(
                "wider model",
                (
                    Call("model, x8", "first"),
                    Call("wide, x8", _widths("model")),
                    Call("model, x8", ""),
                ),
            ),
        ),
    ),
    Subject(
        "nnx.jit training step",
        TRAIN,
        "train",
        "train: {why}",
        "model, optimizer, {args}",
        without=PLACED,
        has="loop",
    ),
    Subject(
        "nnx.jit of nnx.value_and_grad",
        MODEL
        + """
def loss(model, x):  #= loss
    ran.append("loss")
    return jnp.mean(model(x) ** 2)

gradient = nnx.jit(nnx.value_and_grad(loss))
""",
        "gradient",
        "loss: {why}",
        "model, {args}",
        without=PLACED,
        has="loop rank",
    ),
    Subject(
        "nnx.jit with a static argument",
        MODEL
        + """
@partial(nnx.jit, static_argnames="mode")
def forward(model, x, mode="sin"):  #= forward
    ran.append("forward")
    return model(x) * (1 if mode == "sin" else 2)
""",
        "forward",
        "forward: {why}",
        "model, {args}",
        without=PLACED,
        has="loop mode",
    ),
    Subject(
        "jit with split and merge",
        MODEL
        + """
graphdef, state = nnx.split(model)

@jax.jit
def forward(state, x):  #= forward
    ran.append("forward")
    return nnx.merge(graphdef, state)(x)
""",
        "forward",
        "forward: {why}",
        "state, {args}",
        has="loop rank x64",
    ),
    Subject(
        "jit of a step on split state",
        MODEL
        + """
graphdef, params = nnx.split(model, nnx.Param)
tx = optax.sgd(0.1)

def loss(params, batch):
    return jnp.mean(nnx.merge(graphdef, params)(batch) ** 2)

@jax.jit
def train(params, batch):  #= train
    ran.append("train")
    grads = jax.grad(loss)(params, batch)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)
""",
        "train",
        "train: {why}",
        "params, {args}",
        has="loop",
        where={"x": "batch"},
    ),
    Subject(
        "a flag, nnx.jit",
        MODEL
        + """
@partial(nnx.jit, static_argnames="train")
def forward(model, x, train=False):  #= forward
    ran.append("forward")
    return model(x) * (2 if train else 3)
""",
        "forward",
        "forward: {why}",
        "model, {args}",
        kinds=ONE_WAY,
        own=True,
    ),
)

SCALE = """
from flax import nnx

class Scale(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(4))

@nnx.jit
def forward(model, x):  #= forward
    ran.append("forward")
    return x * model.w[...]

model = Scale()
# watch
forward(model, x8)  #> forward: first
"""
VARIABLES = {
    "another kind of variable": SCALE
    + """
model.w = nnx.BatchStat(jnp.ones(4))
forward(model, x8)  #> forward: static model.w.type Param→BatchStat
forward(model, x8)
""",
    "a variable with a tag": SCALE
    + """
model.w = nnx.Param(jnp.ones(4), tag="a")
forward(model, x8)  #> forward: static model.w.tag
model.w = nnx.Param(jnp.zeros(4), tag="a")
forward(model, x8)
model.w = nnx.Param(jnp.ones(4), tag="b")
forward(model, x8)  #> forward: static model.w.tag 'a'→'b'
""",
    "a variable more": SCALE
    + """
model.bias = nnx.Param(jnp.ones(4), tag="a")
forward(model, x8)  #> forward: pytree model.bias absent→f32[4]
""",
    "a new class of variables": """
from flax import nnx
# %%
class Cache(nnx.Variable):
    pass

model = nnx.Module()
model.w = Cache(jnp.ones(4))
# %%
@nnx.jit
def forward(model, x):  #= forward
    ran.append("forward")
    return x * model.w[...]
# watch
forward(model, x8)  #> forward: first
# again 2
forward(model, x8)  #> forward: class Cache
""",
}
"""Differences between variables apart from their arrays."""
PROGRAMS = written("variables", VARIABLES, "Flax NNX")
