"""Reads how values lie over devices, as Shardy writes it (`<@mesh, [{"data"}, {}]>`) or, before
JAX 0.7, as XLA does (`{devices=[4,2]<=[8]}`)."""

from __future__ import annotations

import re
from typing import Any

from jaxviz.capture.stablehlo.operations import Op
from jaxviz.capture.strings import name

_ONE = re.compile(r"<@[^,]*, \[[^\]]*\][^>]*>")
_RESULTS = {"sdy.manual_computation": "out_shardings", "sdy.sharding_constraint": "sharding"}


def sharding_of(attributes: dict[str, Any]) -> str | None:
    """The sharding in the attributes of a function's argument; None if they have none."""
    found = attributes.get("sdy.sharding") or attributes.get("mhlo.sharding")
    written = [] if found is None else _written(str(found))
    return written[0] if written else None


def shardings_of(op: Op) -> list[str | None]:
    """The sharding of each result of an op; None for each if the op does not say."""
    held = op.attributes
    key = _RESULTS.get(op.name, "sdy.sharding")
    found = held.get(key) or held.get("mhlo.sharding") if held else None
    if found is None:
        return [None] * len(op.results)
    written = _written(str(found))
    return list(written) if len(written) == len(op.results) else [None] * len(op.results)


def _written(text: str) -> list[str]:
    if text.startswith('"'):
        return [name(text[1:-1])]
    return [name(found) for found in _ONE.findall(text)]
