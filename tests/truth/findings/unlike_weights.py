"""One layer of several whose weights are wider than its siblings'. A product takes them without a
cast."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from . import array, case

X = array("bfloat16", 64, 1024)
W, WIDE = array("bfloat16", 1024, 1024), array("float32", 1024, 1024)
SMALL, SMALL_WIDE = array("bfloat16", 8, 8), array("float32", 8, 8)
TINY = array("bfloat16", 4, 8)


def dense(p, x):
    h = x @ p["w"]  # finds: unlike
    return jnp.tanh(h).astype(jnp.bfloat16)


def one_of_eight(layers, x):
    for p in layers:
        x = dense(p, x)
    return x


def one_of_four(layers, x):
    for p in layers:
        x = dense(p, x)
    return x


def the_last(layers, x):
    for p in layers:
        x = dense(p, x)
    return x


def gated(p, x):
    h = jnp.tanh(x @ p["up"]) * jnp.sin(x @ p["gate"])  # finds: unlike
    return (h @ p["down"]).astype(x.dtype)


def one_of_three_weights(layers, x):
    for p in layers:
        x = gated(p, x)
    return x


def in_a_scope(p, x):
    with jax.named_scope("block"):
        return x + jax.nn.relu(x @ p["w"]).astype(x.dtype)  # finds: unlike


def of_scopes(layers, x):
    for p in layers:
        x = in_a_scope(p, x)
    return x


def trained(layers, x):
    def loss(layers):
        y = x
        for p in layers:
            y = dense(p, y)
        return jnp.mean(y.astype(jnp.float32))

    return jax.grad(loss)(layers)


def quiet(p, x):
    return jnp.tanh(x @ p["w"]).astype(jnp.bfloat16)  # notes: unlike


def one_of_four_small(layers, x):
    for p in layers:
        x = quiet(p, x)
    return x


# Near misses


def plain(p, x):
    return jnp.tanh(x @ p["w"]).astype(jnp.bfloat16)


def all_wide(layers, x):
    for p in layers:
        x = plain(p, x)
    return x


def one_of_two(layers, x):
    for p in layers:
        x = plain(p, x)
    return x


def every_other(layers, x):
    for p in layers:
        x = plain(p, x)
    return x


def one_narrow(layers, x):
    for p in layers:
        x = plain(p, x)
    return x


def wide_head(layers, head, x):
    for p in layers:
        x = plain(p, x)
    return x @ head


def wide_embedding(table, layers, i):
    x = table[i].astype(jnp.bfloat16)
    for p in layers:
        x = plain(p, x)
    return x


def normed(p, x):
    h = (x.astype(jnp.float32) * p["scale"]).astype(x.dtype)
    return jnp.tanh(h @ p["w"])


def wide_norms(layers, x):
    for p in layers:
        x = normed(p, x)
    return x


def silenced_dense(p, x):
    h = x @ p["w"]  # jaxviz: ignore unlike
    return jnp.tanh(h).astype(jnp.bfloat16)


def silenced(layers, x):
    for p in layers:
        x = silenced_dense(p, x)
    return x


def branch(p, x, at):
    if at == 2:
        return jnp.sin(x.astype(jnp.float32) @ p["w"]).astype(x.dtype) + x
    return jnp.tanh(x @ p["w"])


def other_code(layers, x):
    for at, p in enumerate(layers):
        x = branch(p, x, at)
    return x


def some(count, *wide, name="w"):
    return [{name: WIDE if at in wide else W} for at in range(count)]


def three_weights(count, wide):
    one = {"up": W, "gate": W, "down": W}
    return [{**one, "gate": WIDE if at == wide else W} for at in range(count)]


SCALED = {"scale": array("float32", 1024), "w": W}

CASES = [
    case(one_of_eight, some(8, 4), X, of=(dense,)),
    case(one_of_four, some(4, 1), X, of=(dense,)),
    case(the_last, some(6, 5), X, of=(dense,)),
    case(one_of_three_weights, three_weights(6, 3), X, of=(gated,)),
    case(of_scopes, some(6, 2), X, of=(in_a_scope,)),
    case(trained, some(6, 3), X, of=(dense,)),
    case(
        one_of_four_small,
        [{"w": SMALL_WIDE if at == 2 else SMALL} for at in range(4)],
        TINY,
        of=(quiet,),
    ),
    case(all_wide, some(8, *range(8)), X),
    case(one_of_two, some(2, 1), X),
    case(every_other, some(8, 0, 2, 4, 6), X),
    case(one_narrow, [{"w": W if at == 3 else WIDE} for at in range(6)], X),
    case(wide_head, some(6), array("float32", 1024, 2048), X),
    case(wide_embedding, array("float32", 4096, 1024), some(6), array("int32", 64)),
    case(wide_norms, [SCALED] * 6, X),
    case(silenced, some(6, 3), X),
    case(other_code, some(6, 2), X),
]
