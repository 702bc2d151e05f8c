"""The user's paths into pytrees, as JAX prints them. As `js/src/facts/pytree.ts`."""

from __future__ import annotations

import re

_KEY = re.compile(r"^[^.\[]+|\.[^.\[]+|\['(?:[^'\\]|\\.)*'\]|\[\"(?:[^\"\\]|\\.)*\"\]|\[[^\]]*\]")

MOST_BELOW_ROOT = 12
"""A lone root (`result`) gives way to what is right below it, unless that is more than this."""


def keys(path: str) -> list[str]:
    """`params`, `['layers']`, `[0]` of `params['layers'][0]`."""
    found: list[str] = []
    at = 0
    while at < len(path):
        key = _KEY.match(path, at)
        found.append(key[0] if key else path[at:])
        at += len(found[-1])
    return found


def argument(path: str) -> str:
    """The first key of a path: `params` of `params['layers'][0]`."""
    return next(iter(keys(path)), "")


def branches(paths: list[str]) -> list[tuple[str, list[int]]]:
    """The indices of paths by the argument they belong to, in order of first appearance."""
    split = [keys(path) for path in paths]
    found = _gather(split, 1)
    for depth in range(2, max(map(len, split), default=0) + 1):
        deeper = _gather(split, depth)
        if len(found) > 1 or len(deeper) > MOST_BELOW_ROOT:
            break
        found = deeper
    return list(found.items())


def _gather(split: list[list[str]], depth: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, path in enumerate(split):
        found.setdefault("".join(path[:depth]), []).append(index)
    return found
