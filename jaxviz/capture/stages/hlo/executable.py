"""What is taken of an executable: its optimized module, and what XLA reports of it."""

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
    """What XLA made, in bytes and numbers, which another process can send."""

    module: bytes
    """The serialized `HloModuleProto`."""
    text: str
    """As XLA prints it, without metadata; empty where it does not."""
    shardings: list[str]
    """Those of its parameters, which not every version of XLA writes into the text."""
    reported: Cost | None
    """XLA's own count of flops, transcendentals and bytes, with each loop's body once; None if the
    backend does not count."""
    memory: Memory | None
    """The bytes that it takes on one device; None if the backend does not report them."""


def executable_of(compiled: Any) -> Executable:
    """What is taken of a `jax.stages.Compiled`. Raises what JAX raises if the backend does not show
    its executables."""
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
"""XLA leaves out those that are 0."""


def _reported_memory(compiled: Any) -> Memory | None:
    found = _analysed(compiled.memory_analysis)
    if found is None:
        return None
    bytes_of = {
        field: _count(getattr(found, f"{name}_in_bytes", None)) for field, name in _FIELDS.items()
    }
    bytes_of["code"] = bytes_of["code"] or None  # 0 is reported where it is not counted
    if is_on_cpus(compiled):
        bytes_of["peak"] = None  # it leaves temporaries out
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
