"""Objects that Equinox programs make anew, and the sides of its leaves: see `anew.py`."""

from __future__ import annotations

from .program import Edits

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
LAMBDA = "(<lambda>: first); (<lambda>: function); (<lambda>: function)"
EQUINOX: dict[str, tuple[str, Edits]] = {
    "a jitted function in the constructor": (
        PATH
        + """
# watch
for i in range(3):
    forward(Path(act, key), x8)  #> (act: first); forward: first; forward: static net.act => `act` is jitted again in {file}, line 7: jit it once, or call the plain function; forward: static net.act
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
        PATH.replace("jax.jit(act)", "jax.jit(lambda x: act(x))").replace(
            "(self.linear(x))", "(self.linear(x))  #> " + LAMBDA
        )
        + """
# watch
for i in range(3):
    forward(Path(act, key), x8)  #> forward: first; forward: static net.act => `act` is jitted again in {file}, line 7: jit it once, outside of the class; forward: static net.act
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
    forward(net, x8)  #> forward: first; forward: static net.act => `lambda` is made again in {file}, line 7: define it once, outside of the class; forward: static net.act
""",
        (("self.act = lambda x: act(x)", "self.act = act"),),
    ),
    "an activation each time": (
        PATH.replace("jax.jit(act)", "act")
        + """
# watch
for i in range(3):
    net = Path(lambda x: jnp.cos(x), key)
    forward(net, x8)  #> forward: first; forward: static net.act => `lambda` is made again in {file}, line 19: define it once, above the loop; forward: static net.act
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
    render(eqx.tree_at(lambda m: m.start, box, i))  #> render: first; render: static box.start 0→1 => each value of box.start makes its own program; make it an array, jnp.asarray(…), unless a shape or a loop needs it; render: static box.start 1→2; render: static box.start 2→3
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
step(x8, 0.5)  #> step: static lr 0.25→0.5 => each value of lr makes its own program; pass it as an array, unless a shape or a loop needs it
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
    "an optimizer as an argument": (
        """
import equinox as eqx, optax
net = eqx.nn.Linear(4, 1, key=key)
@eqx.filter_jit
def fit(net, state, x, tx):  #= fit
    ran.append("fit")
    grads = eqx.filter_grad(lambda net: jax.vmap(net)(x).mean())(net)
    updates, state = tx.update(grads, state)
    return eqx.apply_updates(net, updates), state
# watch
for run in range(3):
    tx = optax.adam(1e-3)
    state = tx.init(eqx.filter(net, eqx.is_array))
    fit(net, state, x8, tx)  #> fit: first; fit: static tx.init + static tx.update => `adam` is made again in {file}, line 11: make it once, above the loop; fit: static tx.init + static tx.update
""",
        (
            (
                "for run in range(3):\n    tx = optax.adam(1e-3)",
                "tx = optax.adam(1e-3)\nfor run in range(3):",
            ),
        ),
    ),
    "an activation of a layer of the library": (
        """
import equinox as eqx
class Net(eqx.Module):
    mlp: eqx.nn.MLP
    def __init__(self, key):
        self.mlp = eqx.nn.MLP(4, 1, 4, 1, activation=lambda x: jnp.tanh(x), key=key)
    def __call__(self, x):
        return jax.vmap(self.mlp)(x)
@eqx.filter_jit
def forward(net, x):  #= forward
    ran.append("forward")
    return net(x)
# watch
for seed in range(3):
    forward(Net(jax.random.key(seed)), x8)  #> forward: first; forward: static net.mlp.activation => `lambda` is made again in {file}, line 5: define it once, outside of the class; forward: static net.mlp.activation
""",
        (
            ("class Net", "act = lambda x: jnp.tanh(x)\nclass Net"),
            ("activation=lambda x: jnp.tanh(x)", "activation=act"),
        ),
    ),
    "the library's activation": (
        """
import equinox as eqx
@eqx.filter_jit
def forward(net, x):  #= forward
    ran.append("forward")
    return jax.vmap(net)(x)
# watch
for seed in range(3):
    forward(eqx.nn.MLP(4, 1, 4, 1, key=jax.random.key(seed)), x8)  #> forward: first
""",
        (),
    ),
}
