"""Objects that Flax programs make anew: see `anew.py`."""

from __future__ import annotations

from .program import Edits

TRAIN_STATE = """
import flax.linen as nn, optax
from flax.training import train_state
net = nn.Dense(1)
params = net.init(key, x8)
@jax.jit
def train(state, x):  #= train
    ran.append("train")
    return state.apply_fn(state.params, x)
"""
LINEN: dict[str, tuple[str, Edits]] = {
    "a TrainState with an optimizer": (
        TRAIN_STATE
        + """
# watch
for epoch in range(3):
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=optax.adam(1e-3))
    train(state, x8)  #> train: first; train: static state.tx => `adam` is made again in {file}, line 12: make it once, above the loop; train: static state.tx
""",
        (("for epoch", "tx = optax.adam(1e-3)\nfor epoch"), ("tx=optax.adam(1e-3)", "tx=tx")),
    ),
    "a TrainState with an optimizer by name": (
        TRAIN_STATE
        + """
# watch
for epoch in range(3):
    tx = optax.chain(optax.clip(1.0), optax.sgd(0.1))
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=tx)
    train(state, x8)  #> train: first; train: static state.tx => `chain` is made again in {file}, line 12: make it once, above the loop; train: static state.tx
""",
        (
            (
                "for epoch in range(3):\n    tx = optax.chain(optax.clip(1.0), optax.sgd(0.1))",
                "tx = optax.chain(optax.clip(1.0), optax.sgd(0.1))\nfor epoch in range(3):",
            ),
        ),
    ),
    "a TrainState with a lambda": (
        TRAIN_STATE
        + """
tx = optax.sgd(0.1)
# watch
for epoch in range(3):
    state = train_state.TrainState.create(apply_fn=lambda p, x: net.apply(p, x), params=params, tx=tx)
    train(state, x8)  #> train: first; train: static state.apply_fn => `lambda` is made again in {file}, line 13: define it once, above the loop; train: static state.apply_fn
""",
        (
            ("for epoch", "apply = lambda p, x: net.apply(p, x)\nfor epoch"),
            ("apply_fn=lambda p, x: net.apply(p, x)", "apply_fn=apply"),
        ),
    ),
    "a TrainState that a function makes": (
        TRAIN_STATE
        + """
def create():
    tx = optax.adam(1e-3)
    return train_state.TrainState.create(apply_fn=net.apply, params=params, tx=tx)
# watch
for epoch in range(3):
    state = create()
    train(state, x8)  #> train: first; train: static state.tx => `adam` is made again in {file}, line 11: make it once, above the loop; train: static state.tx
""",
        (("def create():\n    tx = optax.adam(1e-3)", "tx = optax.adam(1e-3)\ndef create():"),),
    ),
    "a model and a TrainState that a function makes": (
        TRAIN_STATE
        + """
tx = optax.sgd(0.1)
def create(seed):
    model = nn.Dense(1)
    params = model.init(jax.random.key(seed), x8)
    return train_state.TrainState.create(apply_fn=model.apply, params=params, tx=tx)
# watch
for epoch in range(3):
    state = create(epoch)
    train(state, x8)  #> train: first; train: static state.apply_fn => `Dense` is made again in {file}, line 12: make it once, above the loop; train: static state.apply_fn
""",
        (
            (
                "tx = optax.sgd(0.1)\ndef create",
                "tx = optax.sgd(0.1)\nmodel = nn.Dense(1)\ndef create",
            ),
            ("    model = nn.Dense(1)\n    params", "    params"),
        ),
    ),
    "a TrainState anew": (
        TRAIN_STATE
        + """
tx = optax.sgd(0.1)
# watch
for epoch in range(3):
    state = train_state.TrainState.create(apply_fn=net.apply, params=params, tx=tx)
    train(state, x8)  #> train: first
""",
        (),
    ),
    "an equal module as a static argument": (
        """
import flax.linen as nn
params = nn.Dense(1).init(key, x8)
@partial(jax.jit, static_argnames="net")
def step(net, x):  #= step
    ran.append("step")
    return net.apply(params, x)
# watch
for i in range(3):
    step(nn.Dense(1), x8)  #> step: first
""",
        (),
    ),
    "another module as a static argument": (
        """
import flax.linen as nn
params = nn.Dense(1).init(key, x8)
@partial(jax.jit, static_argnames="net")
def step(net, x):  #= step
    ran.append("step")
    return net.apply(params, x)
# watch
step(nn.Dense(1), x8)  #> step: first
step(nn.Dense(1, name="other"), x8)  #> step: static net.name None→'other' | static net
""",
        (),
    ),
    "an activation made anew": (
        """
import flax.linen as nn
class Net(nn.Module):
    act: object
    @nn.compact
    def __call__(self, x):
        return self.act(nn.Dense(1)(x))
params = Net(nn.relu).init(key, x8)
@partial(jax.jit, static_argnames="net")
def step(net, x):  #= step
    ran.append("step")
    return net.apply(params, x)
# watch
for i in range(3):
    net = Net(act=lambda x: jnp.sin(x))
    step(net, x8)  #> step: first; step: static net.act => `lambda` is made again in {file}, line 14: define it once, above the loop; step: static net.act
""",
        (
            ("for i in", "act = lambda x: jnp.sin(x)\nfor i in"),
            ("act=lambda x: jnp.sin(x)", "act=act"),
        ),
    ),
}
NET = """
from flax import nnx
import optax
class Net(nnx.Module):
    def __init__(self, rngs, act=nnx.relu):
        self.linear = nnx.Linear(4, 1, rngs=rngs)
        self.act = act
    def __call__(self, x):
        return self.act(self.linear(x))
"""
FIT = """
@nnx.jit
def fit(net, optimizer, x):  #= fit
    ran.append("fit")
    grads = nnx.grad(lambda net: jnp.mean(net(x) ** 2))(net)
    optimizer.update(net, grads)
"""
FORWARD = """
@nnx.jit
def forward(net, x):  #= forward
    ran.append("forward")
    return net(x)
"""
LAMBDA = "(<lambda>: first); (<lambda>: function); (<lambda>: function)"
COUNTER = """
from flax import nnx
class Counter(nnx.Module):
    def __init__(self):
        self.n = nnx.Param(jnp.zeros(3))
def bump(counter):  #= bump
    ran.append("bump")
    counter.n[...] += 1
counter = Counter()
# watch
"""
NNX: dict[str, tuple[str, Edits]] = {
    "a jit of one function": (
        COUNTER
        + """
for i in range(3):
    nnx.jit(bump)(counter)  #> bump: first; bump: function => `nnx.jit` is made again in {file}, line 12: make it once, above the loop; bump: function
""",
        (
            ("for i in range(3):", "jitted = nnx.jit(bump)\nfor i in range(3):"),
            ("nnx.jit(bump)(counter)", "jitted(counter)"),
        ),
    ),
    "a jit of one function, by name": (
        COUNTER
        + """
for i in range(3):
    jitted = nnx.jit(bump)
    jitted(counter)  #> bump: first; bump: function => `nnx.jit` is made again in {file}, line 12: make it once, above the loop; bump: function
""",
        (
            (
                "for i in range(3):\n    jitted = nnx.jit(bump)",
                "jitted = nnx.jit(bump)\nfor i in range(3):",
            ),
        ),
    ),
    "a jit that a function makes": (
        COUNTER
        + """
def once():
    jitted = nnx.jit(bump)
    jitted(counter)  #> bump: first; bump: function => `nnx.jit` is made again in {file}, line 12: make it once, above the loop; bump: function
for i in range(3):
    once()
""",
        (),
    ),
    "a jit of one function, kept": (
        COUNTER
        + """
jitted = nnx.jit(bump)
for i in range(3):
    jitted(counter)  #> bump: first
""",
        (),
    ),
    "an optimizer each epoch": (
        NET
        + FIT
        + """
# watch
for epoch in range(3):
    net = Net(nnx.Rngs(epoch))
    optimizer = nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)
    fit(net, optimizer, x8)  #> fit: first; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update => `adam` is made again in {file}, line 19: make it once, above the loop; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update
""",
        (("for epoch", "tx = optax.adam(1e-3)\nfor epoch"), ("net, optax.adam(1e-3)", "net, tx")),
    ),
    "an optimizer each epoch, by name": (
        NET
        + FIT
        + """
# watch
for epoch in range(3):
    net = Net(nnx.Rngs(epoch))
    tx = optax.adamw(1e-3)
    optimizer = nnx.Optimizer(net, tx, wrt=nnx.Param)
    fit(net, optimizer, x8)  #> fit: first; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update => `adamw` is made again in {file}, line 19: make it once, above the loop; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update
""",
        (
            ("for epoch", "tx = optax.adamw(1e-3)\nfor epoch"),
            ("    tx = optax.adamw(1e-3)\n    optimizer", "    optimizer"),
        ),
    ),
    "an optimizer that a function makes": (
        NET
        + FIT
        + """
def create(net):
    return nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)
# watch
for epoch in range(3):
    net = Net(nnx.Rngs(epoch))
    optimizer = create(net)
    fit(net, optimizer, x8)  #> fit: first; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update => `adam` is made again in {file}, line 17: make it once, above the loop; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update
""",
        (
            ("def create", "tx = optax.adam(1e-3)\ndef create"),
            ("net, optax.adam(1e-3)", "net, tx"),
        ),
    ),
    "an optimizer in the call": (
        NET
        + FIT
        + """
# watch
for epoch in range(3):
    net = Net(nnx.Rngs(epoch))
    fit(net, nnx.Optimizer(net, tx=optax.sgd(0.1), wrt=nnx.Param), x8)  #> fit: first; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update => `sgd` is made again in {file}, line 19: make it once, above the loop; fit: static optimizer.tx | static optimizer.tx.init + static optimizer.tx.update
""",
        (("for epoch", "tx = optax.sgd(0.1)\nfor epoch"), ("tx=optax.sgd(0.1)", "tx=tx")),
    ),
    "an activation each time": (
        NET
        + FORWARD
        + """
# watch
for i in range(3):
    net = Net(nnx.Rngs(0), act=lambda x: jnp.sin(x))
    forward(net, x8)  #> forward: first; forward: static net.act => `lambda` is made again in {file}, line 17: define it once, above the loop; forward: static net.act
""",
        (
            ("for i in", "act = lambda x: jnp.sin(x)\nfor i in"),
            ("act=lambda x: jnp.sin(x)", "act=act"),
        ),
    ),
    "a lambda in the constructor": (
        NET.replace("self.act = act", "self.act = lambda x: act(x)")
        + FORWARD
        + """
# watch
for i in range(3):
    forward(Net(nnx.Rngs(0)), x8)  #> forward: first; forward: static net.act => `lambda` is made again in {file}, line 6: define it once, outside of the class; forward: static net.act
""",
        (
            ("class Net", "act = lambda x: nnx.relu(x)\nclass Net"),
            ("self.act = lambda x: act(x)", "self.act = act"),
            ("rngs, act=nnx.relu", "rngs, act=act"),
        ),
    ),
    "a jitted function in the constructor": (
        NET.replace("self.act = act", "self.act = jax.jit(lambda x: act(x))").replace(
            "(self.linear(x))", "(self.linear(x))  #> " + LAMBDA
        )
        + FORWARD
        + """
# watch
for i in range(3):
    forward(Net(nnx.Rngs(0)), x8)  #> forward: first; forward: static net.act => `act` is jitted again in {file}, line 6: jit it once, outside of the class; forward: static net.act
""",
        (
            ("class Net", "act = jax.jit(lambda x: x * 2)\nclass Net"),
            ("self.act = jax.jit(lambda x: act(x))", "self.act = act"),
            ("rngs, act=nnx.relu", "rngs, act=act"),
        ),
    ),
    "a model each time": (
        NET
        + FORWARD
        + """
# watch
for i in range(3):
    forward(Net(nnx.Rngs(i)), x8)  #> forward: first
""",
        (),
    ),
    "a number that changes": (
        NET.replace("self.act = act", "self.act = act\n        self.count = 0")
        + FORWARD.replace("net(x)", "net(x) + net.count")
        + """
net = Net(nnx.Rngs(0))
# watch
for i in range(4):
    net.count = i
    forward(net, x8)  #> forward: first; forward: static net.count 0→1 => each value of net.count makes its own program; make it an array, jnp.asarray(…), unless a shape or a loop needs it; forward: static net.count 1→2; forward: static net.count 2→3
#~ forward: static net.count: 0 → 1 → 2 → 3
""",
        (
            ("self.count = 0", "self.count = jnp.asarray(0)"),
            ("net.count = i", "net.count = jnp.asarray(i)"),
        ),
    ),
    "a hijax Variable": (
        """
from flax import nnx
v = nnx.Variable(jnp.array(0), hijax=True)
@jax.jit
def step(v):  #= step
    ran.append("step")
    return v[...] + 1
# watch
step(v)  #> step: first
step(v)
""",
        (),
    ),
    "a hijax Variable and a flag": (
        """
from flax import nnx
v = nnx.Variable(jnp.array(0.0), hijax=True)
@partial(jax.jit, static_argnames="flag")
def step(v, flag=False):  #= step
    ran.append("step")
    return v[...] + (2 if flag else 1)
# watch
step(v)  #> step: first
step(v, flag=True)  #> step: static flag False→True
step(v)
""",
        (),
    ),
    "a hijax Variable and an array": (
        """
from flax import nnx
v = nnx.Variable(jnp.array(0.0), hijax=True)
@jax.jit
def step(v, x):  #= step
    ran.append("step")
    return v[...] + x
# watch
step(v, x8)  #> step: first
step(v, x16)  #> step: shape x f32[8,4]→f32[16,4]
step(v, x8)
""",
        (),
    ),
}
