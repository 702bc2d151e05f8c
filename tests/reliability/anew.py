"""Objects that a program makes anew for each call, of which two are not equal: each with the hint
that says where it is made, and the same program as the hint says to write it."""

from __future__ import annotations

from .program import Program, fixed, written

STATIC = """
@partial(jax.jit, static_argnames="fun")
def step(x, fun):  #= step
    ran.append("step")
    return fun(x)
"""
CONFIG = """
class Config:
    def __init__(self, width):
        self.width = width
@partial(jax.jit, static_argnames="config")
def step(x, config):  #= step
    ran.append("step")
    return x * config.width
"""
Edits = tuple[tuple[str, str], ...]
ABOVE = "make it once, above the loop"
ONCE = "define it once, above the loop"

JAX: dict[str, tuple[str, Edits]] = {
    "a lambda in a loop": (
        STATIC
        + """
# watch
for i in range(3):
    step(x8, lambda x: x * 2)  #> step: first; step: static fun => `lambda` is made anew in {file}, line 8: define it once, above the loop; step: static fun
""",
        (
            ("for i in", "double = lambda x: x * 2\nfor i in"),
            ("step(x8, lambda x: x * 2)", "step(x8, double)"),
        ),
    ),
    "a lambda by name": (
        STATIC
        + """
# watch
for i in range(3):
    double = lambda x: x * 2
    step(x8, fun=double)  #> step: first; step: static fun => `double` is made anew in {file}, line 8: define it once, above the loop; step: static fun
""",
        (
            (
                "for i in range(3):\n    double = lambda x: x * 2",
                "double = lambda x: x * 2\nfor i in range(3):",
            ),
        ),
    ),
    "a function in a loop": (
        STATIC
        + """
# watch
for i in range(3):
    def double(x):
        return x * 2
    step(x8, double)  #> step: first; step: static fun => `double` is made anew in {file}, line 8: define it once, above the loop; step: static fun
""",
        (
            (
                "for i in range(3):\n    def double(x):\n        return x * 2",
                "def double(x):\n    return x * 2\nfor i in range(3):",
            ),
        ),
    ),
    "a partial in a loop": (
        STATIC
        + """
def power(n, x):
    return x ** n
# watch
for i in range(3):
    step(x8, fun=partial(power, 2))  #> step: first; step: static fun => `partial` is made anew in {file}, line 10: make it once, above the loop; step: static fun
""",
        (
            ("for i in", "square = partial(power, 2)\nfor i in"),
            ("fun=partial(power, 2)", "fun=square"),
        ),
    ),
    "a jitted function in a loop": (
        STATIC
        + """
def double(x):
    return x * 2
# watch
for i in range(3):
    step(x8, fun=jax.jit(double))  #> (double: first); step: first; step: static fun => `jit` is made anew in {file}, line 10: make it once, above the loop; step: static fun
""",
        (
            ("for i in", "jitted = jax.jit(double)\nfor i in"),
            ("fun=jax.jit(double)", "fun=jitted"),
        ),
    ),
    "a jitted lambda in a loop": (
        STATIC
        + """
# watch
for i in range(3):
    step(x8, fun=jax.jit(lambda x: x * 2))  #> (<lambda>: first); step: first; (<lambda>: function); step: static fun => `jit` is made anew in {file}, line 8: make it once, above the loop; (<lambda>: function); step: static fun
""",
        (
            ("for i in", "double = jax.jit(lambda x: x * 2)\nfor i in"),
            ("fun=jax.jit(lambda x: x * 2)", "fun=double"),
        ),
    ),
    "an object in a loop": (
        CONFIG
        + """
# watch
for i in range(3):
    step(x8, Config(2))  #> step: first; step: static config => `Config` is made anew in {file}, line 11: make it once, above the loop, or give it __eq__ and __hash__; step: static config
""",
        (("for i in", "config = Config(2)\nfor i in"), ("step(x8, Config(2))", "step(x8, config)")),
    ),
    "an object in a loop, with equality": (
        CONFIG
        + """
# watch
for i in range(3):
    config = Config(2)
    step(x8, config=config)  #> step: first; step: static config => `Config` is made anew in {file}, line 11: make it once, above the loop, or give it __eq__ and __hash__; step: static config
""",
        (
            (
                "        self.width = width",
                """        self.width = width
    def __eq__(self, other):
        return self.width == other.width
    def __hash__(self):
        return self.width""",
            ),
        ),
    ),
    "an object without a loop": (
        CONFIG
        + """
# watch
step(x8, Config(2))  #> step: first
step(x8, Config(2))  #> step: static config => `Config` is made anew in {file}, line 11: make it once, or give it __eq__ and __hash__
""",
        (("# watch", "config = Config(2)\n# watch"), ("step(x8, Config(2))", "step(x8, config)")),
    ),
    "made by a function of the program's": (
        STATIC
        + """
def doubling():
    return lambda x: x * 2
# watch
for i in range(3):
    double = doubling()
    step(x8, double)  #> step: first; step: static fun => `doubling` is made anew in {file}, line 10: make it once, above the loop; step: static fun
""",
        (
            (
                "for i in range(3):\n    double = doubling()",
                "double = doubling()\nfor i in range(3):",
            ),
        ),
    ),
    "in a function that a loop calls": (
        STATIC
        + """
def run(x):
    return step(x, lambda x: x * 2)  #> step: first; step: static fun => `lambda` is made anew in {file}, line 7: define it once, above the loop; step: static fun
# watch
for i in range(3):
    run(x8)
""",
        (
            ("def run", "double = lambda x: x * 2\ndef run"),
            ("step(x, lambda x: x * 2)", "step(x, double)"),
        ),
    ),
    "a tree with a partial": (
        """
@jax.jit
def step(fun, x):  #= step
    ran.append("step")
    return fun(x)
# watch
for i in range(3):
    fun = jax.tree_util.Partial(lambda x: x * 2)
    step(fun, x8)  #> step: first; step: static fun => `Partial` is made anew in {file}, line 7: make it once, above the loop; step: static fun
""",
        (
            (
                "for i in range(3):\n    fun = jax.tree_util.Partial(lambda x: x * 2)",
                "fun = jax.tree_util.Partial(lambda x: x * 2)\nfor i in range(3):",
            ),
        ),
    ),
    "a static self": (
        """
class Model:
    def __init__(self, scale):
        self.scale = scale
    @partial(jax.jit, static_argnums=0)
    def step(self, x):  #= step
        ran.append("step")
        return x * self.scale
# watch
for i in range(3):
    model = Model(2.0)
    model.step(x8)  #> step/Model.step: first; step/Model.step: static self => `Model` is made anew in {file}, line 10: make it once, above the loop, or give it __eq__ and __hash__; step/Model.step: static self
""",
        (("for i in range(3):\n    model = Model(2.0)", "model = Model(2.0)\nfor i in range(3):"),),
    ),
    "the same object": (
        CONFIG
        + """
config = Config(2)
# watch
for i in range(3):
    step(x8, config)  #> step: first
""",
        (),
    ),
    "an equal tuple": (
        STATIC.replace("fun(x)", "x * fun[0]")
        + """
# watch
for i in range(3):
    step(x8, (2, 3))  #> step: first
""",
        (),
    ),
    "a method of one object": (
        STATIC
        + """
class Model:
    def double(self, x):
        return x * 2
model = Model()
# watch
for i in range(3):
    step(x8, model.double)  #> step: first
""",
        (),
    ),
    "a method of an object made anew": (
        STATIC
        + """
class Model:
    def double(self, x):
        return x * 2
# watch
for i in range(3):
    step(x8, Model().double)  #> step: first; step: static fun; step: static fun
""",
        (),
    ),
    "a function that is another one": (
        STATIC
        + """
def double(x):
    return x * 2
def triple(x):
    return x * 3
# watch
for fun in (double, triple, double):
    step(x8, fun)  #> step: first; step: static fun double→triple => each value of fun is a program of its own
""",
        (),
    ),
}
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
    train(state, x8)  #> train: first; train: static state.tx => `adam` is made anew in {file}, line 12: make it once, above the loop; train: static state.tx
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
    train(state, x8)  #> train: first; train: static state.tx => `chain` is made anew in {file}, line 12: make it once, above the loop; train: static state.tx
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
    train(state, x8)  #> train: first; train: static state.apply_fn => `lambda` is made anew in {file}, line 13: define it once, above the loop; train: static state.apply_fn
