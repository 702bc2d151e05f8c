"""Random bits and the keys that they are made from."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Op, when

_key = partial(Op, family="random", cost="moves")
"""Ops on keys without arithmetic."""
_hash = partial(Op, family="random")
"""Ops that hash a counter with a key."""

_IMPL = {"impl": "The random number generator."}

OPS = (
    _hash(
        "random_bits",
        "Random bits made from a key.",
        {
            "bit_width": "Bits of each random number.",
            "shape": "For each key, numbers of this shape.",
        },
        cost="random_bits",
    ),
    _hash(
        "random_split",
        "New keys made from a key.",
        {"shape": "From each key, new keys in this shape."},
        cost="random_split",
    ),
    _hash("random_fold_in", "A new key made from a key and a number.", cost="random_fold_in"),
    _hash("random_seed", "A key made from a seed.", _IMPL, cost="random_seed"),
    _key("random_wrap", "Integers taken as a key.", _IMPL),
    _key("random_unwrap", "The integers inside a key."),
    _key("random_clone", "The same key, which may be used once more."),
    Op(
        "random_gamma",
        "Random numbers that follow a gamma distribution.",
        {"log_space": when("True", "The result is the logarithm of each number.")},
        family="random",
    ),
    Op(
        "rng_uniform",
        "Random numbers between its two operands, made by XLA without a key.",
        {"shape": "The shape of the result."},
        family="random",
        cost="drawn",
    ),
    Op(
        "rng_bit_generator",
        "Random bits made by a generator of XLA, and its next state.",
        {
            "shape": "The shape of the random bits.",
            "dtype": "The dtype of the random bits.",
            "algorithm": "The algorithm of the generator.",
        },
        family="random",
        cost="drawn",
    ),
    _hash("threefry2x32", "Random bits of the default generator, Threefry.", cost="threefry2x32"),
    _hash(
        "threefry4x32",
        "Random bits of the generator Threefry, four words at a time.",
        since="0.10.2",
    ),
    _hash(
        "philox2x32", "Random bits of the generator Philox, two words at a time.", since="0.10.2"
    ),
    _hash(
        "philox4x32", "Random bits of the generator Philox, four words at a time.", since="0.10.2"
    ),
    _key(
        "iota_2x32_shape",
        "Counts up from 0 in 64 bits: returns the upper halves and the lower halves.",
        {"shape": "The shape of both results."},
    ),
)
