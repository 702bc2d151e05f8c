"""A module as JAX's bindings of MLIR show it, read once, in the order in which it is printed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jaxlib.mlir import ir

from jaxviz.capture.stablehlo.op_spans import Lines


class Value(NamedTuple):
    """A result of an op, or an argument of a region."""

    name: str
    """As the text prints it: `%0`, `%arg0`, `%5#1`. Unique among those that an op can read."""
    type: str


@dataclass(slots=True)
class Op:
    """An operation."""

    name: str
    results: list[Value]
    operands: list[str]
    attributes: dict[str, Any]
    place: str
    """Its name in JAX's words (`jit(f)/jvp(encoder)/sin`), empty where it has none."""
    regions: list[Region] = field(default_factory=list)
    span: list[int] | None = None


@dataclass(slots=True)
class Region:
    """A block of ops: the body of a function, or one that another op holds."""

    arguments: list[Value]
    places: list[str]
    """The user's paths of a function's arguments, empty where JAX does not say."""
    ops: list[Op] = field(default_factory=list)
    results: list[str] = field(default_factory=list)
    """What the `return` at its end gives back."""


class Function(NamedTuple):
    """A function of the module."""

    name: str
    body: Region
    arguments: list[dict[str, Any]]
    """Attributes of its arguments, such as their sharding."""
    results: list[dict[str, Any]]


def functions_of(module: Any, lines: Lines) -> list[Function]:
    """The module's functions, `main` first, with the spans of their ops in `lines`. Never
    recursive."""
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
    """Attributes by name: iterating gives names from 0.8 on, pairs before."""
    return {key: attributes[key] for key in _keys(attributes)}


def _keys(attributes: Any) -> Iterator[str]:
    return (item if isinstance(item, str) else item.name for item in attributes)


def _attributes(found: Any, results: list[Value]) -> dict[str, Any]:
    """An op's attributes. The bindings cannot show arrays of complex numbers, and end the
    process over them on 0.6.2: those are read off the text."""
    if found.name == "stablehlo.constant" and "complex" in results[0].type:
        text = found.get_asm(large_elements_limit=1)
        return {"value": text.partition("stablehlo.constant ")[2]}
    return _named(found.attributes)


_Open = tuple[Op, int | None, Iterator[tuple[Region, Any]]]


def _read(module: Any, lines: Lines) -> Op:
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
        line = lines.open(op.name, [value.name for value in op.results], op.operands)
        op.span = None if line is None else lines.span(line, line)
        if op.name.endswith(".return"):
            region.results = op.operands
        else:
            region.ops.append(op)
        if len(inner.regions):
            open_ops.append((op, line, _inside(inner, op, names)))
    return root


def _inside(found: Any, op: Op, names: Any) -> Iterator[tuple[Region, Any]]:
    """The ops in an op, each with the region it belongs to, as those are made."""
    function = op.name == "func.func"
    for region in found.regions:
        arguments = [argument for block in region.blocks for argument in block.arguments]
        made = Region(
            [_value(argument, names) for argument in arguments],
            [location_name(argument.location) for argument in arguments] if function else [],
        )
        op.regions.append(made)
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
    """The name that a location gives an op or a function's argument; empty where it gives none.

    JAX puts the name of an op (`jit(f)/jvp(encoder)/sin`) around its call stack, whose frames are
    names as well, of functions, around a line in a file. Some ops have their kind, with a colon,
    around that. Before 0.10 there is one class for all locations, which says what it is."""
    if not _is_name(location):
        return ""
    found, inner = location.name_str, location.child_loc
    if found.endswith(":"):
        return location_name(inner)
    return "" if _is_file(inner) else found


def _is_name(location: Any) -> bool:
    says = getattr(location, "is_a_name", None)
    return says() if says is not None else hasattr(location, "name_str")


def _is_file(location: Any) -> bool:
    says = getattr(location, "is_a_file", None)
    return says() if says is not None else hasattr(location, "start_line")
