"""Random bits and the keys that they are made from."""

from __future__ import annotations

from functools import partial

from jaxviz.ops.row import Op, when

_random = partial(Op, family="random", cost="moves")
"""Uses keys in another way: no arithmetic."""
_hashed = partial(Op, family="random")
"""Hashes a counter with a key."""

_IMPL = {"impl": "The random number generator."}

OPS = (
    _hashed(
        "random_bits",
        "Random bits made from a key.",
        {
            "bit_width": "Bits of each random number.",
            "shape": "For each key, numbers of this shape.",
        },
        cost="random_bits",
    ),
    _hashed(
        "random_split",
        "New keys made from a key.",
        {"shape": "From each key, new keys in this shape."},
        cost="random_split",
    ),
    _hashed("random_fold_in", "A new key made from a key and a number.", cost="random_fold_in"),
    _hashed("random_seed", "A key made from a seed.", _IMPL, cost="random_seed"),
    _random("random_wrap", "Integers taken as a key.", _IMPL),
    _random("random_unwrap", "The integers inside a key."),
    _random("random_clone", "The same key, which may be used once more."),
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
    _hashed("threefry2x32", "Random bits of the default generator, Threefry.", cost="threefry2x32"),
    _hashed(
        "threefry4x32",
        "Random bits of the generator Threefry, four words at a time.",
        since="0.10.2",
    ),
    _hashed(
        "philox2x32", "Random bits of the generator Philox, two words at a time.", since="0.10.2"
    ),
    _hashed(
        "philox4x32", "Random bits of the generator Philox, four words at a time.", since="0.10.2"
    ),
    _random(
        "iota_2x32_shape",
        "Counts up from 0 in 64 bits: the upper halves, and the lower ones.",
        {"shape": "The shape of both results."},
    ),
)
