"""Python numbers that loops and branches outside of jit take: what to write in their place."""

from __future__ import annotations

from .program import written

SUM = """
def body(total, row):  #= body
    ran.append("body")
    return total + row.sum(), None
# watch
"""
GROW = """
def small(i):  #= small
    ran.append("small")
    return i < 100
def grow(i):  #= grow
    ran.append("grow")
    return i * 2
# watch
"""
BRANCH = """
def double(x):  #= double
    ran.append("double")
    return x * 2
def negate(x):  #= negate
    ran.append("negate")
    return -x
yes = x8[0, 0] > 0
# watch
"""
FLOAT, INT = (f"give {{where}} a dtype of its own: jnp.{dtype}32(…)" for dtype in ("float", "int"))
ARRAY = "give {where} a dtype of its own: .astype(jnp.float32)"


def hint(text: str, where: str) -> str:
    return text.format(where=where)


CARRIES = {
    "scan, a number and then an array": SUM
    + f"""
lax.scan(body, 0.0, x8)  #> ~body: first
lax.scan(body, jnp.float32(0), x8)  #> ~body: weak type total ~f32[]→f32[] => {hint(FLOAT, "total")}
lax.scan(body, jnp.float32(0), x8)
#~ body: total: ~f32[] → f32[]
""",
    "scan, an array and then a number": SUM
    + f"""
lax.scan(body, jnp.float32(0), x8)  #> ~body: first
lax.scan(body, 0.0, x8)  #> ~body: weak type total f32[]→~f32[] => {hint(FLOAT, "total")}
#~ body: total: f32[] → ~f32[]
""",
    "scan, as the hint says": SUM
    + """
lax.scan(body, jnp.float32(0.0), x8)  #> ~body: first
lax.scan(body, jnp.float32(0), x8)
""",
    "scan, a weak array": """
def body(total, row):  #= body
    ran.append("body")
    return total * 2, row
weak, strong = jnp.full((4,), 0.0), jnp.zeros(4)
# watch
lax.scan(body, weak, x8)  #> ~body: first
lax.scan(body, strong, x8)  #> ~body: weak type total ~f32[4]→f32[4] => """
    + hint(ARRAY, "total")
    + "\n#~ body: total: ~f32[4] → f32[4]\n",
    "while_loop, a number and then an array": GROW
    + f"""
lax.while_loop(small, grow, 1.0)  #> ~small: first; ~grow: first
lax.while_loop(small, grow, jnp.float32(1))  #> ~small: weak type i ~f32[]→f32[] => {hint(FLOAT, "i")}; ~grow: weak type i ~f32[]→f32[] => {hint(FLOAT, "i")}
#~ grow: i: ~f32[] → f32[]
""",
    "while_loop, an array and then a number": GROW
    + f"""
lax.while_loop(small, grow, jnp.int32(1))  #> ~small: first; ~grow: first
lax.while_loop(small, grow, 1)  #> ~small: weak type i i32[]→~i32[] => {hint(INT, "i")}; ~grow: weak type i i32[]→~i32[] => {hint(INT, "i")}
#~ grow: i: i32[] → ~i32[]
""",
    "while_loop, as the hint says": GROW
    + """
lax.while_loop(small, grow, jnp.float32(1.0))  #> ~small: first; ~grow: first
lax.while_loop(small, grow, jnp.float32(1))
""",
    "fori_loop, a number and then an array": """
def add(i, total):  #= add
    ran.append("add")
    return total + 1
# watch
"""
    f"""
lax.fori_loop(0, 3, add, 0)  #> ~add: first
lax.fori_loop(0, 3, add, jnp.int32(0))  #> ~add: weak type total ~i32[]→i32[] => {hint(INT, "total")}
#~ add: total: ~i32[] → i32[]
""",
    "cond, a number and then an array": BRANCH
    + f"""
lax.cond(yes, double, negate, 1.0)  #> ~double: first; ~negate: first
lax.cond(yes, double, negate, one)  #> ~double: weak type x ~f32[]→f32[] => {hint(FLOAT, "x")}; ~negate: weak type x ~f32[]→f32[] => {hint(FLOAT, "x")}
#~ double: x: ~f32[] → f32[]
""",
    "switch, a number and then an array": BRANCH
    + f"""
lax.switch(0, [double, negate], 1.0)  #> ~double: first; ~negate: first
lax.switch(0, [double, negate], one)  #> ~double: weak type x ~f32[]→f32[] => {hint(FLOAT, "x")}; ~negate: weak type x ~f32[]→f32[] => {hint(FLOAT, "x")}
""",
    "a number in a dict": """
def body(carry, row):  #= body
    ran.append("body")
    return {"n": carry["n"] + 1, "w": carry["w"]}, None
# watch
"""
    f"""
lax.scan(body, {{"n": 0, "w": x8}}, x8)  #> ~body: first
lax.scan(body, {{"n": jnp.int32(0), "w": x8}}, x8)  #> ~body: weak type carry['n'] ~i32[]→i32[] => {hint(INT, "carry['n']")}
#~ body: carry['n']: ~i32[] → i32[]
""",
    "a jit in a jit": """
@jax.jit
def inner(x):  #= inner
    ran.append("inner")
    return x * 2
@jax.jit
def outer(x, y):  #= outer
    ran.append("outer")
    return inner(y) + x
# watch
"""
    f"""
outer(x8, 2.0)  #> (inner: first); outer: first
outer(x8, one)  #> (inner: weak type x ~f32[]→f32[] => {hint(FLOAT, "x")}); outer: weak type y ~f32[] (float)→f32[] => pass jnp.float32(…) for y every time, not a Python number
#~ inner: x: ~f32[] → f32[]
""",
}

PROGRAMS = written("a number that a loop takes", CARRIES)
