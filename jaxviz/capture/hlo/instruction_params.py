"""Makes the params of an eqn from an instruction's printed attributes and its configuration."""

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
    """The params in the order of the line, without those that say the same as the eqn's name and
    bodies. If XLA does not print the module, `line` is None, and only the configuration is known.
    """
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
    """How often a loop's body runs, from its configuration (`WhileLoopBackendConfig`, as JSON);
    None if XLA does not know."""
    try:
        return str(int(json.loads(configured)["known_trip_count"]["n"]))
    except (ValueError, KeyError, TypeError):
        return None
