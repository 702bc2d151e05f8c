"""Programs that run on several devices, with what is to be found in them, as in `findings`: values
that XLA has to collect from other devices, because they are split otherwise than a line needs them.

Which move of values XLA chooses is its own: so of those with a finding each needs a whole value
that is computed in parts. Run as a script, which needs the 8 devices that it asks for, it prints
of each program what is found in it and what is to be found.
"""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from itertools import chain
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import jax
import jax.numpy as jnp
from eight_devices import MESH, P, placed, split
from jax import lax
from shells import Run, fresh

import jaxviz
from jaxviz.pages import page
from truth import findings_of_placing, findings_of_uneven_splits
from truth.findings import Case, case, expected, kind_and_level

try:
    from jax import shard_map
except ImportError:
    from jax.experimental.shard_map import shard_map

CODE = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
KINDS = ("collective", "reshard", "replicated", "indivisible")
"""Those whose programs need several devices."""


def second_weight_split_as_the_first(x, w1, w2):
    h = jnp.tanh(x @ w1)
    return h @ w2  # finds: collective


def long_sequence(x, wq, wk, wv):
    q, k, v = jnp.sin(x @ wq), jnp.sin(x @ wk), jnp.sin(x @ wv)
    scores = jnp.einsum("bqd,bkd->bqk", q, k)  # finds: collective
    return jnp.einsum("bqk,bkd->bqd", jax.nn.softmax(scores), v)  # finds: collective


def factorized(x):
    kernel = jnp.exp(x) + jnp.eye(1024)
    return jnp.linalg.cholesky(kernel)  # finds: collective


def sorted_of_all(x):
    return jnp.sort(jnp.sin(x))  # finds: collective


def similarities(x, w):
    h = jnp.tanh(x @ w)
    return h @ h.T  # finds: collective


def at_each_turn(x, w1, w2):
    def turn(h, _):
        wide = jnp.tanh(h @ w1)
        return jnp.tanh(wide @ w2), None  # finds: collective

    return lax.scan(turn, x, length=3)[0]


# Near misses


def second_weight_split_along_the_other(x, w1, w2):
    h = jnp.tanh(x @ w1)
    return h @ w2


def loss(params, x):
    w1, w2 = params
    return jnp.mean((jnp.tanh(x @ w1) @ w2) ** 2)


def data_parallel(params, x):
    slopes = jax.grad(loss)(params, x)
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, slopes)


def split_weights(x, w1, w2):
    return jnp.tanh(x @ w1) @ w2


def split_weights_in_bfloat16(x, w1, w2):
    h = jnp.tanh(x @ w1.astype(jnp.bfloat16))
    return h @ w2.astype(jnp.bfloat16)


def split_weights_of_a_scan(x, ws):
    return lax.scan(lambda h, w: (jnp.tanh(h @ w), None), x, ws)[0]


def gathered_by_hand(x):
    def whole(x):
        return lax.all_gather(jnp.sin(x), "data").sum(0)

    return shard_map(whole, mesh=MESH, in_specs=P("data"), out_specs=P("data"))(x)


def summed_by_hand(x):
    def whole(x):
        return lax.psum(jnp.sin(x), "data")

    return shard_map(whole, mesh=MESH, in_specs=P("data"), out_specs=P())(x)


def asked_for(x, w1, w2):
    h = lax.with_sharding_constraint(jnp.tanh(x @ w1), placed(P("data")))
    return h @ w2


def put_by_hand(x, w1, w2):
    h = jax.device_put(jnp.tanh(x @ w1), placed(P("data")))
    return h @ w2


@partial(jax.jit, in_shardings=(placed(P("data")), placed(P(None, "model"))))
def second(h, w2):
    return h @ w2


def as_a_function_takes_it(x, w1, w2):
    return second(jnp.tanh(x @ w1), w2)


@partial(jax.jit, out_shardings=placed(P()))
def collected_results(x):
    return jnp.sin(x) * 2


def small(x, w1, w2):
    h = jnp.tanh(x @ w1)
    return h @ w2


def an_argument(x):
    return jnp.sort(x)


def silenced(x, w1, w2):
    h = jnp.tanh(x @ w1)
    return h @ w2  # jaxviz: ignore collective


