"""Reads a module from MLIR's Python bindings into plain objects, and finds each op in the text.

MLIR prints ops in the order of the module, each on a line that begins with its results. It closes
an op's regions at the indent of the op's first line. Of some ops it does not print the ops in their
region (`stablehlo.reduce … applies stablehlo.add`): these have no span.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

import msgspec
from jax.interpreters.mlir import make_ir_context
from jaxlib.mlir import ir

from jaxviz.capture.stages._modules import without_versions


class Value(msgspec.Struct, frozen=True, gc=False):
    """A result of an op, or an argument of a region."""

    name: str
    """The name in the text: `%0`, `%arg0`, `%5#1`. Values that one op can use have different
    names."""
    type: str
    """The type in the text: `tensor<8xf32>`."""


class Op(msgspec.Struct, gc=False):
    """An operation of MLIR."""

    name: str
    results: list[Value]
    operands: list[str]
    attributes: dict[str, Any]
    place: str
    """JAX's name for the op (`jit(f)/jvp(encoder)/sin`); empty if it has none."""
    regions: Sequence[Region] = ()
    span: tuple[int, ...] | None = None
    """Start and stop of its text, in characters; None if it is not printed."""


class Region(msgspec.Struct, gc=False):
    """A list of ops with arguments and results: the body of a function, or a part of an op."""

    arguments: list[Value]
    places: list[str]
    """For a function's body, the user's path of each argument, empty if JAX has none; else an empty
    list."""
    ops: list[Op] = []
    """The ops, without the `return` at the end."""
    results: list[str] = []
    """The names of the returned values."""


class Function(NamedTuple):
    """A function of the module."""

    name: str
    body: Region
    arguments: list[dict[str, Any]]
    """The attributes of each argument, such as its sharding."""
    results: list[dict[str, Any]]
    """The attributes of each result."""


def parsed(written: str | bytes) -> ir.Module:
    """The module in a text, in MLIR's bytecode, or in a portable artifact of StableHLO. Raises
    errors of MLIR's bindings."""
    context = make_ir_context()
    with context:
        if isinstance(written, bytes) and b"StableHLO_v" in written[:64]:
            return without_versions(context, written)
        return ir.Module.parse(written)


def op_count(module: Any) -> int:
    """The number of ops of a module, in all of its functions and regions."""
    count = 0

    def add(_: Any) -> ir.WalkResult:
        nonlocal count
        count += 1
        return ir.WalkResult.ADVANCE

    module.operation.walk(add)
    return count


def functions_of(module: Any, lines: PrintedLines) -> list[Function]:
    """The module's functions, `main` first. `lines` finds the spans of their ops. Does not recurse,
    since regions may be nested deep."""
    root = _read(module, lines)
    found = [
        _function(op) for region in root.regions for op in region.ops if op.name == "func.func"
    ]
    return sorted(found, key=lambda function: function.name != "main")


def _function(op: Op) -> Function:
    body = op.regions[0] if op.regions else Region([], [])
    return Function(
        name=op.attributes["sym_name"].value,
        body=body,
        arguments=_each(op.attributes.get("arg_attrs"), len(body.arguments)),
        results=_each(op.attributes.get("res_attrs"), len(body.results)),
    )


def _each(found: Any, count: int) -> list[dict[str, Any]]:
    return [_named(attributes) for attributes in found] if found is not None else [{}] * count


def _named(attributes: Any) -> dict[str, Any]:
    """The attributes by name. MLIR's iterator yields names from 0.8 on, before that objects with a
    `name`."""
    keys = [item if isinstance(item, str) else item.name for item in attributes]
    return {key: attributes[key] for key in keys}


def _attributes(found: Any, results: list[Value]) -> dict[str, Any]:
    """An op's attributes by name. A constant of complex numbers is read from the text: the bindings
    do not support it, and on 0.6.2 it ends the process."""
    if found.name == "stablehlo.constant" and "complex" in results[0].type:
        text = found.get_asm(large_elements_limit=1)
        return {"value": text.partition("stablehlo.constant ")[2]}
    return _named(found.attributes)


_Open = tuple[Op, int | None, Iterator[tuple[Region, Any]]]


