"""Random keys that are used twice, so that random numbers are equal or depend on one another.

Written by the documentation of `jax.random`: a key is passed to one function only, and `split` or
`fold_in` make new ones. The comment stands at the second use, or at the use in a loop.
"""

# pyright: reportUnusedVariable=false
# Keys that are not used are what some programs are about.

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax, random

from . import Case, array, case

KEY = random.key(0)
RAW = random.PRNGKey(0)
X = array("float32", 4, 8)


def two_samplers(key, x):
    noise = random.normal(key, x.shape)
    return (x + noise) * random.bernoulli(key, 0.5, x.shape)  # finds: key-reuse


def drawn_and_split(key, x):
    x = x + random.normal(key, x.shape)
    one, two = random.split(key)  # finds: key-reuse
    return x + random.normal(one, x.shape), random.uniform(two)


def split_twice(rng):
    rng, k1, k2 = random.split(rng, 3)
    rules = random.split(rng, 5)
    envs = random.split(rng, 5)  # finds: key-reuse
    return rules, envs, random.normal(k1), random.normal(k2)


def parent_after_split(k):
    new, sub = random.split(k)
    return random.normal(k), random.normal(new), random.normal(sub)  # finds: key-reuse


def equal_folds(key, x):
    one = random.normal(random.fold_in(key, 7), x.shape)
    return one + random.uniform(random.fold_in(key, 7), x.shape)  # finds: key-reuse


def equal_folds_of_a_variable(key, step, x):
    one = random.normal(random.fold_in(key, step), x.shape)
    return one + random.uniform(random.fold_in(key, step), x.shape)  # finds: key-reuse


def element_twice(key):
    ks = random.split(key, 3)
    return random.normal(ks[0]), random.normal(ks[1]), random.uniform(ks[1])  # finds: key-reuse


def element_from_the_end(key):
    ks = random.split(key, 3)
    return random.normal(ks[0]), random.normal(ks[1]), random.normal(ks[-2])  # finds: key-reuse


def element_and_whole(key):
    ks = random.split(key, 3)
    one = random.normal(ks[2])
    return one, jax.vmap(random.normal)(ks)  # finds: key-reuse


def layers(key, x):
    for _ in range(4):
        x = jnp.where(random.bernoulli(key, 0.9, x.shape), x, 0)  # finds: key-reuse
    return x


def mask(key, x):
    return random.bernoulli(key, 0.5, x.shape)


@jax.jit
def noisy(key, x):
    return x + random.normal(key, x.shape)


def through_functions(key, x):
    return mask(key, x) * noisy(key, x)  # finds: key-reuse


def through_jitted(key, x):
    x = noisy(key, x)
    return noisy(key, x)  # finds: key-reuse


def constant_in_scan(key, xs):
    def step(carry, x):
        return carry + x * random.normal(key, x.shape), carry  # finds: key-reuse

    return lax.scan(step, xs[0], xs)


def unchanged_carry(key, xs):
    def step(carry, x):
        key, total = carry
        return (key, total + x * random.normal(key, x.shape)), None  # finds: key-reuse

    return lax.scan(step, (key, xs[0]), xs)


def constant_in_fori(key, x):
    def turn(_, x):
        return x + random.normal(key, x.shape)  # finds: key-reuse

    return lax.fori_loop(0, 10, turn, x)


def constant_in_while(key, x):
    def turn(x):
        return x * random.uniform(key)  # finds: key-reuse

    return lax.while_loop(lambda x: x.sum() > 1, turn, x)


def seed_in_scan(xs):
    def step(carry, x):
        return carry + random.normal(random.key(0), x.shape), x  # finds: key-reuse

    return lax.scan(step, xs[0], xs)


def carried_and_drawn_before(key, xs):
    first = random.normal(key)

    def step(key, x):
        key, sub = random.split(key)
        return key, x + random.normal(sub, x.shape)

    return first, lax.scan(step, key, xs)  # finds: key-reuse


def in_gradient(key, w):
    def loss(w):
        return jnp.sum(w * random.normal(key, w.shape) + random.uniform(key))  # finds: key-reuse

    return jax.grad(loss)(w)


def after_a_choice(key, x):
    x = lax.cond(x.sum() > 0, lambda x: x + random.normal(key, x.shape), lambda x: x, x)
    return x + random.uniform(key, x.shape)  # finds: key-reuse


def in_condition_and_body(key, x):
    def more(carry):
        return random.uniform(carry[0]) < 0.9

    def turn(carry):
        key, sub = random.split(carry[0])  # finds: key-reuse
        return key, carry[1] + random.normal(sub, x.shape)

    return lax.while_loop(more, turn, (key, x))


def on_devices(key, x):
    def device(key, x):
        noise = random.normal(key, x.shape)
        return noise + random.uniform(key, x.shape)  # finds: key-reuse

    return jax.pmap(device)(random.split(key, 1), x[:1])