""",
        (
            ("for epoch", "apply = lambda p, x: net.apply(p, x)\nfor epoch"),
            ("apply_fn=lambda p, x: net.apply(p, x)", "apply_fn=apply"),
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
    step(net, x8)  #> step: first; step: static net.act => `lambda` is made anew in {file}, line 14: define it once, above the loop; step: static net.act
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
NNX: dict[str, tuple[str, Edits]] = {
    "an optimizer each epoch": (
        NET
        + FIT
        + """
# watch
for epoch in range(3):
    net = Net(nnx.Rngs(epoch))
    optimizer = nnx.Optimizer(net, optax.adam(1e-3), wrt=nnx.Param)
    fit(net, optimizer, x8)  #> fit: first; fit: static optimizer.tx => `adam` is made anew in {file}, line 19: make it once, above the loop; fit: static optimizer.tx
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
    fit(net, optimizer, x8)  #> fit: first; fit: static optimizer.tx => `adamw` is made anew in {file}, line 19: make it once, above the loop; fit: static optimizer.tx
""",
        (
            ("for epoch", "tx = optax.adamw(1e-3)\nfor epoch"),
            ("    tx = optax.adamw(1e-3)\n    optimizer", "    optimizer"),
        ),
    ),
    "an optimizer in the call": (
        NET
        + FIT
        + """