def _read(module: Any, lines: PrintedLines) -> Op:
    names = ir.AsmState(module)
    root = _op(module, names)
    open_ops: list[_Open] = [(root, None, _inside(module, root, names))]
    while open_ops:
        holder, at, rest = open_ops[-1]
        found = next(rest, None)
        if found is None:
            open_ops.pop()
            holder.span = lines.close(at)
            continue
        region, inner = found
        op = _op(inner, names)
        line = lines.open(op.name, op.results, op.operands)
        op.span = None if line is None else lines.span(line, line)
        if op.name.endswith(".return"):
            region.results = op.operands
        else:
            region.ops.append(op)
        if len(inner.regions):
            open_ops.append((op, line, _inside(inner, op, names)))
    return root


def _inside(found: Any, op: Op, names: Any) -> Iterator[tuple[Region, Any]]:
    """Adds its regions to `op`, and yields the ops in them, each with its region."""
    function = op.name == "func.func"
    for region in found.regions:
        arguments = [argument for block in region.blocks for argument in block.arguments]
        made = Region(
            [_value(argument, names) for argument in arguments],
            [location_name(argument.location) for argument in arguments] if function else [],
        )
        op.regions = [*op.regions, made]
        for block in region.blocks:
            for inner in block.operations:
                yield made, inner.operation


def _op(found: Any, names: Any) -> Op:
    results = [_value(result, names) for result in found.results]
    return Op(
        name=found.name,
        results=results,
        operands=[operand.get_name(names) for operand in found.operands],
        attributes=_attributes(found, results),
        place=location_name(found.location),
    )


def _value(value: Any, names: Any) -> Value:
    return Value(value.get_name(names), str(value.type))


def location_name(location: Any) -> str:
    """The name of an op or a function's argument in its location; empty if it has none.

    A location is a name with another location in it. The outermost name is the op's
    (`jit(f)/jvp(encoder)/sin`). If that ends with a colon, it is the op's kind, and the op's name
    is the next. Inner names are those of functions on the call stack, each with a line of a file.
    Before 0.10 all locations have one class with methods such as `is_a_name`.
    """
    if not (location.is_a_name() if _ONE_CLASS else hasattr(location, "name_str")):
        return ""
    found, inner = location.name_str, location.child_loc
    if found.endswith(":"):
        return location_name(inner)
    is_file = inner.is_a_file() if _ONE_CLASS else hasattr(inner, "start_line")
    return "" if is_file else found


_ONE_CLASS = hasattr(ir.Location, "is_a_name")


_OP = re.compile(r"(?:(?P<result>%[\w.$-]+)[^=]*= )?\"?(?P<name>[\w.$]+)")
_BETWEEN = ("}", "^", "cond {", "do {", "reducer(")


class PrintedLines:
    """The lines of a module's text. `open` and `close` read them once, from the top."""

    def __init__(self, text: str) -> None:
        lines = text.split("\n")
        self._lines = [line.lstrip(" ") for line in lines]
        """The lines without indent."""
        self._indents = [
            len(line) - len(rest) for line, rest in zip(lines, self._lines, strict=True)
        ]
        self._starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
        self._next = 1

    def open(self, name: str, results: list[Value], operands: list[str]) -> int | None:
        """The line number of the next op; None if it is not printed."""
        at = self._next
        while at < len(self._lines) and self._lines[at].startswith(_BETWEEN):
            at += 1
        if at == len(self._lines) or not _is_op(self._lines[at], name, results, operands):
            return None
        self._next = at + 1
        return at

    def close(self, line: int | None) -> tuple[int, ...] | None:
        """The span of the op at `line` with its regions; None if `line` is None. Call it after all
        ops in it."""
        if line is None:
            return None
        indent = self._indents[line]
        at = self._next
        while at < len(self._lines) and self._is_inside(at, indent):
            at += 1
        if at == len(self._lines) or not self._is_end(at, indent):
            return self.span(line, line)
        self._next = at + 1
        return self.span(line, at)

    def span(self, first: int, last: int) -> tuple[int, ...]:
        """Start and stop of the text from line `first`, without its indent, to the end of line
        `last`, in characters."""
        return self._starts[first] + self._indents[first], self._starts[last + 1] - 1

    def _is_inside(self, at: int, indent: int) -> bool:
        return self._indents[at] > indent or (
            self._is_end(at, indent) and self._lines[at].endswith("{")
        )

    def _is_end(self, at: int, indent: int) -> bool:
        return self._indents[at] == indent and self._lines[at].startswith("}")


def _is_op(line: str, name: str, results: list[Value], operands: list[str]) -> bool:
    found = _OP.match(line)
    if found is None or found["name"] not in (name, name.removeprefix("func.")):
        return False
    if results:
        return found["result"] == results[0].name.partition("#")[0]
    return found["result"] is None and all(operand in line for operand in operands)
