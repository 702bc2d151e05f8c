"""Programs whose sharding constraint asks for more parts than divide a dimension, with the expected
findings, as in `findings`.

XLA pads such a value within the program. A result cannot be padded: JAX leaves that dimension
whole on each device. So a result is at fault, and a value whose parts are mostly padding.
"""

from __future__ import annotations

from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
from eight_devices import MESH, P, placed, split
from jax import lax

from truth.findings import array, case

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

put = lax.with_sharding_constraint
ALL, ROWS, COLUMNS = placed(P(("data", "model"))), placed(P("data")), placed(P(None, "model"))


def vocabulary(x):
    e = jnp.sin(x)
    return put(e, ALL)  # finds: indivisible


def then_computed(x):
    e = put(jnp.sin(x), placed(P("data", None)))  # finds: indivisible
    return jnp.cos(e) * 2 + x


def narrowed(x):
    e = put(jnp.sin(x), ROWS)  # finds: indivisible
    return e.astype(jnp.bfloat16)


def by_columns(x):
    return put(jnp.sin(x), COLUMNS)  # finds: indivisible


def one_dimension_of_two(x):
    return put(jnp.sin(x), placed(P("data", "model")))  # finds: indivisible


def carried(x):
    def turn(h, _):
        return put(jnp.sin(h), ROWS), None  # finds: indivisible

    return lax.scan(turn, x, length=3)[0]


def stacked(x):
    def turn(total, _):
        return total + 1, put(jnp.sin(x) * total, ROWS)  # finds: indivisible

    return lax.scan(turn, 0.0, length=3)[1]


@jax.jit
def inner(x):
    return put(jnp.sin(x), ROWS)  # finds: indivisible


def of_a_function(x):
    return inner(x) + 1


def activated(x):
    return jax.nn.relu(put(jnp.sin(x), ROWS))  # finds: indivisible


def also_summed(x):
    e = put(jnp.sin(x), ROWS)  # finds: indivisible
    return e.sum(), {"table": e}


def slopes(w):
    return jax.grad(lambda w: put(jnp.sin(w), ROWS).sum())(w)  # finds: indivisible


def parameters(x):
    params = {"embed": jnp.sin(x), "dense": jnp.sin(x[:4096])}
    return jax.tree.map(lambda p: put(p, ROWS), params)  # finds: indivisible


def state_of_optax(params):  # finds: unused
    state = optax.sgd(0.1, momentum=0.9).init(params)
    return put(state, jax.tree.map(lambda _: ROWS, state))  # finds: indivisible


def sharded_by_equinox(x):
    return eqx.filter_shard(jnp.sin(x), ROWS)  # finds: indivisible


def few_heads(q, w):
    heads = jnp.einsum("btd,dhk->bthk", q, w)
    heads = put(heads, placed(P(None, None, "model")))  # finds: indivisible
    return jnp.tanh(heads).sum(2)


def one_row(x, w):
    h = put(jnp.tanh(x @ w), ALL)  # finds: indivisible
    return (h @ w.T).sum()


# Near misses


def divisible(x):
    return put(jnp.sin(x), ALL)


def padded_by_xla(x):
    e = put(jnp.sin(x), ALL)
    return (jnp.cos(e) * 2).sum()


def padded_by_xla_for_a_product(x, w):
    e = put(jnp.sin(x), ALL)
    return jnp.tanh(e @ w).sum()


def padded_by_hand(x):
    return put(jnp.pad(jnp.sin(x), ((0, 7), (0, 0))), ALL)


def split_otherwise_at_last(x):
    return put(put(jnp.sin(x), ROWS) * 2, COLUMNS)


def cut_at_last(x):
    return put(jnp.sin(x), ROWS)[:4096]


def whole_on_purpose(x):
    return put(jnp.sin(x), placed(P(None, None)))


def left_to_xla(x):
    return put(jnp.sin(x), placed(P(P.UNCONSTRAINED, None)))


@partial(jax.jit, out_shardings=COLUMNS)
def stated_for_the_result(x):
    return put(jnp.sin(x), ROWS)


def by_hand(x):
    part = partial(shard_map, mesh=MESH, in_specs=P(None, "model"), out_specs=P(None, "model"))
    return part(jnp.sin)(x)


def three_rows_over_two(x, w):
    return (put(jnp.sin(x), ROWS) @ w).sum()


def silenced(x):
    return put(jnp.sin(x), ALL)  # jaxviz: ignore indivisible


def small_result(x):
    return put(jnp.sin(x), ROWS)  # notes: indivisible


def small_padding(x):
    return put(jnp.sin(x), ALL).sum()  # notes: indivisible


X, W = array("float32", 4097, 256), array("float32", 256, 256)
WIDE = array("float32", 1024, 1023)

CASES = [
    case(vocabulary, X),
    case(then_computed, X),
    case(narrowed, X),
    case(by_columns, WIDE),
    case(one_dimension_of_two, X),
    case(carried, X),
    case(stacked, X),
    case(of_a_function, X, of=(inner,)),
    case(activated, X),
    case(also_summed, X),
    case(slopes, X),
    case(parameters, X),
    case(state_of_optax, {"embed": X, "dense": W}),
    case(sharded_by_equinox, X),
    case(few_heads, array("float32", 4, 1024, 256), array("float32", 256, 2, 128)),
    case(one_row, array("float32", 1, 1024), array("float32", 1024, 1 << 18)),
    case(divisible, array("float32", 4096, 256)),
    case(padded_by_xla, X),
    case(padded_by_xla_for_a_product, X, W),
    case(padded_by_hand, X),
    case(split_otherwise_at_last, split(4097, 256, by=P(None, "model"))),
    case(cut_at_last, X),
    case(whole_on_purpose, X),
    case(left_to_xla, X),
    case(stated_for_the_result, X),
    case(by_hand, X),
    case(three_rows_over_two, array("float32", 3, 4096), array("float32", 4096, 8)),
    case(silenced, X),
    case(small_result, array("float32", 9, 8)),
    case(small_padding, array("float32", 3, 8)),
]
WHOLE = {one.name for one in CASES[:14]}
"""Those whose result is whole on each device along the dimension of the finding."""