# watch
for epoch in range(3):
    net = Net(nnx.Rngs(epoch))
    fit(net, nnx.Optimizer(net, tx=optax.sgd(0.1), wrt=nnx.Param), x8)  #> fit: first; fit: static optimizer.tx => `sgd` is made anew in {file}, line 19: make it once, above the loop; fit: static optimizer.tx
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
    forward(net, x8)  #> forward: first; forward: static net.act => `lambda` is made anew in {file}, line 17: define it once, above the loop; forward: static net.act
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
    forward(Net(nnx.Rngs(0)), x8)  #> forward: first; forward: static net.act => `lambda` is made anew in {file}, line 6: define it once, outside of the class; forward: static net.act
""",
        (
            ("class Net", "act = lambda x: nnx.relu(x)\nclass Net"),
            ("self.act = lambda x: act(x)", "self.act = act"),
            ("rngs, act=nnx.relu", "rngs, act=act"),
        ),
    ),
    "a jitted function in the constructor": (
        NET.replace("self.act = act", "self.act = jax.jit(lambda x: act(x))")
        + FORWARD
        + """
# watch
for i in range(3):
    forward(Net(nnx.Rngs(0)), x8)  #> (<lambda>: first); forward: first; (<lambda>: function); forward: static net.act => `act` is jitted anew in {file}, line 6: jit it once, outside of the class; (<lambda>: function); forward: static net.act
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
    forward(net, x8)  #> forward: first; forward: static net.count 0→1 => each value of net.count is a program of its own; make it an array, jnp.asarray(…), unless a shape or a loop needs it; forward: static net.count 1→2; forward: static net.count 2→3
#~ forward: static net.count: 0 → 1 → 2 → 3
""",
        (
            ("self.count = 0", "self.count = jnp.asarray(0)"),
            ("net.count = i", "net.count = jnp.asarray(i)"),
        ),
    ),
}
PATH = """
import equinox as eqx
class Path(eqx.Module):
    linear: eqx.nn.Linear
    act: object
    def __init__(self, act, key):
        self.linear = eqx.nn.Linear(4, 1, key=key)
        self.act = jax.jit(act)
    def __call__(self, x):
        return self.act(self.linear(x))
def act(x):
    return jnp.sin(x)
@eqx.filter_jit
def forward(net, x):  #= forward
    ran.append("forward")
    return jax.vmap(net)(x)
"""
BOX = """
import equinox as eqx
class Box(eqx.Module):
    start: int
    image: jax.Array
@eqx.filter_jit
def render(box):  #= render
    ran.append("render")
    return box.image.sum() + box.start
"""
EQUINOX: dict[str, tuple[str, Edits]] = {
    "a jitted function in the constructor": (
        PATH
        + """
# watch
for i in range(3):
    forward(Path(act, key), x8)  #> (act: first); forward: first; forward: static net.act => `act` is jitted anew in {file}, line 7: jit it once, or keep the plain function; forward: static net.act
""",
        (("self.act = jax.jit(act)", "self.act = act"), ("(act: first); ", "")),
    ),
    "a jitted function in the constructor, jitted once": (
        PATH
        + """
# watch
for i in range(3):
    forward(Path(act, key), x8)  #> (act: first); forward: first; forward: static net.act; forward: static net.act
