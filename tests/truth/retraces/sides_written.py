"""Programs that are written out: what each side of a reason is, and fields by their names."""

from __future__ import annotations

from .program import written

WRITTEN = {
    "None by default to array": """
@jax.jit
def step(x, mask=None):  #= step
    ran.append("step")
    return total(x, mask)
# watch
step(x8)  #> step: first
step(x8, x8)  #> step: none mask None→f32[8,4] => pass an array for mask every time
step(x8, None)  #> step: style mask left out→by position | none mask f32[8,4]→None
""",
    "array to None by default": """
@jax.jit
def step(x, mask=None):  #= step
    ran.append("step")
    return total(x, mask)
# watch
step(x8, mask=x8)  #> step: first
step(x8)  #> step: none mask f32[8,4]→None
step(x8, mask=None)  #> step: none mask f32[8,4]→None | style mask left out→by keyword
""",
    "None to a number": """
@jax.jit
def step(x, lr=None):  #= step
    ran.append("step")
    return total(x) * (1 if lr is None else lr)
# watch
step(x8)  #> step: first
step(x8, lr=0.5)  #> step: none lr None→~f32[] (float)
""",
    "None to a tree": """
@jax.jit
def step(x, state=None):  #= step
    ran.append("step")
    return total(x, state)
# watch
step(x8, None)  #> step: first
step(x8, {"a": x8})  #> step: pytree state | none state | none state + pytree state['a'] | pytree state['a'] absent→f32[8,4] | none state None→absent + pytree state['a']
""",
    "None in a tree": """
@jax.jit
def step(tree):  #= step
    ran.append("step")
    return total(tree)
# watch
step({"a": x8, "b": None})  #> step: first
step({"a": x8, "b": x8})  #> step: none tree['b'] None→f32[8,4] => pass an array for tree['b'] every time
step({"a": x8, "b": 2.0})  #> step: none tree['b'] None→~f32[] (float) | shape tree['b'] + weak type tree['b']
""",
    "one more of the rest": """
@jax.jit
def step(*xs):  #= step
    ran.append("step")
    return total(xs)
# watch
step(x8)  #> step: first
step(x8, x16)  #> step: pytree xs[1] absent→f32[16,4]
step(x8)
""",
    "one less of the rest": """
@jax.jit
def step(x, *rest):  #= step
    ran.append("step")
    return total(x, rest)
# watch
step(x8, one, one)  #> step: first
step(x8, one)  #> step: pytree rest[1] f32[]→absent
""",
    "one more keyword": """
@jax.jit
def step(x, **more):  #= step
    ran.append("step")
    return total(x, more)
# watch
step(x8, a=one)  #> step: first
step(x8, a=one, b=2.0)  #> step: pytree b absent→~f32[] (float)
step(x8, b=2.0, a=one)
""",
    "a static keyword of the rest": """
@partial(jax.jit, static_argnames=("mode",))
def step(x, **more):  #= step
    ran.append("step")
    return total(x) * len(more)
# watch
step(x8)  #> step: first
step(x8, mode="a")  #> step: static mode absent→'a' (static)
""",
    "a static default that is None": """
@partial(jax.jit, static_argnames="axis")
def step(x, axis=None):  #= step
    ran.append("step")
    return jnp.sum(x, axis)
# watch
step(x8)  #> step: first
step(x8, axis=1)  #> step: static axis None→1 => each value of axis makes its own program
step(x8, axis=None)  #> step: style axis left out→by keyword | static axis 1→None
step(x8, axis=(0, 1))  #> step: static axis None→(0, 1)
""",
    "two static defaults": """
@partial(jax.jit, static_argnames=("n", "mode"))
def step(x, n=2, mode="mean"):  #= step
    ran.append("step")
    return x * n
# watch
step(x8)  #> step: first
step(x8, n=3)  #> step: static n 2→3
step(x8, n=3, mode="sum")  #> step: static mode 'mean'→'sum'
step(x8, mode="sum")  #> step: static mode 'mean'→'sum' | static n 3→2
""",
    "a static default, in the cache": """
@partial(jax.jit, static_argnames="n")
def step(x, n=2):  #= step
    ran.append("step")
    return x * n
# watch
step(x8)  #> step: first
step(x8, n=3)  #> step: static n 2→3
step(x8, n=3)
""",
    "a static default of a jit within another": """
@partial(jax.jit, static_argnames="n")
def inner(x, n=2):  #= inner
    ran.append("inner")
    return x * n
@jax.jit
def outer(x):  #= outer
    ran.append("outer")
    return inner(x) + inner(x, n=3)
# watch
outer(x8)  #> (inner: first); (inner: static n 2→3); outer: first
""",
    "a default of a jit within another": """
@jax.jit
def inner(x, mask=None):  #= inner
    ran.append("inner")
    return total(x, mask)
@jax.jit
def outer(x):  #= outer
    ran.append("outer")
    return inner(x) + inner(x, x)
# watch
outer(x8)  #> (inner: first); (inner: none mask None→f32[8,4]); outer: first
""",
    "a keyword-only default": """
@partial(jax.jit, static_argnames="flag")
def step(x, *, flag=True):  #= step
    ran.append("step")
    return x * (2 if flag else 3)
# watch
step(x8, flag=False)  #> step: first
step(x8)  #> step: static flag False→True
step(x8, flag=True)  #> step: style flag left out→by keyword
""",
    "an Enum by default": """
import enum
class Mode(enum.Enum):
    TRAIN = 1
    EVAL = 2
@partial(jax.jit, static_argnames="mode")
def step(x, mode=Mode.TRAIN):  #= step
    ran.append("step")
    return x * mode.value
# watch
step(x8)  #> step: first
step(x8, mode=Mode.EVAL)  #> step: static mode TRAIN→EVAL
step(x8, mode=Mode.TRAIN)  #> step: style mode left out→by keyword | static mode EVAL→TRAIN
""",
    "a dataclass by default": """
import dataclasses
@dataclasses.dataclass(frozen=True)
class Config:
    width: int = 3
    bias: bool = True
@partial(jax.jit, static_argnames="config")
def step(x, config=Config()):  #= step
    ran.append("step")
    return x * config.width
# watch
step(x8)  #> step: first
step(x8, config=Config(5))  #> step: static config.width 3→5
step(x8, config=Config(5))
step(x8, config=Config())  #> step: style config left out→by keyword | static config.width 5→3
""",
    "a function by default": """
@partial(jax.jit, static_argnames="act")
def step(x, act=jnp.sin):  #= step
    ran.append("step")
    return act(x)
# watch
step(x8)  #> step: first
step(x8, act=jnp.cos)  #> step: static act sin→cos
step(x8, act=jnp.cos)
""",
    "an array by default": """
weights = jnp.ones(4)
@jax.jit
def step(x, w=weights):  #= step
    ran.append("step")
    return x * w
# watch
step(x8)  #> step: first
step(x8, x8[0])  #> step: static w float32[4] (static)→f32[4] => pass w as an array every time
""",
    "weak types keep their mark": """
@jax.jit
def step(x, clip):  #= step
    ran.append("step")
    return jnp.clip(x, 0, clip)
# watch
step(x8, 1)  #> step: first
step(x8, 1.0)  #> step: dtype clip ~i32[] (int)→~f32[] (float)
step(x8, True)  #> step: dtype clip ~i32[] (int)→bool[] + weak type clip | dtype clip ~f32[] (float)→bool[] + weak type clip
""",
    "a weak array that grows": """
@jax.jit
def step(x):  #= step
    ran.append("step")
    return x * 2
# watch
step(jnp.full(3, 1.0))  #> step: first
step(jnp.full(4, 1.0))  #> step: shape x ~f32[3]→~f32[4]
""",
    "weak in a tree": """
@jax.jit
def step(p):  #= step
    ran.append("step")
    return total(p)
# watch
step({"a": one})  #> step: first
step({"a": one, "lr": 0.1})  #> step: pytree p['lr'] absent→~f32[] (float)
""",
}

