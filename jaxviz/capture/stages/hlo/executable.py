"""Reads an executable: its optimized module, and the cost and memory that XLA reports."""

from __future__ import annotations

import math
from typing import Any

from msgspec import Struct

from jaxviz.capture.stages._modules import (
    executable_module,
    is_on_cpus,
    parameter_shardings,
    printed,
)
from jaxviz.schema import Cost, Memory


class Executable(Struct, frozen=True):
    """An executable in bytes and numbers, which another process can send."""

    module: bytes
    """The serialized `HloModuleProto`."""
    text: str
    """XLA's text without metadata; empty if XLA does not print it."""
    shardings: list[str]
    """The shardings of its parameters, which some versions of XLA do not write into the text."""
    reported: Cost | None
    """XLA's own count of flops, transcendentals and bytes, with each loop's body once; None if the
    backend does not count."""
    memory: Memory | None
    """The bytes on one device; None if the backend does not report them."""


def executable_of(compiled: Any) -> Executable:
    """Reads a `jax.stages.Compiled`. Raises JAX's error if the backend hides its executables."""
    module = executable_module(compiled)
    return Executable(
        module=module.as_serialized_hlo_module_proto(),
        text=printed(module),
        shardings=parameter_shardings(compiled),
        reported=_reported_cost(compiled),
        memory=_reported_memory(compiled),
    )


def _reported_cost(compiled: Any) -> Cost | None:
    found = _analysed(compiled.cost_analysis)
    if isinstance(found, list | tuple):  # as before jax 0.5, one for each module
        found = found[0] if found else None
    if not isinstance(found, dict) or not found:
        return None
    flops, transcendentals, accessed = (_count(found.get(key, 0)) for key in _COSTS)
    return Cost(flops=flops, transcendentals=transcendentals, bytes=accessed, least=False)


_COSTS = ("flops", "transcendentals", "bytes accessed")
"""XLA's keys. It omits counts that are 0."""


def _reported_memory(compiled: Any) -> Memory | None:
    found = _analysed(compiled.memory_analysis)
    if found is None:
        return None
    bytes_of = {
        field: _count(getattr(found, f"{name}_in_bytes", None)) for field, name in _FIELDS.items()
    }
    bytes_of["code"] = bytes_of["code"] or None  # XLA reports 0 if it does not count it
    if is_on_cpus(compiled):
        bytes_of["peak"] = None  # it lacks temporaries
    return Memory(**bytes_of)


_FIELDS = {
    "arguments": "argument_size",
    "outputs": "output_size",
    "temporaries": "temp_size",
    "aliased": "alias_size",
    "code": "generated_code_size",
    "peak": "peak_memory",
}


def _analysed(analysis: Any) -> Any:
    """The result of an analysis; None if the backend has none, and raises."""
    try:
        return analysis()
    except Exception:
        return None


def _count(value: Any) -> int | None:
    """The value as an integer; None for an unknown count, such as XLA's -1."""
    if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        return None
    return round(value)
