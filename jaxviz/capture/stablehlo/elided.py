"""Removes the values of arrays from a module's text: they must not leave the kernel."""

from __future__ import annotations

import re

_DENSE = re.compile(r"dense(?:_resource)?<[^>]*>(?P<type> : tensor<[^>]*>)?")
_SCALAR = re.compile(r" : tensor<(complex<)?[a-zA-Z]\w*>")
_INDICES = re.compile(r" : tensor<(\d+x)*index>")
_STRUCTURE = tuple(
    f"{name} = " for name in ("replica_groups", "source_target_pairs", "padding", "permutation")
)


def elided(text: str) -> str:
    """The text with `dense<...>` in place of each array. Scalars stay, and so do attributes that
    say how data moves: groups of devices, paddings, permutations and layouts."""
    return _DENSE.sub(_kept, text)


def _kept(found: re.Match[str]) -> str:
    kind = found["type"] or ""
    if _SCALAR.fullmatch(kind) or _INDICES.fullmatch(kind):
        return found[0]
    before = found.string[max(0, found.start() - 30) : found.start()]
    return found[0] if before.endswith(_STRUCTURE) else f"dense<...>{kind}"
