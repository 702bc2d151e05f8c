"""Least-squares fit of a rising sequence, by pooling adjacent violators (Barlow et al., 1972)."""

from __future__ import annotations

from itertools import pairwise


def isotonic(value: list[float], weight: list[float]) -> list[float]:
    """The `z` with `z[i] <= z[i + 1]` that is nearest to `value` under `weight`. Linear."""
    if all(a <= b for a, b in pairwise(value)):
        return value
    pools: list[tuple[float, float, int]] = []
    for v, w in zip(value, weight, strict=True):
        total, mass, size = v * w, w, 1
        while pools and pools[-1][0] / pools[-1][1] > total / mass:
            before = pools.pop()
            total, mass, size = before[0] + total, before[1] + mass, before[2] + size
        pools.append((total, mass, size))
    return [total / mass for total, mass, size in pools for _ in range(size)]