def large_array_twice(key):
    ks = random.split(key, 2_048)
    return jax.vmap(random.normal)(ks), jax.vmap(random.uniform)(ks)  # finds: key-reuse


# Near misses


def split(key, x):
    one, two = random.split(key)
    return (x + random.normal(one, x.shape)) * random.bernoulli(two, 0.5, x.shape)


def chain(key, x):
    for _ in range(5):
        key, sub = random.split(key)
        x = x + random.normal(sub, x.shape)
    return x, key


def second_half_alone(key, x):
    _, sub = random.split(key)
    return x + random.normal(sub, x.shape)


def a_third_unused(key, x):
    one, two, _ = random.split(key, 3)
    return x + random.normal(one, x.shape) * random.uniform(two)


def other_folds(key, x):
    parts = [random.normal(random.fold_in(key, number), x.shape) for number in range(4)]
    return sum(parts, x)


def folds_of_steps(key, x):
    def turn(i, x):
        return x + random.normal(random.fold_in(key, i), x.shape)

    return lax.fori_loop(0, 10, turn, x)


def keys_of_a_scan(key, xs):
    def step(carry, at):
        x, key = at
        return carry + random.normal(key, x.shape), x

    return lax.scan(step, xs[0], (xs, random.split(key, len(xs))))


def carried(key, xs):
    def step(carry, x):
        key, total = carry
        key, sub = random.split(key)
        return (key, total + random.normal(sub, x.shape)), x

    return lax.scan(step, (key, xs[0]), xs)


def two_branches(key, x):
    return lax.cond(
        x.sum() > 0,
        lambda x: x + random.normal(key, x.shape),
        lambda x: x - random.uniform(key, x.shape),
        x,
    )


def opposite_choices(key, x):
    large = x.sum() > 0
    x = lax.cond(large, lambda x: x + random.normal(key, x.shape), lambda x: x, x)
    return lax.cond(large, lambda x: x, lambda x: x + random.uniform(key, x.shape), x)


def opposite_comparisons(key, x):
    total = x.sum()
    x = lax.cond(total > 0, lambda x: x + random.normal(key, x.shape), lambda x: x, x)
    return lax.cond(total <= 0, lambda x: x + random.uniform(key, x.shape), lambda x: x, x)


def switches_of_one_index(key, number):
    one = lax.switch(number, [lambda: random.normal(key), lambda: 0.0, lambda: 1.0])
    return one + lax.switch(number, [lambda: 0.0, lambda: random.uniform(key), lambda: 1.0])


def keys_of_devices(key, x):
    def device(keys, x):
        return random.normal(keys[0], x.shape) + random.uniform(keys[1], x.shape)

    return jax.pmap(device)(random.split(key, (1, 2)), x[:1])


def no_iteration(key, x):
    x = lax.fori_loop(0, 0, lambda _, x: x + random.normal(key, x.shape), x)
    return x + random.normal(key, x.shape)


def words_of_other_keys(x):
    keys = random.split(random.key(0, impl="rbg"))
    words = random.key_data(keys).reshape(4, 2)
    other = random.wrap_key_data(words, impl="threefry2x32")
    return random.normal(keys[1], x.shape) + random.normal(other[1], x.shape)


def batched(key, xs):
    keys = random.split(key, len(xs))
    return jax.vmap(lambda key, x: x + random.normal(key, x.shape))(keys, xs)


def elements(key):
    ks = random.split(key, 4)
    return [random.normal(k) for k in ks], random.key_data(ks)


def index_not_known(key, i, j):
    ks = random.split(key, 4)
    return random.normal(ks[i]) + random.normal(ks[j])


def recomputed(key, w):
    @jax.checkpoint
    def layer(w):
        return jnp.sin(w * random.normal(key, w.shape))

    return jax.grad(lambda w: layer(w).sum())(w)


def permuted(key, x):
    one, two = random.split(key)
    return random.permutation(one, x), random.choice(two, x, (2,))


def once_in_a_loop(key, x):
    def turn(i, x):
        return lax.cond(i == 3, lambda x: x + random.normal(key, x.shape), lambda x: x, x)

    return lax.fori_loop(0, 10, turn, x)


def one_iteration(key, x):
    return lax.fori_loop(0, 1, lambda _, x: x + random.normal(key, x.shape), x)


def cloned(key, x):
    return random.normal(key, x.shape) + random.normal(random.clone(key), x.shape)


def meant(key, x):
    same = random.normal(key, x.shape)
    return same - random.normal(key, x.shape)  # jaxviz: ignore key-reuse


# One half of a split is drawn from, the other is not used. This is harmless while nobody uses the
# first half again, so it is a note; it is a finding if that half goes on.


def half_not_used(key, x):
    key, sub = random.split(key)
    return x + random.normal(key, x.shape)  # notes: key-reuse


def half_not_used_in_a_scan(key, x):
    def step(x, key):
        key, sub = random.split(key)
        return x + random.normal(key, x.shape), None  # notes: key-reuse

    return lax.scan(step, x, random.split(key, 3))[0]


