"""Arrays in the text of a module: their values never leave the kernel."""

from __future__ import annotations

import re

_DENSE = re.compile(r"(?P<name>[\w.]+ = )?\bdense(?:_resource)?<[^>]*>(?P<type> : tensor<[^>]*>)?")
_SCALAR = re.compile(r" : tensor<(complex<)?\w+>")
_INDICES = re.compile(r" : tensor<(\d+x)*index>")
_STRUCTURE = frozenset(
    f"{name} = " for name in ("replica_groups", "source_target_pairs", "padding", "permutation")
)


def elided(text: str) -> str:
    """The text with `dense<...>` for each array of more than a scalar, but for what says how
    data moves: groups of devices, paddings, layouts."""
    return _DENSE.sub(_kept, text)


def _kept(found: re.Match[str]) -> str:
    attribute, kind = found["name"] or "", found["type"] or ""
    if attribute in _STRUCTURE or _SCALAR.fullmatch(kind) or _INDICES.fullmatch(kind):
        return found[0]
    return f"{attribute}dense<...>{kind}"
