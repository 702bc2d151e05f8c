"""A class that was defined again, since its cell ran again, and what looks like it and is not."""

from __future__ import annotations

from .program import Program, written

IMPORTS = {
    "JAX": "import dataclasses, enum, typing, collections",
    "Flax linen": "import flax.linen as nn, flax.struct, optax\nfrom flax.training import train_state",
    "Flax NNX": "from flax import nnx\nimport optax",
    "Equinox": "import equinox as eqx",
    "Haiku": "import haiku as hk, typing",
    "Optax": "import optax, typing",
    "Keras": "import keras, typing",
}
HINT = "run the cell of `{name}` again only if you changed it"
STEP = """
@jax.jit
def step(batch):  #= step
    ran.append("step")
    return total(batch)
"""
STATIC = """
@partial(jax.jit, static_argnames="config")
def step(x, config):  #= step
    ran.append("step")
    return x * 2
"""


def again(name: str, definition: str, step: str, call: str, fun: str = "step") -> str:
    """A class in the first cell, what is jitted in the second, and a call before and after the first
    cell runs again."""
    return f"""{{imports}}
{definition.strip()}
# %%
{step.strip()}
# watch
{call}  #> {fun}: first
{call}
# again 1
{call}  #> {fun}: class {name} cell 1→cell 4 => {HINT.format(name=name)}
{call}
#~ {fun.partition("/")[0]}: `{name}` was defined again (cell 4)"""


def unchanged(definition: str, step: str, call: str, fun: str = "step") -> str:
    """The same, where the class has a cell of its own that does not run again."""
    return f"""{{imports}}
scale = 2.0
# %%
{definition.strip()}
# %%
{step.strip()}
# watch
{call}  #> {fun}: first
# again 1
{call}
{call}"""


