"""Programs that are written out: functions made anew, loops outside of jit, and pmap."""

from __future__ import annotations

from .program import written

LOOPS = {
    "scan, a body made anew": """
for i in range(3):
    def body(carry, row):  #= body
        ran.append("body")
        return carry + row, None
    lax.scan(body, jnp.zeros(4), x8)  #> ~body: first; ~body: function; ~body: function
""",
    "scan, the same body": """
def body(carry, row):  #= body
    ran.append("body")
    return carry + row, None
zeros = jnp.zeros(4)
# watch
lax.scan(body, zeros, x8)  #> ~body: first
lax.scan(body, zeros, x8)
lax.scan(body, zeros, x8 + 1)
""",
    "scan, a jit in its body whose static argument changes": """
@partial(jax.jit, static_argnames="n")
def inner(x, n):  #= inner
    ran.append("inner")
    return jnp.sin(x) * n
def body(carry, row):  #= body
    ran.append("body")
    return inner(carry, 5) + inner(carry, 3), None
zeros = jnp.zeros(4)
# watch
lax.scan(body, zeros, x8)  #> (inner: first); (inner: static n 5→3); ~body: first
lax.scan(body, zeros, x8)
""",
    "cond, a jit in its branches whose static argument changes": """
@partial(jax.jit, static_argnames="n")
def inner(x, n):  #= inner
    ran.append("inner")
    return jnp.sin(x) * n
def double(x):  #= double
    ran.append("double")
    return inner(x, 5) * 2
def negate(x):  #= negate
    ran.append("negate")
    return -inner(x, 3)
yes = x8[0, 0] > 0
# watch
lax.cond(yes, double, negate, x8)  #> (inner: first); (inner: static n 5→3); ~double: first; ~negate: first
""",
    "fori_loop, a body made anew": """
# watch
for i in range(3):
    lax.fori_loop(0, 3, lambda i, x: (ran.append("<lambda>"), x * 2)[1], x8)  #= <lambda>   #> ~<lambda>: first; ~<lambda>: function; ~<lambda>: function
""",
    "while_loop, functions made anew": """
def positive(x):
    def check(x):  #= check
        ran.append("check")
        return x[0, 0] > 0
    def body(x):  #= body
        ran.append("body")
        return x - 1
    return lax.while_loop(check, body, x)  #> ~check: first; ~body: first; ~check: function; ~body: function
# watch
positive(x8)
positive(x8)
""",
    "cond, branches made anew": """
yes = x8[0, 0] > 0
# watch
for i in range(2):
    def double(x):  #= double
        ran.append("double")
        return x * 2
    def negate(x):  #= negate
        ran.append("negate")
        return -x
    lax.cond(yes, double, negate, x8)  #> ~double: first; ~negate: first; ~double: function; ~negate: function
""",
    "switch, branches made anew": """
# watch
for i in range(2):
    def double(x):  #= double
        ran.append("double")
        return x * 2
    def negate(x):  #= negate
        ran.append("negate")
        return -x
    lax.switch(1, [double, negate], x8)  #> ~double: first; ~negate: first; ~double: function; ~negate: function
""",
    "map, a function made anew": """
# watch
for i in range(3):
    def row(x):  #= row
        ran.append("row")
        return x * 2
    lax.map(row, x8)  #> ~row: first; ~row: function; ~row: function
""",
    "a lambda in a loop": """
# watch
for i in range(3):
    jax.jit(lambda x: (ran.append("<lambda>"), x * 2)[1])(x8)  #= <lambda>   #> <lambda>: first; <lambda>: function; <lambda>: function
""",
    "a partial in a loop": """
def scale(factor, x):  #= scale
    ran.append("scale")
    return x * factor
# watch
for factor in (1.0, 2.0):
    jax.jit(partial(scale, factor))(x8)  #> scale: first; scale: function
""",
    "a function in a loop": """
# watch
for i in range(3):
    @jax.jit
    def step(x):  #= step
        ran.append("step")
        return x * i
    step(x8)  #> step: first; step: function; step: function
""",
    "a bound method jitted in a loop": """
class Model:
    def step(self, x):  #= step
        ran.append("step")
        return x * 2
model = Model()
# watch
for i in range(2):
    jax.jit(model.step)(x8)  #> step/Model.step: first; step/Model.step: function
""",
    "a method jitted in the constructor": """
class Model:
    def __init__(self):
        self.step = jax.jit(self._step)
    def _step(self, x):  #= _step
        ran.append("_step")
        return x * 2
# watch
for i in range(2):
    Model().step(x8)  #> _step/Model._step: first; _step/Model._step: function
""",
    "the same function jitted again": """
def step(x):  #= step
    ran.append("step")
    return x * 2
# watch
for i in range(3):
    jax.jit(step)(x8)  #> step: first
""",
    "pmap": """
def step(x):  #= step
    ran.append("step")
    return x * 2
mapped = jax.pmap(step)
# watch
mapped(x1)  #> ~step: first
mapped(x1)
mapped(x8[:1, :2])  #> ~step: shape x
""",
    "pmap of a decorator": """
@jax.pmap
def step(x):  #= step
    ran.append("step")
    return x * 2
# watch
step(x1)  #> ~step: first
step(x1.astype("bfloat16"))  #> ~step: dtype x
""",
}

PROGRAMS = written("made anew", LOOPS)