META = {
    "fields by name": """
import dataclasses
@partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["name", "kind"])
@dataclasses.dataclass
class Layer:
    w: object
    name: str
    kind: str
@jax.jit
def step(layer):  #= step
    ran.append("step")
    return total(layer)
# watch
step(Layer(x8, "a", "k"))  #> step: first
step(Layer(x8, "a", "q"))  #> step: static layer.kind 'k'→'q' => each value of layer.kind makes its own program
step(Layer(x8, "b", "q"))  #> step: static layer.name 'a'→'b'
step(Layer(x8, "b", "q"))
""",
    "meta fields before data": """
import dataclasses
@partial(jax.tree_util.register_dataclass, data_fields=["w", "b"], meta_fields=["name", "width"])
@dataclasses.dataclass
class Layer:
    name: str
    w: object
    width: int
    b: object
@jax.jit
def step(layer):  #= step
    ran.append("step")
    return total(layer)
# watch
step(Layer("a", x8, 3, one))  #> step: first
step(Layer("a", x8, 4, one))  #> step: static layer.width 3→4
step(Layer("a", x8, 4, x8))  #> step: shape layer.b f32[]→f32[8,4]
""",
    "marked as static": """
import dataclasses
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Layer:
    w: object
    name: str = dataclasses.field(metadata=dict(static=True))
@jax.jit
def step(layer):  #= step
    ran.append("step")
    return total(layer)
# watch
step(Layer(x8, "a"))  #> step: first
step(Layer(x8, "b"))  #> step: static layer.name 'a'→'b'
""",
    "nested": """
import dataclasses
@partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["name"])
@dataclasses.dataclass
class Layer:
    w: object
    name: str
@partial(jax.tree_util.register_dataclass, data_fields=["first", "rest"], meta_fields=["depth"])
@dataclasses.dataclass
class Net:
    first: object
    rest: list
    depth: int
@jax.jit
def step(net):  #= step
    ran.append("step")
    return total(net)
# watch
step(Net(Layer(x8, "a"), [Layer(x8, "b")], 2))  #> step: first
step(Net(Layer(x8, "a"), [Layer(x8, "c")], 2))  #> step: static net.rest[0].name 'b'→'c'
step(Net(Layer(x8, "d"), [Layer(x8, "c")], 2))  #> step: static net.first.name 'a'→'d'
step(Net(Layer(x8, "d"), [Layer(x8, "c")], 3))  #> step: static net.depth 2→3
""",
    "a number in a static field": """
import dataclasses
@partial(jax.tree_util.register_dataclass, data_fields=["w"], meta_fields=["step"])
@dataclasses.dataclass
class State:
    w: object
    step: int
@jax.jit
def update(state):  #= update
    ran.append("update")
    return state.w + state.step
# watch
for i in range(3):
    update(State(x8, i))  #> update: first; update: static state.step 0→1 => each value of state.step makes its own program; make it a data field with an array, unless a shape or a loop needs it; update: static state.step 1→2
#~ update: static state.step: 0 → 1 → 2
""",
    "a node with children and data": """
@jax.tree_util.register_pytree_node_class
class Box:
    def __init__(self, w, name):
        self.w, self.name = w, name
    def tree_flatten(self):
        return (self.w,), (self.name,)
    @classmethod
    def tree_unflatten(cls, data, children):
        return cls(*children, *data)
@jax.jit
def step(box):  #= step
    ran.append("step")
    return total(box)
# watch
step(Box(x8, "a"))  #> step: first
step(Box(x8, "b"))  #> step: static box[0] 'a'→'b' | static box
step(Box(x8, "b"))
""",
}

PROGRAMS = [*written("sides", WRITTEN), *written("fields", META)]