""",
        (
            ("self.act = jax.jit(act)", "self.act = act"),
            ("# watch", "jitted = jax.jit(act)\n# watch"),
            ("Path(act, key)", "Path(jitted, key)"),
        ),
    ),
    "a jitted lambda in the constructor": (
        PATH.replace("jax.jit(act)", "jax.jit(lambda x: act(x))")
        + """
# watch
for i in range(3):
    forward(Path(act, key), x8)  #> (<lambda>: first); forward: first; (<lambda>: function); forward: static net.act => `act` is jitted anew in {file}, line 7: jit it once, outside of the class; (<lambda>: function); forward: static net.act
""",
        (
            ("jax.jit(lambda x: act(x))", "act"),
            ("# watch", "jitted = jax.jit(lambda x: act(x))\n# watch"),
            ("Path(act, key)", "Path(jitted, key)"),
        ),
    ),
    "a lambda in the constructor": (
        PATH.replace("jax.jit(act)", "lambda x: act(x)")
        + """
# watch
for i in range(3):
    net = Path(act, key)
    forward(net, x8)  #> forward: first; forward: static net.act => `lambda` is made anew in {file}, line 7: define it once, outside of the class; forward: static net.act
""",
        (("self.act = lambda x: act(x)", "self.act = act"),),
    ),
    "an activation each time": (
        PATH.replace("jax.jit(act)", "act")
        + """
# watch
for i in range(3):
    net = Path(lambda x: jnp.cos(x), key)
    forward(net, x8)  #> forward: first; forward: static net.act => `lambda` is made anew in {file}, line 19: define it once, above the loop; forward: static net.act
""",
        (
            ("for i in", "cos = lambda x: jnp.cos(x)\nfor i in"),
            ("Path(lambda x: jnp.cos(x), key)", "Path(cos, key)"),
        ),
    ),
    "a model each time": (
        PATH.replace("jax.jit(act)", "act")
        + """
# watch
for i in range(3):
    forward(Path(act, jax.random.key(i)), x8)  #> forward: first
""",
        (),
    ),
    "a number that changes": (
        BOX
        + """
box = Box(0, jnp.ones((8, 8)))
# watch
for i in range(4):
    render(eqx.tree_at(lambda m: m.start, box, i))  #> render: first; render: static box.start 0→1 => each value of box.start is a program of its own; make it an array, jnp.asarray(…), unless a shape or a loop needs it; render: static box.start 1→2; render: static box.start 2→3
#~ render: static box.start: 0 → 1 → 2 → 3
""",
        (("Box(0,", "Box(jnp.asarray(0),"), ("box, i)", "box, jnp.asarray(i))")),
    ),
    "a number to an array": (
        BOX
        + """
# watch
render(Box(1, x8))  #> render: first
render(Box(one, x8))  #> render: static box.start 1 (static)→f32[] => pass box.start as an array every time
render(Box(one + 1, x8))
""",
        (("Box(1, x8)", "Box(jnp.float32(1), x8)"),),
    ),
    "an array to a number": (
        BOX
        + """
# watch
render(Box(one, x8))  #> render: first
render(Box(0.25, x8))  #> render: static box.start f32[]→0.25 (static) => pass box.start as an array every time
render(Box(0.5, x8))  #> render: static box.start 0.25→0.5
""",
        (
            ("Box(0.25, x8)", "Box(jnp.float32(0.25), x8)"),
            ("Box(0.5, x8)", "Box(jnp.float32(0.5), x8)"),
        ),
    ),
    "an argument, array to number": (
        """
import equinox as eqx
@eqx.filter_jit
def step(x, lr):  #= step
    ran.append("step")
    return x * lr
# watch
step(x8, one)  #> step: first
step(x8, 0.25)  #> step: static lr f32[]→0.25 (static) => pass lr as an array every time
step(x8, 0.5)  #> step: static lr 0.25→0.5 => each value of lr is a program of its own; pass it as an array, unless a shape or a loop needs it
""",
        (
            ("step(x8, 0.25)", "step(x8, jnp.float32(0.25))"),
            ("step(x8, 0.5)", "step(x8, jnp.float32(0.5))"),
        ),
    ),
    "an argument, number to NumPy array": (
        """
import equinox as eqx
@eqx.filter_jit
def step(x, lr):  #= step
    ran.append("step")
    return x * lr
# watch
step(x8, 0.25)  #> step: first
step(x8, np.float32(0.25))  #> step: static lr 0.25 (static)→f32[]
""",
        (),
    ),
    "an argument, None to array": (
        """
import equinox as eqx
@eqx.filter_jit
def step(x, mask=None):  #= step
    ran.append("step")
    return total(x, mask)