NAMED = """
class Batch(typing.NamedTuple):
    x: object
    y: object
"""
REGISTERED = """
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Batch:
    x: object
    y: object
"""
NODE = """
@jax.tree_util.register_pytree_node_class
class Batch:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def tree_flatten(self):
        return (self.x, self.y), None
    @classmethod
    def tree_unflatten(cls, data, children):
        return cls(*children)
"""
FROZEN = """
@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 3
"""
ENUM = """
class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2
"""
PLAIN = """
class Config:
    def __init__(self, width):
        self.width = width
    def __eq__(self, other):
        return type(other) is type(self) and other.width == self.width
    def __hash__(self):
        return hash(self.width)
"""
JAX = {
    "NamedTuple": again("Batch", NAMED, STEP, "step(Batch(x8, one))"),
    "NamedTuple by keyword": again("Batch", NAMED, STEP, "step(batch=Batch(x8, one))"),
    "NamedTuple in a dict": again("Batch", NAMED, STEP, "step({{'a': Batch(x8, one)}})"),
    "NamedTuple in a list": again("Batch", NAMED, STEP, "step([Batch(x8, one), x8])"),
    "namedtuple": again(
        "Batch", 'Batch = collections.namedtuple("Batch", "x y")', STEP, "step(Batch(x8, one))"
    ),
    "registered dataclass": again("Batch", REGISTERED, STEP, "step(Batch(x8, one))"),
    "registered node": again("Batch", NODE, STEP, "step(Batch(x8, one))"),
    "frozen dataclass": again("Config", FROZEN, STATIC, "step(x8, Config())"),
    "frozen dataclass with a value": again("Config", FROZEN, STATIC, "step(x8, config=Config(5))"),
    "Enum": again("Mode", ENUM, STATIC, "step(x8, Mode.TRAIN)"),
    "IntEnum": again("Mode", ENUM.replace("enum.Enum", "enum.Flag"), STATIC, "step(x8, Mode.EVAL)"),
    "plain class with equality": again("Config", PLAIN, STATIC, "step(x8, Config(3))"),
    "in a static tuple": again("Config", FROZEN, STATIC, "step(x8, (1, Config()))"),
    "in a static dataclass": again(
        "Mode",
        ENUM,
        STATIC.replace(
            "@partial",
            "@dataclasses.dataclass(frozen=True)\nclass Options:\n    mode: object\n@partial",
        ),
        "step(x8, Options(Mode.TRAIN))",
    ),
    "class as a static argument": again("Config", FROZEN, STATIC, "step(x8, Config)"),
    "under grad": again(
        "Batch",
        NAMED,
        'def loss(batch):  #= loss\n    ran.append("loss")\n    return total(batch)\nstep = jax.jit(jax.value_and_grad(loss))',
        "step(Batch(x8, one))",
        "loss/value_and_grad(loss)",
    ),
    "method": again(
        "Batch",
        NAMED,
        'class Model:\n    @partial(jax.jit, static_argnums=0)\n    def step(self, batch):  #= step\n        ran.append("step")\n        return total(batch)\nmodel = Model()',
        "model.step(Batch(x8, one))",
        "step/Model.step",
    ),
    "and another value": f"""{{imports}}
{NAMED.strip()}
# %%
{STEP.strip()}
# watch
step(Batch(x8, one))  #> step: first
# again 1
step(Batch(x16, one))  #> step: class Batch cell 1→cell 4 + shape batch.x f32[8,4]→f32[16,4]
step(Batch(x16, one))""",
    "twice": f"""{{imports}}
{NAMED.strip()}
# %%
{STEP.strip()}
# watch
step(Batch(x8, one))  #> step: first
# again 1
step(Batch(x8, one))  #> step: class Batch cell 1→cell 4
# again 1
step(Batch(x8, one))  #> step: class Batch cell 4→cell 6""",
    "in a function that runs again": f"""{{imports}}
def made():
    class Batch(typing.NamedTuple):
        x: object
        y: object
    return Batch
# %%
{STEP.strip()}
# watch
for i in range(3):
    step(made()(x8, one))  #> step: first; step: class Batch => define `Batch` once, above the loop; step: class Batch""",
    "unchanged NamedTuple": unchanged(NAMED, STEP, "step(Batch(x8, one))"),
    "unchanged dataclass": unchanged(FROZEN, STATIC, "step(x8, Config())"),
    "unchanged Enum": unchanged(ENUM, STATIC, "step(x8, Mode.TRAIN)"),
    "unchanged node": unchanged(NODE, STEP, "step(Batch(x8, one))"),
    "equal objects made anew": f"""{{imports}}
{FROZEN.strip()}
# %%
{STATIC.strip()}
# watch
for i in range(3):
    step(x8, Config(4))  #> step: first""",
    "another class of another name": f"""{{imports}}
{NAMED.strip()}
class Other(typing.NamedTuple):
    x: object
    y: object
# %%
{STEP.strip()}
# watch
step(Batch(x8, one))  #> step: first
step(Other(x8, one))  #> step: pytree batch
step(Batch(x8, one))""",
}
TRAIN_STATE = """
class Net(nn.Module):
    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(x)
tx = optax.sgd(0.1)
net = Net()
state = train_state.TrainState.create(apply_fn=net.apply, params=net.init(key, x8), tx=tx)
"""
TRAIN = """
@jax.jit
def train(state, x):  #= train
    ran.append("train")
    return state.apply_fn(state.params, x)
"""
LINEN = {
    "flax.struct": again(
        "Batch",
        "@flax.struct.dataclass\nclass Batch:\n    x: object\n    y: object",
        STEP,
        "step(Batch(x8, one))",
    ),
    "flax.struct with a static field": again(
        "Batch",
        "@flax.struct.dataclass\nclass Batch:\n    x: object\n    name: str = flax.struct.field(pytree_node=False, default='a')",
        STEP,
        "step(Batch(x8))",
    ),
    "PyTreeNode": again(
        "Batch",
        "class Batch(flax.struct.PyTreeNode):\n    x: object\n    y: object",
        STEP,
        "step(Batch(x8, one))",
    ),
    "module as a static argument": again(
        "Net",
        "class Net(nn.Module):\n    @nn.compact\n    def __call__(self, x):\n        return nn.Dense(1)(x)",
        "variables = {{'params': {{'Dense_0': {{'kernel': jnp.ones((4, 1)), 'bias': jnp.ones(1)}}}}}}\n"
        "@partial(jax.jit, static_argnames='net')\ndef step(net, x):  #= step\n"
        '    ran.append("step")\n    return net.apply(variables, x)',
        "step(Net(), x8)",
    ),
    "module of a TrainState, and its optimizer": again(
        "Net", TRAIN_STATE, TRAIN, "train(state, x8)", "train"
    )
    .replace(" => run the cell of `Net` again only if you changed it", " + static state.tx")
    .replace("\n#~ train: `Net` was defined again (cell 4)", ""),
    "TrainState of one's own": again(
        "State",
        "class State(train_state.TrainState):\n    key: object = None",
        "tx = optax.sgd(0.1)\nfun = lambda params, x: x\n" + TRAIN.strip(),
        "train(State.create(apply_fn=fun, params={{'w': x8}}, tx=tx), x8)",
        "train",
    ),
    "unchanged flax.struct": unchanged(
        "@flax.struct.dataclass\nclass Batch:\n    x: object\n    y: object",
        STEP,
        "step(Batch(x8, one))",
    ),
    "unchanged module": unchanged(TRAIN_STATE, TRAIN, "train(state, x8)", "train"),
}
NET = """
class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(4, 1, rngs=rngs)
    def __call__(self, x):
        return self.linear(x)
"""
FORWARD = """
@nnx.jit
def forward(net, x):  #= forward
    ran.append("forward")
    return net(x)
"""
NNX = {
    "module": again("Net", NET, FORWARD, "forward(Net(nnx.Rngs(0)), x8)", "forward"),
    "module by keyword": again(
        "Net", NET, FORWARD, "forward(x=x8, net=Net(nnx.Rngs(0)))", "forward"
    ),
    "module in a module": again(
        "Net",
        NET,
        "class Outer(nnx.Module):\n    def __init__(self, rngs):\n        self.net = Net(rngs)\n"
        "    def __call__(self, x):\n        return self.net(x)\n" + FORWARD.strip(),
        "forward(Outer(nnx.Rngs(0)), x8)",
        "forward",
    ),
    "graphdef and state": again(
        "Net",
        NET,
        "@partial(jax.jit, static_argnums=0)\ndef forward(graphdef, state, x):  #= forward\n"
        '    ran.append("forward")\n    return nnx.merge(graphdef, state)(x)',
        "forward(*nnx.split(Net(nnx.Rngs(0))), x8)",
        "forward",
    ),
    "training step": again(
        "Net",
        NET,
        'tx = optax.sgd(0.1)\n@nnx.jit\ndef train(net, optimizer, x):  #= train\n    ran.append("train")\n'
        "    grads = nnx.grad(lambda net: jnp.mean(net(x) ** 2))(net)\n    optimizer.update(net, grads)\n"
        "def run():\n    net = Net(nnx.Rngs(0))\n    optimizer = nnx.Optimizer(net, tx, wrt=nnx.Param)\n"
        "    train(net, optimizer, x8)  #> train: first; train: class Net cell 1→cell 4",
        "run()",
        "train",
    )
    .replace("run()  #> train: first", "run()")
    .replace(
        "run()  #> train: class Net cell 1→cell 4 => run the cell of `Net` again only if you changed it",
        "run()",
    ),
    "unchanged module": unchanged(NET, FORWARD, "forward(Net(nnx.Rngs(0)), x8)", "forward"),
}
MODEL = """
class Net(eqx.Module):
    linear: eqx.nn.Linear
    def __init__(self, key):
        self.linear = eqx.nn.Linear(4, 1, key=key)
    def __call__(self, x):
        return jax.vmap(self.linear)(x)
"""
FILTERED = """
@eqx.filter_jit
def forward(net, x):  #= forward
    ran.append("forward")
    return net(x)
"""
EQUINOX = {
    "module": again("Net", MODEL, FILTERED, "forward(Net(key), x8)", "forward"),
    "module under jax.jit": again(
        "Net",
        MODEL,
        FILTERED.replace("eqx.filter_jit", "jax.jit"),
        "forward(Net(key), x8)",
        "forward",
    ),
    "module in a list": again(
        "Net", MODEL, FILTERED.replace("net(x)", "net[0](x)"), "forward([Net(key)], x8)", "forward"
    ),
    "method": again(
        "Net",
        MODEL.replace(
            "    def __call__",
            '    @eqx.filter_jit\n    def predict(self, x):  #= predict\n        ran.append("predict")\n        return self(x)\n    def __call__',
        ),
        "",
        "Net(key).predict(x8)",
        "predict",
    )
    .replace("# %%\n\n", "")
    .replace(
        "  #> predict: class Net cell 1→cell 4 => run the cell of `Net` again only if you changed it",
        "  #> predict: first",
    )
    .replace("\n#~ predict: `Net` was defined again (cell 4)", ""),
    "grad of a module": again(
        "Net",
        MODEL,
        '@eqx.filter_jit\n@eqx.filter_value_and_grad\ndef loss(net, x):  #= loss\n    ran.append("loss")\n    return jnp.mean(net(x))',
        "loss(Net(key), x8)",
        "loss",
    ),
    "unchanged module": unchanged(MODEL, FILTERED, "forward(Net(key), x8)", "forward"),
}
HAIKU = {
    "NamedTuple state": again(
        "State",
        "class State(typing.NamedTuple):\n    params: object\n    count: object",
        "net = hk.without_apply_rng(hk.transform(lambda x: hk.Linear(1)(x)))\nparams = net.init(key, x8)\n"
        '@jax.jit\ndef train(state, x):  #= train\n    ran.append("train")\n    return net.apply(state.params, x)',
        "train(State(params, one), x8)",
        "train",
    ),
    "unchanged state": unchanged(
        "class State(typing.NamedTuple):\n    params: object\n    count: object",
        "net = hk.without_apply_rng(hk.transform(lambda x: hk.Linear(1)(x)))\nparams = net.init(key, x8)\n"
        '@jax.jit\ndef train(state, x):  #= train\n    ran.append("train")\n    return net.apply(state.params, x)',
        "train(State(params, one), x8)",
        "train",
    ),
}
OPTAX = {
    "NamedTuple state": again(
        "State",
        "class State(typing.NamedTuple):\n    params: object\n    opt: object",
        "tx = optax.adam(0.1)\nparams = {{'w': x8}}\nopt = tx.init(params)\n"
        '@jax.jit\ndef train(state, x):  #= train\n    ran.append("train")\n'
        "    return tx.update({{'w': x}}, state.opt, state.params)",
        "train(State(params, opt), x8)",
        "train",
    ),
    "state of a transformation of one's own": again(
        "ScaleState",
        "class ScaleState(typing.NamedTuple):\n    count: object\n"
        "def init(params):\n    return ScaleState(jnp.zeros([]))",
        "params = {{'w': x8}}\n@jax.jit\ndef update(grads, state):  #= update\n    ran.append(\"update\")\n"
        "    return jax.tree.map(jnp.sin, grads), ScaleState(state.count + 1)",
        "update(params, init(params))",
        "update",
    ),
}
KERAS = {
    "NamedTuple state": again(
        "State",
        "class State(typing.NamedTuple):\n    weights: object\n    count: object",
        "model = keras.Sequential([keras.layers.Dense(1)])\nmodel.build((8, 4))\n"
        "weights = [v.value for v in model.trainable_variables]\n"
        '@jax.jit\ndef predict(state, x):  #= predict\n    ran.append("predict")\n'
        "    return model.stateless_call(state.weights, [], x)[0]",
        "predict(State(weights, one), x8)",
        "predict",
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
    """Those of a library."""
    texts = {
        name: text.replace("{imports}", IMPORTS[library]).replace("{{", "{").replace("}}", "}")
        for name, text in ALL[library].items()
    }
    return written("a class defined again", texts, library)
