"""The user's paths into pytrees, as JAX prints them. As `js/src/model/pytree.ts`."""

from __future__ import annotations

import re

_KEY = re.compile(r"^[^.\[]+|\.[^.\[]+|\['(?:[^'\\]|\\.)*'\]|\[\"(?:[^\"\\]|\\.)*\"\]|\[[^\]]*\]")


def argument(path: str) -> str:
    """The first key of a path: `params` of `params['layers'][0]`."""
    found = _KEY.match(path)
    return found[0] if found else path


def branches(paths: list[str]) -> list[tuple[str, list[int]]]:
    """The indices of paths by the argument they belong to, in order of first appearance."""
    found: dict[str, list[int]] = {}
    for index, path in enumerate(paths):
        found.setdefault(argument(path), []).append(index)
    return list(found.items())