def not_compiled(x, w1, w2):
    h = jnp.tanh(x @ w1)
    return h @ w2


X = split(1024, 1024, by=P("data"))
FIRST, SECOND = (split(*shape, by=P(None, "model")) for shape in ((1024, 2048), (2048, 1024)))
WRONG = X, FIRST, SECOND
LONG = split(8, 1024, 512, by=P("data", "model"))
SQUARE = split(512, 512, by=P())
WHOLE = split(1024, 2048, by=P()), split(2048, 1024, by=P())
MANY = split(65536, 1024, by=P("data"))
PARTS = split(1024, 2048, by=P("data")), split(2048, 1024, by=P("data"))
on_devices = partial(case, stages=("hlo",))

CASES = [
    on_devices(second_weight_split_as_the_first, *WRONG),
    on_devices(long_sequence, LONG, SQUARE, SQUARE, SQUARE),
    on_devices(factorized, split(1024, 1024, by=P("data", "model"))),
    on_devices(sorted_of_all, split(1 << 20, by=P("model"))),
    on_devices(similarities, split(4096, 256, by=P("data")), split(256, 256, by=P())),
    on_devices(at_each_turn, *WRONG),
    on_devices(second_weight_split_along_the_other, X, FIRST, split(2048, 1024, by=P("model"))),
    on_devices(data_parallel, WHOLE, X),
    on_devices(split_weights, MANY, *PARTS),
    on_devices(
        split_weights_in_bfloat16, split(*MANY.shape, by=P("data"), dtype="bfloat16"), *PARTS
    ),
    on_devices(split_weights_of_a_scan, MANY, split(6, 1024, 1024, by=P(None, "data"))),
    on_devices(gathered_by_hand, X),
    on_devices(summed_by_hand, X),
    on_devices(asked_for, *WRONG),
    on_devices(put_by_hand, *WRONG),
    on_devices(as_a_function_takes_it, *WRONG),
    on_devices(collected_results, X),
    on_devices(small, split(64, 64, by=P("data")), *(split(64, 64, by=P(None, "model")),) * 2),
    on_devices(an_argument, split(1 << 20, by=P("model"))),
    on_devices(silenced, *WRONG),
    case(not_compiled, *WRONG),
]


def told(one: Case) -> list[tuple[str, int]]:
    program = jaxviz.inspect(one.fun)(*one.args)
    assert all(program.stage(stage).error is None for stage in one.stages)
    return sorted(
        (kind_and_level(each), each.at.line if each.at else 0) for each in program.findings
    )


def of_page() -> dict[str, list[list[str]]]:
    """Findings in each example of the help pages, and the expected ones."""
    found = dict[str, list[list[str]]]()
    for shell in fresh(""):
        for kind in KINDS:
            for at, code in enumerate(CODE.findall(page(kind).en)):
                Run(shell, code)
                kinds = [one.kind for one in shell.user_ns["program"].findings]
                found[f"{kind}, example {at}"] = [kinds, [] if at else [kind]]
    return found


def of_compiled() -> dict[str, list[list[int]]]:
    """For each result that cannot be split evenly, its odd sizes as JAX stores them, and whole."""
    found = dict[str, list[list[int]]]()
    for one in findings_of_uneven_splits.CASES:
        if one.name in findings_of_uneven_splits.WHOLE:
            compiled = jax.jit(one.fun).lower(*one.args).compile()
            results = jax.eval_shape(one.fun, *one.args)
            shardings = jax.tree.leaves(compiled.output_shardings)
            whole = [leaf.shape for leaf in jax.tree.leaves(results)]
            parts = [one.shard_shape(shape) for one, shape in zip(shardings, whole, strict=True)]
            sizes = zip(chain(*whole), chain(*parts), strict=True)
            odd = [(size, part) for size, part in sizes if size % 2 and size > 3]
            found[f"{one.name}, compiled"] = [[part for _, part in odd], [n for n, _ in odd]]
    return found


if __name__ == "__main__":
    every = [*CASES, *findings_of_placing.CASES, *findings_of_uneven_splits.CASES]
    found = {one.name: [told(one), expected(one)] for one in every}
    print(json.dumps(found | of_compiled() | of_page()))
