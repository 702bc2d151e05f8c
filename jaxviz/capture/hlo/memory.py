"""Reads what XLA reports of an executable: its cost and its memory."""

from __future__ import annotations

import math
from typing import Any

from jaxviz.schema import Cost, Memory


def reported_cost(compiled: Any) -> Cost | None:
    """XLA's own count of flops and of bytes accessed, with each loop's body once; None if the
    backend does not count."""
    found = _asked(compiled.cost_analysis)
    if isinstance(found, list | tuple):  # as before jax 0.5, one for each module
        found = found[0] if found else None
    if not isinstance(found, dict):
        return None
    flops, accessed = (_count(found.get(key)) for key in ("flops", "bytes accessed"))
    if flops is None and accessed is None:
        return None
    return Cost(flops=flops, bytes=accessed, least=False)


def reported_memory(compiled: Any) -> Memory | None:
    """The bytes that it takes on one device; None if the backend does not report them."""
    found = _asked(compiled.memory_analysis)
    if found is None:
        return None
    bytes_of = {
        field: _count(getattr(found, f"{name}_in_bytes", None)) for field, name in _FIELDS.items()
    }
    bytes_of["code"] = bytes_of["code"] or None  # the CPU reports 0
    return Memory(**bytes_of)


_FIELDS = {
    "arguments": "argument_size",
    "outputs": "output_size",
    "temporaries": "temp_size",
    "aliased": "alias_size",
    "code": "generated_code_size",
    "peak": "peak_memory",
}


def _asked(analysis: Any) -> Any:
    """What the analysis returns; None if the backend has none, and raises."""
    try:
        return analysis()
    except Exception:
        return None


def _count(value: Any) -> int | None:
    """The value as an integer; None for what is no count: XLA writes -1 for unknown."""
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return round(value)
