"""Programs that are written out: jits within jits."""

from __future__ import annotations

from .program import written

INNER = """
@jax.jit
def inner(x, y=None):  #= inner
    ran.append("inner")
    return total(x, y)
"""
STATIC = """
@partial(jax.jit, static_argnames="n")
def inner(x, n):  #= inner
    ran.append("inner")
    return jnp.sin(x) * n
"""
OUTER = """
@jax.jit
def outer(x):  #= outer
    ran.append("outer")
"""

NESTED = {
    "a jit within another, called alone first": INNER
    + OUTER
    + """    return inner(x) * 2
# watch
inner(x8)  #> inner: first
outer(x8)  #> outer: first
outer(x16)  #> (inner: shape x); outer: shape x
inner(x16)  #> inner again: first
""",
    "a jit within another, twice with other shapes": INNER
    + OUTER
    + """    return inner(x) + inner(x[:2])  #> (inner: first); (inner: shape x f32[8,4]→f32[2,4])
# watch
outer(x8)  #> outer: first
outer(x8)
""",
    "a jit within another, its static argument changes": STATIC
    + OUTER
    + """    return inner(x, n=2) + inner(x, n=3)  #> (inner: first); (inner: static n 2→3)
# watch
outer(x8)  #> outer: first
outer(x8)
""",
    "a jit within another, its static argument by position": STATIC
    + OUTER
    + """    return inner(x, 2) + inner(x, 3)  #> (inner: first); (inner: static n 2→3)
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, its static argument falls and rises": STATIC
    + OUTER
    + """    return inner(x, 5) + inner(x, 3) + inner(x, 4)  #> (inner: first); (inner: static n 5→3); (inner: static n 3→4)
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, its static argument changes from one depth to the next": STATIC
    + """
@jax.jit
def middle(x):  #= middle
    ran.append("middle")
    return inner(x, 2) * 2
"""
    + OUTER
    + """    return middle(x) + inner(x, 3)  #> (inner: first); (middle: first); (inner: static n 2→3)
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, its static argument changes in a loop's body": STATIC
    + OUTER
    + """    whole = lax.fori_loop(0, 2, lambda i, y: inner(y, 4), x)  #> (inner: first)
    return whole + inner(x, 2) + inner(x, 3)  #> (inner: static n 4→2); (inner: static n 2→3)
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, its static argument changes between branches": STATIC
    + OUTER
    + """    return lax.cond(x.any(), lambda y: inner(y, 5), lambda y: inner(y, 3), x)  #> (inner: first); (inner: static n 5→3)
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, its static argument changes between cases": STATIC
    + OUTER
    + """    return lax.switch(x.astype(int)[0, 0], [lambda y: inner(y, 5), lambda y: inner(y, 3)], x)  #> (inner: first); (inner: static n 5→3)
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, its static argument changes under grad": STATIC
    + OUTER
    + """    return jax.grad(lambda y: inner(y, 5).sum() + inner(y, 3).sum())(x)  #> (inner: first); (inner: static n 5→3 | order n)
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, its static argument changes under grad and then in the open": STATIC
    + OUTER
    + """    slope = jax.grad(lambda y: inner(y, 5).sum() + inner(y, 3).sum())(x)  #> (inner: first); (inner: static n 5→3 | order n)
    return slope + inner(x, 4)  #> (inner: static n 3→4 | order n)
# watch
outer(x8)  #> outer: first
outer(x16)  #> (inner: shape x); (inner: static n 5→3 | order n); (inner: static n 3→4 | order n); outer: shape x
""",
    "a jit within another, its static argument changes from call to call": STATIC
    + """
@partial(jax.jit, static_argnames="n")
def outer(x, n):  #= outer
    ran.append("outer")
    return inner(x, n=n)
# watch
outer(x8, n=2)  #> (inner: first); outer: first
outer(x8, n=3)  #> (inner: static n 2→3); outer: static n 2→3
outer(x8, n=2)
""",
    "a jit within another, its dtype changes": INNER
    + OUTER
    + """    return inner(x) + inner(x.astype("bfloat16"))  #> (inner: first); (inner: dtype x f32[8,4]→bf16[8,4])
# watch
outer(x8)  #> outer: first
""",
    "a jit within another, None changes": INNER
    + OUTER
    + """    return inner(x, None) + inner(x, x)  #> (inner: first); (inner: none y None→f32[8,4])
# watch
outer(x8)  #> outer: first
""",
    "a jit that a traced body makes": OUTER
    + """    made = jax.jit(lambda y: (ran.append("<lambda>"), y * 2)[1])  #= <lambda>
    return made(x)  #> (<lambda>: first); (<lambda>: function + shape y | function)
# watch
outer(x8)  #> outer: first
outer(x16)  #> outer: shape x
""",
    "a named jit that a traced body makes": """
@jax.jit
def outer(x):  #= outer
    ran.append("outer")
    @jax.jit
    def made(y):  #= made
        ran.append("made")
        return y * 2
    return made(x) + made(x)  #> (made: first)
# watch
outer(x8)  #> outer: first
outer(x8)
""",
    "three deep": INNER
    + """
@jax.jit
def middle(x):  #= middle
    ran.append("middle")
    return inner(x) * 2
@jax.jit
def outer(x):  #= outer
    ran.append("outer")
    return middle(x) * 2
# watch
outer(x8)  #> (inner: first); (middle: first); outer: first
outer(x16)  #> (inner: shape x); (middle: shape x); outer: shape x
outer(x8)
""",
    "two that share an inner one": INNER
    + """
@jax.jit
def left(x):  #= left
    ran.append("left")
    return inner(x) * 2
@jax.jit
def right(x):  #= right
    ran.append("right")
    return inner(x) * 3
# watch
left(x8)  #> (inner: first); left: first
right(x8)  #> right: first
right(x16)  #> (inner: shape x); right: shape x
left(x16)  #> left: shape x
""",
    "a jit in a scanned body": INNER
    + """
@jax.jit
def outer(x):  #= outer
    ran.append("outer")
    return lax.scan(lambda carry, row: (carry + inner(row), None), 0.0, x)[0]
# watch
outer(x8)  #> (inner: first); outer: first
outer(x16)  #> outer: shape x
""",
    "a jit within grad": INNER
    + """
@jax.jit
def outer(x):  #= outer
    ran.append("outer")
    return jax.grad(inner)(x)
# watch
outer(x8)  #> (inner: first); outer: first
outer(x16)  #> (inner: shape x); outer: shape x
""",
}

PROGRAMS = written("nested", NESTED)
