"""The user's paths of inputs and results."""

from __future__ import annotations

import re


def root(path: str) -> str:
    """`params` of `params['w1']`; of results, one step more: `result[0]`."""
    found = re.match(r"(result(?:s)?\[\d+\])|[^.\[]*", path)
    return found.group() if found and found.group() else path
