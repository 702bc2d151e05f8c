"""Several arguments that change: those with the same change form one cause with one hint."""

from __future__ import annotations

from .program import Edits, with_fixed

ATTEND = """
@jax.jit
def attend(q, k, v):  #= attend
    ran.append("attend")
    return jax.nn.softmax(q @ k.T) @ v
"""
SCALE = """
@jax.jit
def step(x, lr):  #= step
    ran.append("step")
    return x * lr
"""
CAUSES: dict[str, tuple[str, Edits]] = {
    "three arguments of one dtype": (
        ATTEND
        + """
q, k, v = x8, x8, x8
# watch
attend(q, k, v)  #> attend: first
attend(*(a.astype("bfloat16") for a in (q, k, v)))  #> attend: dtype q f32[8,4]→bf16[8,4] + dtype k + dtype v => convert q, k, v to one dtype before the call
#~ attend: q, k, v: f32→bf16[8, 4]
""",
        (('a.astype("bfloat16")', 'a.astype("float32")'),),
    ),
    "three arguments of one dtype and other shapes": (
        ATTEND
        + """
q, k, v = x5, x8, x8
# watch
attend(q, k, v)  #> attend: first
attend(*(a.astype("bfloat16") for a in (q, k, v)))  #> attend: dtype q f32[5,4]→bf16[5,4] + dtype k f32[8,4]→bf16[8,4] + dtype v => convert q, k, v to one dtype before the call
#~ attend: q: f32→bf16[5, 4]; k, v: f32→bf16[8, 4]
""",
        (('a.astype("bfloat16")', 'a.astype("float32")'),),
    ),
    "one argument of another dtype": (
        ATTEND
        + """
# watch
attend(x8, x8, x8)  #> attend: first
attend(x8, x8, h8)  #> attend: dtype v f32[8,4]→bf16[8,4] => convert v to one dtype before the call
#~ attend: v: f32→bf16[8, 4]
""",
        (("x8, x8, h8)", "x8, x8, h8.astype(jnp.float32))"),),
    ),
    "a number and then an array of some size": (
        SCALE
        + """
# watch
step(x8, 0.5)  #> step: first
step(x8, x8)  #> step: shape lr ~f32[] (float)→f32[8,4] + weak type lr => -
""",
        (),
    ),
    "a number and then an array of another dtype": (
        SCALE
        + """
# watch
step(x8, 1)  #> step: first
step(x8, h8)  #> step: shape lr ~i32[] (int)→bf16[8,4] + dtype lr + weak type lr => -
""",
        (),
    ),
    "a batch and its labels": (
        """
@jax.jit
def step(x, y):  #= step
    ran.append("step")
    return total(x) + total(y)
# watch
for rows in (8, 8, 5):
    step(jnp.ones((rows, 4)), jnp.ones(rows))  #> step: first; step: shape x f32[8,4]→f32[5,4] + shape y f32[8]→f32[5] => if this is a smaller last batch, pad it to the size of the others, or drop it
#~ step: x: f32[8→5, 4]; y: f32[8→5]
""",
        (("(8, 8, 5)", "(8, 8)"),),
    ),
    "a batch in a dict": (
        """
@jax.jit
def step(batch):  #= step
    ran.append("step")
    return total(batch)
# watch
for rows in (8, 8, 5):
    step({"x": jnp.ones((rows, 4)), "y": jnp.ones((rows, 4))})  #> step: first; step: shape batch['x'] f32[8,4]→f32[5,4] + shape batch['y'] => if this is a smaller last batch, pad it to the size of the others, or drop it
#~ step: batch['x'], batch['y']: f32[8→5, 4]
""",
        (("(8, 8, 5)", "(8, 8)"),),
    ),
    "a dtype and a number": (
        SCALE
        + """
# watch
step(x8, 0.1)  #> step: first
step(h8, one)  #> step: dtype x f32[8,4]→bf16[8,4] + weak type lr ~f32[] (float)→f32[] => convert x to one dtype before the call; pass jnp.float32(…) for lr every time, not a Python number
""",
        (
            ("step(x8, 0.1)", "step(x8, jnp.float32(0.1))"),
            ("step(h8, one)", "step(h8.astype(jnp.float32), one)"),
        ),
    ),
    "a static value and a dtype": (
        """
@partial(jax.jit, static_argnames="n")
def step(x, n):  #= step
    ran.append("step")
    return x * n
# watch
step(x8, n=1)  #> step: first
step(h8, n=2)  #> step: static n 1→2 + dtype x f32[8,4]→bf16[8,4] => each value of n makes its own program; pass it as an array, unless a shape or a loop needs it; convert x to one dtype before the call
""",
        (
            ('static_argnames="n"', "static_argnames=()"),
            ("step(h8, n=2)", "step(h8.astype(jnp.float32), n=2)"),
        ),
    ),
    "two numbers": (
        """
@jax.jit
def step(x, lr, decay):  #= step
    ran.append("step")
    return x * lr * decay
# watch
step(x8, 0.1, 0.9)  #> step: first
step(x8, one, one)  #> step: weak type lr ~f32[] (float)→f32[] + weak type decay => pass jnp.float32(…) for lr, decay every time, not a Python number
#~ step: lr, decay: ~f32[] (float) → f32[]
""",
        (("step(x8, 0.1, 0.9)", "step(x8, jnp.float32(0.1), jnp.float32(0.9))"),),
    ),
    "two arguments by keyword": (
        """
@jax.jit
def step(x, a, b):  #= step
    ran.append("step")
    return x * a * b
# watch
step(x8, one, one)  #> step: first
step(x8, a=one, b=one)  #> step: style a by position→by keyword + style b => pass `a, b` the same way every time
#~ step: a, b: by position → by keyword
""",
        (("a=one, b=one", "one, one"),),
    ),
    "two static values": (
        """
@partial(jax.jit, static_argnames=("m", "n"))
def step(x, m, n):  #= step
    ran.append("step")
    return x * m * n
# watch
step(x8, m=1, n=1)  #> step: first
step(x8, m=2, n=3)  #> step: static m 1→2 + static n 1→3 => each value of m, n makes its own program; pass it as an array, unless a shape or a loop needs it
""",
        (('static_argnames=("m", "n")', "static_argnames=()"),),
    ),
    "two arguments that are None": (
        """
@jax.jit
def step(x, a=None, b=None):  #= step
    ran.append("step")
    return total(x, a, b)
# watch
step(x8, None, None)  #> step: first
step(x8, x8, x8)  #> step: none a None→f32[8,4] + none b => pass an array for a, b every time
#~ step: a, b: None → f32[8,4]
""",
        (("step(x8, None, None)", "step(x8, x8 * 0, x8 * 0)"),),
    ),
    "sizes that grow": (
        """
@jax.jit
def body(x):  #= body
    ran.append("body")
    return x.sum()
# watch
for n in (16, 32, 64, 128):
    body(jnp.ones((2, n)))  #> body: first; body: shape x f32[2,16]→f32[2,32]; body: shape x f32[2,32]→f32[2,64] => pad x to one of a few sizes; body: shape x f32[2,64]→f32[2,128]
#~ body: x: f32[2, 16→32→64→128]
""",
        (("(16, 32, 64, 128)", "(128, 128, 128, 128)"),),
    ),
    "sizes of both that grow": (
        """
@jax.jit
def body(x, y):  #= body
    ran.append("body")
    return x.sum() + y.sum()
# watch
for n in (16, 32, 64):
    body(jnp.ones((2, n)), jnp.ones((2, n)))  #> body: first; body: shape x f32[2,16]→f32[2,32] + shape y; body: shape x + shape y f32[2,32]→f32[2,64] => pad x, y to one of a few sizes
#~ body: x, y: f32[2, 16→32→64]
""",
        (("(16, 32, 64)", "(64, 64, 64)"),),
    ),
    "sizes back and forth": (
        """
@jax.jit
def body(x):  #= body
    ran.append("body")
    return x.sum()
# watch
for n in (4, 8, 6, 3):
    body(jnp.ones(n))  #> body: first; body: shape x; body: shape x; body: shape x
#~ body: x: f32[4→8→6→3]
""",
        (("(4, 8, 6, 3)", "(8, 8, 8, 8)"),),
    ),
    "flags that change": (
        """
@partial(jax.jit, static_argnames="mode")
def step(x, mode):  #= step
    ran.append("step")
    return x * 2
# watch
for mode in ("a", "b", "c"):
    step(x8, mode)  #> step: first; step: static mode 'a'→'b' => each value of mode makes its own program; step: static mode 'b'→'c'
#~ step: static mode: 'a' → 'b' → 'c'
""",
        (),
    ),
    "two causes, one after the other": (
        SCALE
        + """
# watch
step(x8, 0.1)  #> step: first
step(x8, one)  #> step: weak type lr ~f32[] (float)→f32[] => pass jnp.float32(…) for lr every time, not a Python number
step(h8, one)  #> step: dtype x f32[8,4]→bf16[8,4] => convert x to one dtype before the call
#~ step: lr: ~f32[] (float) → f32[]
#~ step: x: f32→bf16[8, 4]
""",
        (
            ("step(x8, 0.1)", "step(x8, jnp.float32(0.1))"),
            ("step(h8, one)", "step(h8.astype(jnp.float32), one)"),
        ),
    ),
    "a parameter's layers": (
        """
@jax.jit
def step(params):  #= step
    ran.append("step")
    return total(params)
params = [{"w": x8}, {"w": x8}]
# watch
step(params)  #> step: first
step(jax.tree.map(lambda p: p.astype("bfloat16"), params))  #> step: dtype params[0]['w'] + dtype params[1]['w'] => convert params[0]['w'], params[1]['w'] to one dtype before the call
#~ step: params[0]['w'], params[1]['w']: f32→bf16[8, 4]
""",
        (('p.astype("bfloat16")', 'p.astype("float32")'),),
    ),
    "a key of the other kind": (
        """
@jax.jit
def step(rng, x):  #= step
    ran.append("step")
    return x + jax.random.normal(rng)
# watch
step(jax.random.key(0), x8)  #> step: first
step(jax.random.PRNGKey(0), x8)  #> step: shape rng + dtype rng => make the random key rng the same way every time
""",
        (("jax.random.PRNGKey(0)", "jax.random.key(0)"),),
    ),
    "a number in a loop": (
        SCALE
        + """
# watch
for lr in (0.1, one, 0.2):
    step(x8, lr)  #> step: first; step: weak type lr ~f32[] (float)→f32[] => pass jnp.float32(…) for lr every time, not a Python number
""",
        (("(0.1, one, 0.2)", "(jnp.float32(0.1), one, jnp.float32(0.2))"),),
    ),
    "an integer and a float": (
        SCALE
        + """
# watch
step(x8, 1)  #> step: first
step(x8, 0.5)  #> step: dtype lr ~i32[] (int)→~f32[] (float) => pass lr as float every time
#~ step: lr: ~i32[] (int) → ~f32[] (float)
""",
        (("step(x8, 1)", "step(x8, 1.0)"),),
    ),
}
SHARDED = """
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()[:1]), ("d",))
split, whole = NamedSharding(mesh, P("d")), NamedSharding(mesh, P())
def body(x):  #= body
    ran.append("body")
    return x * 2
"""
ONCE = "call jit once: other options make another program"
OPTIONS: dict[str, tuple[str, Edits]] = {
    "an out_shardings more": (
        SHARDED
        + f"""
# watch
jax.jit(body)(x8)  #> body: first
jax.jit(body, out_shardings=whole)(x8)  #> body again: options out_shardings none→P() on mesh d=1 => {ONCE}
""",
        (("jax.jit(body, out_shardings=whole)", "jax.jit(body)"),),
    ),
    "another donation": (
        """
def step(x, y):  #= step
    ran.append("step")
    return x * y, y
# watch
jax.jit(step, donate_argnums=0)(x8 + 0, x8)  #> step: first
jax.jit(step, donate_argnums=1)(x8, x8 + 0)  #> step again: options donated_invars 0→1
""",
        (("donate_argnums=1)(x8, x8 + 0)", "donate_argnums=0)(x8 + 0, x8)"),),
    ),
    "a donation less": (
        """
def step(x):  #= step
    ran.append("step")
    return x * 2
# watch
jax.jit(step, donate_argnums=0)(x8 + 0)  #> step: first
jax.jit(step)(x8)  #> step again: options donated_invars 0→none
""",
        (("jax.jit(step)(x8)", "jax.jit(step, donate_argnums=0)(x8 + 0)"),),
    ),
    "the same options": (
        SHARDED
        + """
# watch
jax.jit(body, out_shardings=split)(x8)  #> body: first
jax.jit(body, out_shardings=NamedSharding(mesh, P("d")))(x8)
""",
        (),
    ),
}


PROGRAMS = [*with_fixed("several changes", CAUSES), *with_fixed("options of jit", OPTIONS)]