# watch
step(x8)  #> step: first
step(x8, x8)  #> step: none mask None→f32[8,4] => pass an array for mask every time
step(x8, mask=x8)
""",
        (),
    ),
    "an argument, None to number": (
        """
import equinox as eqx
@eqx.filter_jit
def step(x, lr=None):  #= step
    ran.append("step")
    return x * (1 if lr is None else lr)
# watch
step(x8)  #> step: first
step(x8, 0.5)  #> step: static lr None (static)→0.5 (static) | static lr None→0.5 | none lr None→0.5 (static)
""",
        (),
    ),
    "in a dict, array to number": (
        """
import equinox as eqx
@eqx.filter_jit
def step(x, options):  #= step
    ran.append("step")
    return x * options["lr"]
# watch
step(x8, {"lr": one, "name": "a"})  #> step: first
step(x8, {"lr": 0.25, "name": "a"})  #> step: static options['lr'] f32[]→0.25 (static)
step(x8, {"lr": 0.25, "name": "b"})  #> step: static options['name'] 'a'→'b'
""",
        (),
    ),
    "in a list, number to array": (
        """
import equinox as eqx
@eqx.filter_jit
def step(xs):  #= step
    ran.append("step")
    return xs[0] * xs[1]
# watch
step([x8, 2])  #> step: first
step([x8, one])  #> step: static xs[1] 2 (static)→f32[]
step([x8, True])  #> step: static xs[1] 2→True | static xs[1] f32[]→True (static)
""",
        (),
    ),
    "a string to an array": (
        """
import equinox as eqx
@eqx.filter_jit
def step(x, mode):  #= step
    ran.append("step")
    return x
# watch
step(x8, "a")  #> step: first
step(x8, x8)  #> step: static mode 'a' (static)→f32[8,4]
""",
        (),
    ),
    "an integer to a float": (
        """
import equinox as eqx
@eqx.filter_jit
def step(x, lr):  #= step
    ran.append("step")
    return x * lr
# watch
step(x8, 1)  #> step: first
step(x8, 1.0)
step(x8, 1.5)  #> step: static lr 1→1.5 | static lr 1.0→1.5
""",
        (),
    ),
    "a static field": (
        """
import equinox as eqx
class Layer(eqx.Module):
    w: jax.Array
    name: str = eqx.field(static=True)
    width: int = eqx.field(static=True, default=3)
@eqx.filter_jit
def step(layer):  #= step
    ran.append("step")
    return layer.w * layer.width
# watch
step(Layer(x8, "a"))  #> step: first
step(Layer(x8, "b"))  #> step: static layer.name 'a'→'b'
step(Layer(x8, "b", 4))  #> step: static layer.width 3→4
""",
        (),
    ),
}
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
    step(params, x8, net.apply)  #> step: first; step: static apply => `transform` is made anew in {file}, line 9: make it once, above the loop; step: static apply
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
    train(params, state, optax.adam(1e-3))  #> train: first; train: static tx => `adam` is made anew in {file}, line 11: make it once, above the loop; train: static tx
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
    train(params, state, tx=tx)  #> train: first; train: static tx => `adam` is made anew in {file}, line 11: make it once, above the loop; train: static tx
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
    train(params, state, tx=optimizer())  #> train: first; train: static tx => `optimizer` is made anew in {file}, line 13: make it once, above the loop; train: static tx
""",
        (("for i in", "tx = optimizer()\nfor i in"), ("tx=optimizer()", "tx=tx")),
    ),
    "an optimizer twice": (
        SGD
        + """
# watch
train(params, state, optax.adam(1e-3))  #> train: first
train(params, state, optax.adam(1e-3))  #> train: static tx => `adam` is made anew in {file}, line 11: make it once, and pass the same one every time
""",
        (
            ("# watch", "tx = optax.adam(1e-3)\n# watch"),
            ("train(params, state, optax.adam(1e-3))", "train(params, state, tx)"),
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
    evaluate(weights, x8, keras.losses.MeanSquaredError())  #> evaluate: first; evaluate: static loss => `MeanSquaredError` is made anew in {file}, line 11: make it once, above the loop; evaluate: static loss
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
    found: list[Program] = []
    for name, (text, edits) in ALL[library].items():
        (program,) = written("made anew, not equal", {name: text}, library)
        found += [program, *([fixed(program, *edits)] if edits else [])]
    return found
