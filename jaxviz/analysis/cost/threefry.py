"""Flops of random numbers by Threefry, JAX's default generator: a counter is hashed with a key.

All of it is integer arithmetic, which XLA counts too. The figures are those of the StableHLO that
JAX lowers each primitive to, with all trips of its loop (`tests/test_cost_functions.py`).
"""

from __future__ import annotations

import math

from jaxviz.analysis.cost.values import Applied, Unknown
from jaxviz.schema import Sizes

ONCE = 45
"""What one call of the hash counts that does not depend on how much it hashes."""


def threefry2x32(eqn: Applied) -> int:
    return 119 * eqn.output().size + ONCE


def random_bits(eqn: Applied) -> int:
    """Raises Unknown for numbers of more than 32 bits, which JAX makes of two."""
    width = eqn.number("bit_width")
    if width > 32:
        raise Unknown
    return _hashed(eqn, 118 + (width < 32))


def random_split(eqn: Applied) -> int:
    return _hashed(eqn, 117)


def random_seed(eqn: Applied) -> int:
    return 4 * eqn.input(0).size


def random_fold_in(eqn: Applied) -> int:
    return 121 * _keys(eqn) + ONCE


def _hashed(eqn: Applied, each: int) -> int:
    """For every key, each of the numbers in `shape`; their counters are made once. The last of
    their strides is 1, so that nothing is multiplied with it."""
    shape = eqn.said(Sizes).sizes
    count = math.prod(shape)
    counted = (1 + 2 * len(shape)) * count if shape else 0
    return _keys(eqn) * (each * count + 2) + counted + ONCE


def _keys(eqn: Applied) -> int:
    """How many keys the first operand has. Raises Unknown for keys of another generator."""
    if eqn.input(0).dtype != "key<fry>":
        raise Unknown
    return eqn.input(0).size