def half_not_used_in_a_jit(key, x):
    @jax.jit
    def noisy(key, x):
        key, sub = random.split(key)
        return x + random.normal(key, x.shape)  # notes: key-reuse

    return noisy(key, x)


def half_drawn_and_returned(key, x):
    key, sub = random.split(key)
    return x + random.normal(key, x.shape), key  # finds: key-reuse


def half_drawn_and_carried(key, xs):
    def step(carry, x):
        key, total = carry
        key, sub = random.split(key)
        return (key, total + x * random.normal(key, x.shape)), None  # finds: key-reuse

    return lax.scan(step, (key, xs[0]), xs)


def half_drawn_and_carried_by_fori(key, x):
    def step(_, carry):
        rng, x = carry
        rng, rng_step = random.split(rng)
        return rng, x + random.normal(rng, x.shape)  # finds: key-reuse

    return lax.fori_loop(0, 3, step, (key, x))


def half_meant(key, x):
    key, _ = random.split(key)
    return x + random.normal(key, x.shape)


def halves_with_names_of_their_own(key, x, is_noisy=False):
    k_drop, k_noise = random.split(key)
    x = x * random.bernoulli(k_drop, 0.5, x.shape)
    return x + random.normal(k_noise, x.shape) if is_noisy else x


def first_half_meant(key, x):
    _, sub = random.split(key)
    return x + random.normal(sub, x.shape)


def second_half_drawn(key, x):
    key, sub = random.split(key)
    return x + random.normal(sub, x.shape)


def second_half_drawn_and_first_returned(key, x):
    key, sub = random.split(key)
    return x + random.normal(sub, x.shape), key


def both_halves_drawn(key, x):
    key, sub = random.split(key)
    return x + random.normal(key, x.shape) + random.normal(sub, x.shape)


def second_half_returned(key, x):
    key, sub = random.split(key)
    return x + random.normal(key, x.shape), sub


def second_half_kept_for_later(key, x):
    key, sub = random.split(key)
    y = x + random.normal(key, x.shape)
    return lax.cond(y.sum() > 0, lambda: random.normal(sub, x.shape), lambda: y)


def second_half_folded(key, x):
    key, sub = random.split(key)
    return x + random.normal(key, x.shape) + random.uniform(random.fold_in(sub, 3))


def half_split_again(key, x):
    key, sub = random.split(key)
    one, two = random.split(key)
    return x + random.normal(one, x.shape) + random.normal(two, x.shape)


def named_pair(key, x):
    keys = random.split(key)
    return x + random.normal(keys[0], x.shape)


def half_meant_by_the_reader(key, x):
    key, sub = random.split(key)
    return x + random.normal(key, x.shape)  # jaxviz: ignore key-reuse


WITH_KEY = [
    two_samplers, drawn_and_split, equal_folds, layers, through_jitted, constant_in_scan,
    unchanged_carry, constant_in_fori, constant_in_while, carried_and_drawn_before, in_gradient,
    after_a_choice, split, chain, second_half_alone, a_third_unused, other_folds, folds_of_steps,
    keys_of_a_scan, carried, two_branches, opposite_choices, batched, recomputed, permuted,
    once_in_a_loop, one_iteration, cloned, meant, in_condition_and_body,
    opposite_comparisons, keys_of_devices, no_iteration,
    half_not_used, half_not_used_in_a_scan, half_not_used_in_a_jit, half_drawn_and_returned,
    half_drawn_and_carried, half_drawn_and_carried_by_fori, half_meant,
    halves_with_names_of_their_own, first_half_meant,
    second_half_drawn, second_half_drawn_and_first_returned, both_halves_drawn,
    second_half_returned, second_half_kept_for_later, second_half_folded, half_split_again,
    named_pair, half_meant_by_the_reader,
]  # fmt: skip
KEY_ALONE = [
    split_twice, parent_after_split, element_twice, element_and_whole, large_array_twice, elements,
]  # fmt: skip
STEP = array("int32")

CALLS = [
    *((fun, key, X) for fun in WITH_KEY for key in (KEY, RAW) if fun is not cloned or key is KEY),
    *((fun, key) for fun in KEY_ALONE for key in (KEY, RAW)),
    *((equal_folds_of_a_variable, key, STEP, X) for key in (KEY, RAW)),
    *((index_not_known, key, STEP, STEP) for key in (KEY, RAW)),
    *((switches_of_one_index, key, STEP) for key in (KEY, RAW)),
    (words_of_other_keys, X),
    (on_devices, RAW, X),  # JAX 0.6.2 does not check what pmap runs
    (element_from_the_end, KEY),  # of raw keys, JAX 0.6.2 computes this index in the program
    (through_functions, KEY, X),
    (seed_in_scan, X),
]


def _named(one: Case, key: object) -> Case:
    return one._replace(name=f"{one.name}_raw") if key is RAW else one


CASES = [_named(case(fun, key, *others), key) for fun, key, *others in CALLS]
