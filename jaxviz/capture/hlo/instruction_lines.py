"""Reads the text of an optimized module, as XLA prints it: each instruction's line."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from jaxviz.capture.params import VALUE_LIMIT

_COMPUTATION = re.compile(r"^(?:ENTRY )?%(\S+) \(")
_INSTRUCTION = re.compile(r"^  (?:ROOT )?%(\S+) = ")
_OPCODE = re.compile(r" [a-z][a-z0-9\-]*(?=\()")
_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[(\[{]|[)\]}]|, ')


class Line(NamedTuple):
    """One instruction as XLA prints it."""

    span: list[int]
    """Start and stop in the text, in characters."""
    operands: str
    """What stands in the parentheses: operands, a constant's value, a parameter's number."""
    attributes: dict[str, str]
    """By XLA's names: `dimensions` has `{1}`."""


Lines = dict[tuple[str, str], Line]
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


def lines_of(text: str) -> Lines:
    """The line of each instruction in the text. An instruction is always one line, indented by two
    spaces, since XLA escapes newlines in strings."""
    found: Lines = {}
    computation, start = "", 0
    for line in text.split("\n"):
        if opens := _COMPUTATION.match(line):
            computation = opens[1]
        elif names := _INSTRUCTION.match(line):
            span = [start + 2, start + len(line)]
            found[computation, names[1]] = _line(span, line[names.end() - 1 :])
        start += len(line) + 1
    return found


def _line(span: list[int], text: str) -> Line:
    """Reads what comes after ` =`, as ` f32[8]{0} reduce(%a, %b), dimensions={1}`."""
    opcode = _OPCODE.search(text)
    if opcode is None:
        return Line(span, "", {})
    operands, *attributes = _pieces(text[opcode.end() :])
    pairs = (attribute.partition("=") for attribute in attributes)
    return Line(span, operands[1:-1], {key: value for key, _, value in pairs})


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
