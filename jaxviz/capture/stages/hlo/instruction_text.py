"""Reads XLA's text of an optimized module: each instruction's line, and the params in it.

If a program closes over arrays, XLA makes scalars such as `constant(12345.6777)` of their elements.
Such scalars are removed. Numbers that the user wrote stay, and all numbers of a program without
arrays.
"""

from __future__ import annotations

import math
import re

from msgspec import Struct

from jaxviz.capture.jaxprs.params import VALUE_LIMIT
from jaxviz.capture.shown.strings import name, plain
from jaxviz.capture.stages.hlo.instructions import Instruction
from jaxviz.capture.stages.hlo.messages import is_scalar
from jaxviz.schema import Param, Stage

_SCALAR = re.compile(r"(?<= constant\()[^(){},\"]+(?=\))")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")
_LIMITS = {0.0, 1.0, 65504.0, 3.4028235e38, 1.7976931348623157e308}.union(
    *({2.0**bits, 2.0**bits - 1} for bits in (7, 8, 15, 16, 31, 32, 63, 64))
)
"""The limits of types, which many programs contain."""
_AS_CLOSE = 4e-3
"""The relative difference between a number and its bf16 value in XLA's text."""


def without_elements(text: str, first: Stage) -> str:
    """The text with `{...}` for elements of arrays. `first` is the program's first stage, whose
    text has the numbers that the user wrote."""
    arrays = any(graph.constvars for graph in first.graphs) or "dense<...>" in first.text
    if not arrays:
        return text
    written = _LIMITS.union(abs(float(number)) for number in _NUMBER.findall(first.text))
    return _SCALAR.sub(lambda found: found[0] if _is_plain(found[0], written) else "{...}", text)


def _is_plain(value: str, written: set[float]) -> bool:
    try:
        number = abs(float(value))
    except ValueError:  # true, false
        return value in ("true", "false")
    if not math.isfinite(number):
        return True
    return any(math.isclose(number, one, rel_tol=_AS_CLOSE) for one in written)


_COMPUTATION = re.compile(r"(?:ENTRY )?%(\S+) \(")
_INSTRUCTION = re.compile(
    r"  (?:ROOT )?%(\S+) = (?:\S+|.*?) [a-z][a-z0-9\-]*\("
    r'(?:([^()\[\]{}"]*)\)(?:, (.*))?$)?'
)
"""Matches the name, and the operands and the attributes if the operands contain no bracket."""
_MARK = re.compile(r'"(?:[^"\\]|\\.)*"|[(\[{]|[)\]}]|, ')


class InstructionLine(Struct, frozen=True, gc=False):
    """The line of an instruction in XLA's text."""

    start: int
    """The index of its first character in the text."""
    stop: int
    operands: str
    """The text in the parentheses: operands, a constant's value, a parameter's number."""
    attributes: dict[str, str]
    """Texts by XLA's names: `dimensions` has `{1}`."""


InstructionLines = dict[str, dict[str, InstructionLine]]
"""The line of each instruction, by the names of the computation and the instruction."""


def lines_of(text: str) -> InstructionLines:
    """The line of each instruction in the text. XLA escapes newlines in strings, so an instruction
    is always one line, indented by two spaces. Instructions with equal attributes share a dict."""
    found: InstructionLines = {}
    cached: dict[str, dict[str, str]] = {"": {}}
    lines: dict[str, InstructionLine] = {}
    start = 0
    for line in text.split("\n"):
        stop = start + len(line)
        if match := _INSTRUCTION.match(line):
            named, operands, written = match.groups("")
            if match[2] is None:
                operands, *pieces = _pieces(line[match.end() - 1 :])
                operands, written = operands[1:-1], ", ".join(pieces)
            attributes = cached.get(written)
            if attributes is None:
                pairs = (one.partition("=") for one in _pieces(written) if one)
                attributes = cached[written] = {key: value for key, _, value in pairs}
            lines[named] = InstructionLine(start + 2, stop, operands, attributes)
        elif opens := _COMPUTATION.match(line):
            lines = found[opens[1]] = {}
        start = stop + 1
    return found


def _pieces(text: str) -> list[str]:
    """The parts between commas outside of brackets and strings: `(%a, %b)` and `dimensions={1}`."""
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


def params_of(
    instruction: Instruction, line: InstructionLine | None, trips: int | None
) -> tuple[Param, ...]:
    """The params in the order of the line, without those that repeat the eqn's name and bodies. If
    XLA does not print the module, `line` is None, and only the configuration is known. `trips` is
    the number of a loop's iterations, if XLA knows it."""
    found = {} if line is None else dict(line.attributes)
    if line is not None and instruction.opcode == "constant" and is_scalar(instruction.shape):
        found = {"value": line.operands, **found}
    configured = instruction.backend_config.decode(errors="replace")
    if configured:
        found.pop("backend_config", None)
        found |= {} if trips is None else {"known_trip_count": str(trips)}
        found["backend_config"] = configured
    shown = [_param(key, value) for key, value in found.items() if key not in _SHOWN_ELSEWHERE]
    return tuple(shown)


def _param(key: str, value: str) -> Param:
    value = plain(_unquoted(value))
    size = len(value)
    if size > VALUE_LIMIT:
        value = value[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=value, size=size)


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] == '"' and '"' not in value[1:-1]
    return value[1:-1] if quoted else value
