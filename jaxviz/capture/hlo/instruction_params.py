"""Params of an instruction: the attributes of its line, and what its configuration says."""

from __future__ import annotations

import json
from typing import Any

from jaxviz.capture.hlo.instruction_lines import Line, is_scalar
from jaxviz.capture.params import VALUE_LIMIT
from jaxviz.capture.strings import name, plain
from jaxviz.schema import Param

_SAID = {
    "kind",
    *("calls", "to_apply", "condition", "body", "true_computation", "false_computation"),
    *("branch_computations", "called_computations", "select", "scatter"),
}


def params_of(instruction: Any, line: Line | None) -> list[Param]:
    """In the order of the line, and without what the eqn's name and bodies say."""
    found = {} if line is None else dict(line.attributes)
    if line is not None and instruction.opcode == "constant" and is_scalar(instruction.shape):
        found = {"value": line.operands, **found}
    configured = instruction.backend_config.decode(errors="replace")
    if configured:
        trips = _known_trips(configured) if instruction.opcode == "while" else None
        found.pop("backend_config", None)
        found |= {} if trips is None else {"known_trip_count": trips}
        found["backend_config"] = configured
    return [_param(key, value) for key, value in found.items() if key not in _SAID]


def _param(key: str, value: str) -> Param:
    value = plain(_unquoted(value))
    size = len(value)
    if size > VALUE_LIMIT:
        value = value[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=value, size=size)


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] == '"' and '"' not in value[1:-1]
    return value[1:-1] if quoted else value


def _known_trips(configured: str) -> str | None:
    """Of a loop's `WhileLoopBackendConfig`, which XLA writes as JSON; None where it is not, or
    does not know."""
    try:
        return str(int(json.loads(configured)["known_trip_count"]["n"]))
    except (ValueError, KeyError, TypeError):
        return None
