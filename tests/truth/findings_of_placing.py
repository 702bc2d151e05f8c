"""Programs that place values on several devices, with the expected findings, as in `findings`:
values that return to an earlier sharding, and arguments and constants that each device reads only
in part. XLA makes each device's part of an iota itself, so those are near misses."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from eight_devices import MESH, P, placed, split
from jax import lax
from jax.sharding import Mesh, NamedSharding

from truth.findings import case

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

ROWS, COLUMNS, BOTH = placed(P("data")), placed(P(None, "data")), placed(P("data", "model"))
put = lax.with_sharding_constraint
ALONE = Mesh(jax.devices()[:1], ("data",))
OTHER = Mesh(np.array(jax.devices()).reshape(4, 2), ("data", "model"))


def there_and_back(x):
    y = put(jnp.sin(x), ROWS)
    y = put(y, COLUMNS)
    return put(y, ROWS) + 1  # finds: reshard


def written_otherwise(x):
    y = put(jnp.sin(x), ROWS)
    y = put(y, COLUMNS)
    return put(y, placed(P("data", None))) + 1  # finds: reshard


def an_argument_and_back(x):
    y = put(x, COLUMNS)
    return put(y, ROWS) * 2  # finds: reshard


def used_in_between(x, w):
    y = put(jnp.sin(x), ROWS)
    z = put(y, COLUMNS)
    return z.sum(0), put(z, ROWS) @ w  # finds: reshard


def by_two_ways(x):
    y = put(jnp.sin(x), ROWS)
    y = put(put(y, COLUMNS), BOTH)
    return put(y, ROWS) + 1  # finds: reshard


def at_each_turn(x):
    def turn(h, _):
        h = put(jnp.sin(h), ROWS)
        h = put(h, COLUMNS)
        return put(h, ROWS), None  # finds: reshard

    return lax.scan(turn, x, length=3)[0]


def whole_and_back(x):
    y = put(jnp.sin(x), placed(P()))
    return put(put(y, ROWS), placed(P())) + 1  # finds: reshard


def by_both_axes(x):
    y = put(jnp.sin(x), placed(P(("data", "model"))))
    y = put(y, COLUMNS)
    return put(y, placed(P(("data", "model"), None))) + 1  # finds: reshard


def left_to_xla(x):
    some = placed(P("data", P.UNCONSTRAINED))
    return put(put(put(jnp.sin(x), some), COLUMNS), some) + 1


def left_to_xla_from_nowhere(x):
    some, other = placed(P(P.UNCONSTRAINED)), placed(P(None, P.UNCONSTRAINED))
    return put(put(jnp.sin(x), some), other) + 1


def asked_for_three_times(x):
    return put(put(put(jnp.sin(x), ROWS), ROWS), ROWS) + 1


def an_argument_asked_for_twice(x):
    return put(put(x, ROWS), ROWS) + 1


def on_one_device(x):
    y = put(jnp.sin(x), NamedSharding(ALONE, P("data")))
    y = put(y, NamedSharding(ALONE, P(None, "data")))
    return put(y, NamedSharding(ALONE, P("data"))) + 1


def by_another_mesh(x):
    other = NamedSharding(OTHER, P("data"))
    return put(put(put(jnp.sin(x), ROWS), other), ROWS) + 1


def there_alone(x):
    return put(put(jnp.sin(x), ROWS), COLUMNS) + 1


def computed_in_between(x, w):
    y = put(jnp.sin(x), ROWS)
    y = put(y @ w, COLUMNS)
    return put(jnp.cos(y), ROWS)


def split_further(x):
    return put(put(jnp.sin(x), ROWS), BOTH) + 1


def asked_for_twice(x):
    return put(put(jnp.sin(x), ROWS), ROWS) + 1


def small_there_and_back(x):
    return put(put(put(jnp.sin(x), ROWS), COLUMNS), ROWS) + 1


def there_and_back_silenced(x):
    y = put(put(jnp.sin(x), ROWS), COLUMNS)
    return put(y, ROWS) + 1  # jaxviz: ignore reshard


def added_to_a_part(x, whole):
    return (x + whole).sum()  # finds: replicated


def weighted_by_parts(h, w):
    return (jnp.tanh(h) * w).sum(1)  # finds: replicated


def split_at_once(batch):
    batch = put(batch, ROWS)  # finds: replicated
    return jnp.sin(batch) * 2


@partial(shard_map, mesh=MESH, in_specs=P("data"), out_specs=P("data"))
def by_hand(x):
    return jnp.sin(x)


def for_a_shard_map(x):
    return by_hand(x)  # finds: replicated


def targets_of_a_loss(x, w, y):
    return jnp.mean((jnp.tanh(x @ w) - y) ** 2)  # finds: replicated


def read_in_part_twice(x, w):
    total = (x + w).sum()  # finds: replicated
    return total + (x * jnp.cos(w)).max()


def table_of_numpy(x):
    return (x + TABLE).sum()  # finds: constant, replicated


def table_of_jax(x):
    return (x + OF_JAX).sum()  # finds: constant, replicated


def table_read_in_part_twice(x):
    total = (x + TABLE).sum()  # finds: constant, replicated
    return total + jnp.cos(x * TABLE).max()


def table_split_at_once(x):
    return x * put(TABLE, ROWS)  # finds: constant, replicated


def table_in_a_scan(x):
    def step(h, _):
        return jnp.sin(h + TABLE), None  # finds: replicated

    return lax.scan(step, x, length=3)[0].sum()  # finds: constant


def table_of_a_shard_map(x):
    return (x + by_hand(TABLE)).sum()  # finds: constant, replicated


def table_read_whole(x):
    return jnp.tanh(x @ TABLE)  # finds: constant


def table_read_whole_and_in_part(x):
    return (x + TABLE).sum() + jnp.asarray(TABLE)[jnp.argmax(x[0])].max()  # finds: constant


def table_returned(x):
    return x + OF_JAX, put(OF_JAX, placed(P()))  # finds: constant


def small_table(x):
    return (x + SMALL_TABLE).sum()


def table_silenced(x):
    return (x + TABLE).sum()  # jaxviz: ignore constant, replicated


def numbers(x):
    return (x * jnp.arange(1 << 20, dtype="float32").reshape(1024, 1024)).sum()


def diagonal(x):
    return (x + jnp.eye(1024)).sum()


def triangle(x):
    return (x * jnp.tril(jnp.ones((1024, 1024)))).sum()


def data_parallel(w, x):
    return w - jax.grad(lambda w: jnp.mean(jnp.tanh(x @ w) ** 2))(w)


def read_whole(x, w):
    return jnp.tanh(x @ w)


def read_whole_and_in_part(x, w):
    return x * w, w.sum()


def part_by_number(table, i):
    return lax.dynamic_slice(table, (i, 0), (128, 1024))


def small_whole(x, w):
    return (x + w).sum()


def split_as_it_is_read(x, y):
    return (x + y).sum()


def returned_too(x, whole):
    return x + whole, whole


def added_silenced(x, whole):
    return (x + whole).sum()  # jaxviz: ignore replicated


TABLE = np.random.default_rng(0).random((1024, 1024), "float32")
OF_JAX, SMALL_TABLE = jnp.asarray(TABLE), TABLE[:64, :64]
X, WHOLE = split(1024, 1024, by=P("data")), split(1024, 1024, by=P())
SMALL, SMALL_WHOLE = split(64, 64, by=P("data")), split(64, 64, by=P())
compiled = partial(case, stages=("hlo",))

CASES = [
    case(there_and_back, X),
    case(written_otherwise, X),
    case(an_argument_and_back, X),
    case(used_in_between, X, WHOLE),
    case(by_two_ways, X),
    case(at_each_turn, X),
    case(whole_and_back, X),
    case(by_both_axes, X),
    case(left_to_xla, X),
    case(left_to_xla_from_nowhere, X),
    case(asked_for_three_times, X),
    case(an_argument_asked_for_twice, X),
    case(on_one_device, jax.ShapeDtypeStruct((1024, 1024), "float32")),
    case(by_another_mesh, X),
    case(there_alone, X),
    case(computed_in_between, X, WHOLE),
    case(split_further, X),
    case(asked_for_twice, X),
    case(small_there_and_back, SMALL),
    case(there_and_back_silenced, X),
    compiled(added_to_a_part, X, WHOLE),
    compiled(weighted_by_parts, split(1024, 1024, by=P(None, "model")), WHOLE),
    compiled(split_at_once, WHOLE),
    compiled(for_a_shard_map, WHOLE),
    compiled(targets_of_a_loss, X, WHOLE, WHOLE),
    compiled(read_in_part_twice, X, WHOLE),
    compiled(table_of_numpy, X),
    compiled(table_of_jax, X),
    compiled(table_read_in_part_twice, X),
    compiled(table_split_at_once, X),
    compiled(table_in_a_scan, X),
    compiled(table_of_a_shard_map, X),
    compiled(table_read_whole, X),
    compiled(table_read_whole_and_in_part, X),
    compiled(table_returned, X),
    compiled(small_table, SMALL),
    compiled(table_silenced, X),
    compiled(numbers, X),
    compiled(diagonal, X),
    compiled(triangle, X),
    compiled(data_parallel, WHOLE, X),
    compiled(read_whole, X, WHOLE),
    compiled(read_whole_and_in_part, X, WHOLE),
    compiled(part_by_number, WHOLE, jax.ShapeDtypeStruct((), "int32")),
    compiled(small_whole, SMALL, SMALL_WHOLE),
    compiled(split_as_it_is_read, X, X),
    compiled(returned_too, X, WHOLE),
    compiled(added_silenced, X, WHOLE),
    case(added_to_a_part, X, WHOLE)._replace(name="not compiled yet", source=()),
]
