"""Reads the text of an optimized module, as XLA prints it: each instruction's line, and the params
in it."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from jaxviz.capture.params import VALUE_LIMIT
from jaxviz.capture.strings import name, plain
from jaxviz.schema import Param

_COMPUTATION = re.compile(r"^(?:ENTRY )?%(\S+) \(")
_INSTRUCTION = re.compile(r"^  (?:ROOT )?%(\S+) = ")
_OPCODE = re.compile(r" [a-z][a-z0-9\-]*(?=\()")
_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[(\[{]|[)\]}]|, ')


class InstructionLine(NamedTuple):
    """One instruction as XLA prints it."""

    span: list[int]
    """Start and stop in the text, in characters."""
    operands: str
    """What stands in the parentheses: operands, a constant's value, a parameter's number."""
    attributes: dict[str, str]
    """By XLA's names: `dimensions` has `{1}`."""


InstructionLines = dict[tuple[str, str], InstructionLine]
"""The line of each instruction, by the names of its computation and itself."""


def stripped(module: Any) -> Any:
    """A copy of a `HloModuleProto` without what its text must not show: metadata and its tables of
    files, configurations too long to read, and arrays' values. XLA prints a literal that is missing
    as `{...}`; scalars stay."""
    copy = type(module)()
    copy.CopyFrom(module)
    copy.ClearField("stack_frame_index")
    for computation in copy.computations:
        for instruction in computation.instructions:
            instruction.ClearField("metadata")
            instruction.ClearField("original_value")
            if len(instruction.backend_config) > VALUE_LIMIT or b"\n" in instruction.backend_config:
                instruction.ClearField("backend_config")
            if instruction.HasField("literal") and not is_scalar(instruction.shape):
                instruction.ClearField("literal")
            if instruction.HasField("sharding"):
                _without_metadata(instruction.sharding)
    return copy


def is_scalar(shape: Any) -> bool:
    return not shape.dimensions and not shape.tuple_shapes


def _without_metadata(sharding: Any) -> None:
    sharding.ClearField("metadata")
    for part in sharding.tuple_shardings:
        _without_metadata(part)
    if hasattr(sharding, "named_sharding") and sharding.HasField("named_sharding"):
        _without_metadata(sharding.named_sharding)


def lines_of(text: str) -> InstructionLines:
    """The line of each instruction in the text. An instruction is always one line, indented by two
    spaces, since XLA escapes newlines in strings."""
    found: InstructionLines = {}
    computation, start = "", 0
    for line in text.split("\n"):
        if opens := _COMPUTATION.match(line):
            computation = opens[1]
        elif names := _INSTRUCTION.match(line):
            span = [start + 2, start + len(line)]
            found[computation, names[1]] = _line(span, line[names.end() - 1 :])
        start += len(line) + 1
    return found


def _line(span: list[int], text: str) -> InstructionLine:
    """Reads what comes after ` =`, as ` f32[8]{0} reduce(%a, %b), dimensions={1}`."""
    opcode = _OPCODE.search(text)
    if opcode is None:
        return InstructionLine(span, "", {})
    operands, *attributes = _pieces(text[opcode.end() :])
    pairs = (attribute.partition("=") for attribute in attributes)
    return InstructionLine(span, operands[1:-1], {key: value for key, _, value in pairs})


def _pieces(text: str) -> list[str]:
    """The parts between commas outside of brackets and strings: `(%a, %b)` and `dimensions={1}`."""
    if "), " not in text:
        return [text]
    pieces: list[str] = []
    depth = start = 0
    for mark in _MARK.finditer(text):
        if mark[0] in "([{":
            depth += 1
        elif mark[0] in ")]}":
            depth -= 1
        elif mark[0] == ", " and depth == 0:
            pieces.append(text[start : mark.start()])
            start = mark.end()
    return [*pieces, text[start:]]


_SHOWN_ELSEWHERE = {
    "kind",
    *("calls", "to_apply", "condition", "body", "true_computation", "false_computation"),
    *("branch_computations", "called_computations", "select", "scatter"),
}


def params_of(instruction: Any, line: InstructionLine | None) -> list[Param]:
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
    return [_param(key, value) for key, value in found.items() if key not in _SHOWN_ELSEWHERE]


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
