"""Programs that are written out: other options, ways to pass arguments, and failures."""

from __future__ import annotations

from .program import written

OPTIONS = {
    "jitted again with static_argnums": """
def step(x, n):  #= step
    ran.append("step")
    return x * n
# watch
jax.jit(step)(x8, 2)  #> step: first
jax.jit(step, static_argnums=1)(x8, 2)  #> step: options static_argnums | static n | options static_argnums + static n | options static_argnums none→1 + static n
""",
    "jitted again with static_argnames": """
def step(x, mode):  #= step
    ran.append("step")
    return x * 2
# watch
jax.jit(step)(x8, mode=2)  #> step: first
jax.jit(step, static_argnames="mode")(x8, mode=2)  #> step: options static_argnames | static mode | options static_argnums | options static_argnames + static mode
""",
    "jitted again with donation": """
def step(x):  #= step
    ran.append("step")
    return x * 2
# watch
jax.jit(step)(x8)  #> step: first
jax.jit(step, donate_argnums=0)(x8 + 0)  #> step again: options donated_invars none→0
""",
    "a default left out": """
@jax.jit
def step(x, scale=2.0):  #= step
    ran.append("step")
    return x * scale
# watch
step(x8)  #> step: first
step(x8, 2.0)  #> step: style scale left out→by position
step(x8)
""",
    "keywords in another order": """
@jax.jit
def step(x, y):  #= step
    ran.append("step")
    return x * y
# watch
step(x=x8, y=one)  #> step: first
step(y=one, x=x8)
""",
    "keys of a dict in another order": """
@jax.jit
def step(tree):  #= step
    ran.append("step")
    return tree["a"] + tree["b"]
# watch
step({"a": x8, "b": x8})  #> step: first
step({"b": x8, "a": x8})
""",
    "rest arguments": """
@jax.jit
def step(*xs):  #= step
    ran.append("step")
    return total(xs)
# watch
step(x8, x8)  #> step: first
step(x8, x16)  #> step: shape xs[1] f32[8,4]→f32[16,4]
""",
    "keyword arguments": """
@jax.jit
def step(**xs):  #= step
    ran.append("step")
    return total(xs)
# watch
step(a=x8, b=x8)  #> step: first
step(a=x8, b=x16)  #> step: shape b f32[8,4]→f32[16,4]
""",
    "a function as static argument, made anew": """
@partial(jax.jit, static_argnames="fun")
def step(x, fun):  #= step
    ran.append("step")
    return fun(x)
# watch
for i in range(2):
    step(x8, fun=lambda x: x * 2)  #> step: first; step: static fun
""",
    "a debug print": """
@jax.jit
def step(x):  #= step
    ran.append("step")
    jax.debug.callback(lambda value: None, x[0, 0])
    return x * 2
# watch
step(x8)  #> step: first
step(x8)
step(x16)  #> step: shape x
""",
    "an ordered effect": """
@jax.jit
def step(x):  #= step
    ran.append("step")
    jax.debug.callback(lambda value: None, x[0, 0], ordered=True)
    return x * 2
# watch
step(x8)  #> step: first
step(x8)
step(x16)  #> step: shape x
""",
    "ahead of time": """
@jax.jit
def step(x):  #= step
    ran.append("step")
    return x * 2
# watch
compiled = step.lower(x8).compile()  #> step: first
compiled(x8)
compiled = step.lower(x16).compile()  #> step: shape x
""",
    "two functions of one name": """
@jax.jit
def step(x):  #= first
    ran.append("first")
    return x * 2
other = step
@jax.jit
def step(x):  #= second
    ran.append("second")
    return x * 3
# watch
other(x8)  #> first/step: first
""",
    "a NamedTuple's leaf": """
import typing
class State(typing.NamedTuple):
    a: object
    b: object
@jax.jit
def step(state):  #= step
    ran.append("step")
    return total(state)
# watch
step(State(x8, x8))  #> step: first
step(State(x8, x16))  #> step: shape state.b f32[8,4]→f32[16,4]
""",
    "a dataclass's leaf": """
import dataclasses
@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    a: object
    b: object
@jax.jit
def step(state):  #= step
    ran.append("step")
    return total(state)
# watch
step(State(x8, x8))  #> step: first
step(State(x8, x16))  #> step: shape state.b f32[8,4]→f32[16,4]
""",
}

FAILURES = {
    "fails, then is traced": """
@jax.jit
def step(x, flag):  #= step
    ran.append("step")
    if flag is not None and flag > 0:  #!
        return x
    return x * 2
# watch
with suppress(jax.errors.TracerBoolConversionError):
    step(x8, 1.0)  #> step fails: first
step(x8, None)  #> step: first | none flag | function
step(x16, None)  #> step: shape x f32[8,4]→f32[16,4]
""",
    "is traced, then fails, then is traced": """
@jax.jit
def step(x, flag=None):  #= step
    ran.append("step")
    if flag is not None and flag > 0:  #!
        return x
    return x * 2
# watch
step(x8)  #> step: first
with suppress(jax.errors.TracerBoolConversionError):
    step(x8, 1.0)  #> step fails: none flag None→~f32[] (float)
step(x8)
step(x16)  #> step: shape x f32[8,4]→f32[16,4]
""",
    "fails of a shape": """
@jax.jit
def step(x):  #= step
    ran.append("step")
    return x + x8  #!
# watch
step(x8)  #> step: first
with suppress(TypeError):
    step(x5)  #> step fails: shape x f32[8,4]→f32[5,4]
step(x8)
""",
    "raises while it is traced": """
fail = [True]
@jax.jit
def step(x):  #= step
    ran.append("step")
    if fail[0]:
        raise RuntimeError("not yet")  #!
    return x * 2
# watch
with suppress(RuntimeError):
    step(x8)  #> step fails: first
fail[0] = False
step(x8)  #> step: first | function
step(x16)  #> step: shape x f32[8,4]→f32[16,4]
""",
}

PROGRAMS = [*written("options and arguments", OPTIONS), *written("failures", FAILURES)]
