"""Finds the user's names of literals: `scale` of the `2.0` of `x * scale`.

A literal has a name if the operation or call that made its eqn has one operand that is a global, a
closure variable or an attribute of the literal's value. It has none in doubt: if the value is also
written, or if the eqn may get it from elsewhere, such as from within a function of JAX.
"""

from __future__ import annotations

import ast
import linecache
from collections import defaultdict
from collections.abc import Iterator, Sequence
from types import CodeType
from typing import Any, NamedTuple

import numpy as np
from jax.extend.core import JaxprEqn, Literal
from msgspec.structs import replace

from jaxviz.capture.jaxprs.jaxpr import LiteralNames, LocatedJaxpr
from jaxviz.capture.reads.read_values import Function
from jaxviz.capture.reads.users_functions import NUMBERS, all_codes, equals, users_functions
from jaxviz.capture.shown.source import Sources
from jaxviz.capture.shown.strings import name
from jaxviz.schema import Frame

_SPREADING = {"convert_element_type", "broadcast_in_dim"}
"""Primitives that bring an operand to the type of another."""
Expression = tuple[CodeType, int]
"""A code and an instruction in it."""


class Operands(NamedTuple):
    """The operands of an operation, or the arguments of a call, as they are written."""

    is_call: bool
    names: dict[str, list[Any]]
    """The numbers among the values of each name."""
    written: list[Any]
    """The numbers that are written."""


def literal_names(of: LocatedJaxpr, sources: Sources, fun: Any) -> LiteralNames:
    """The names of the literals of a program, by graph and eqn. Runs no code of the
    user: values are read now, so a name has to have its value of the trace still."""
    functions: dict[CodeType, list[Function]] = defaultdict(list)
    for function in users_functions(fun):
        for code in all_codes(function):
            functions[code].append(function)
    expressions = {frame: at for at, frame in sources.lines.items() if at[0] in functions}
    known: dict[Expression, Operands | None] = {}
    found: LiteralNames = {}
    for graph, use in enumerate(of.found.first_uses):
        around = None if use is None else _frame(of, use.graph, use.eqn)
        for frame, eqns in _by_frame(of, graph).items():
            at = expressions.get(frame)
            if at is None or frame == around:
                continue
            if at not in known:
                known[at] = _operands(*at, functions[at[0]])
            operands = known[at]
            if operands is not None and operands.names:
                for eqn, operand, called in _named(of.found.jaxprs[graph].eqns, eqns, operands):
                    found.setdefault((graph, eqn), {})[operand] = called
    return found


def _frame(of: LocatedJaxpr, graph: int, eqn: int) -> Frame | None:
    """The user's expression that made an eqn directly; None if a library or JAX made it."""
    frame, call, inherited = of.places[graph][eqn]
    if frame is None or inherited or call != frame:
        return None
    return replace(of.frames[frame], parent=None)


def _by_frame(of: LocatedJaxpr, graph: int) -> dict[Frame, list[int]]:
    """The eqns of the expressions that have a scalar literal."""
    places, eqns = of.places[graph], of.found.jaxprs[graph].eqns
    with_literals = {
        places[number].frame for number, eqn in enumerate(eqns) if any(_scalars(eqn))
    } - {None}
    found: dict[Frame, list[int]] = defaultdict(list)
    for number, place in enumerate(places):
        frame = _frame(of, graph, number) if place.frame in with_literals else None
        if frame is not None:
            found[frame].append(number)
    return found


def _scalars(eqn: JaxprEqn) -> Iterator[tuple[int, Any]]:
    """The scalar literals among the operands of an eqn, as values of their dtype."""
    for operand, atom in enumerate(eqn.invars):
        if type(atom) is Literal:
            aval: Any = atom.aval
            if aval.shape == () and isinstance(aval.dtype, np.dtype):
                yield operand, np.asarray(atom.val).astype(aval.dtype)


def _named(
    eqns: Sequence[JaxprEqn], numbers: list[int], operands: Operands
) -> Iterator[tuple[int, int, str]]:
    """The names of the literals of the eqns that one expression made, by eqn and operand."""
    if operands.is_call and len(_primitives(eqns, numbers)) > 1:
        return
    for number in numbers:
        scalars = list(_scalars(eqns[number]))
        for operand, value in scalars:
            names = [
                called
                for called, values in operands.names.items()
                if any(_is_equal(one, value, operands.is_call) for one in values)
            ]
            if len(names) != 1 or any(_is_equal(one, value, False) for one in operands.written):
                continue
            alike = [one for one in numbers if _count(eqns[one], value)]
            if _count(eqns[number], value) == 1 and len(_primitives(eqns, alike)) <= 1:
                yield number, operand, names[0]


def _primitives(eqns: Sequence[JaxprEqn], numbers: list[int]) -> set[tuple[str, Any]]:
    found = ((eqns[one].primitive.name, eqns[one].params.get("name")) for one in numbers)
    return {one for one in found if one[0] not in _SPREADING}


def _count(eqn: JaxprEqn, value: Any) -> int:
    return sum(bool(other == value) for _, other in _scalars(eqn))


def _is_equal(number: Any, value: Any, same_kind: bool) -> bool:
    """True if a number is a literal. With `same_kind`, a whole number, such as the axis of a call,
    is no literal of floats."""
    if same_kind and (type(number) in (bool, int)) != (value.dtype.kind in "iub"):
        return False
    return equals(number, value)


def _operands(code: CodeType, instruction: int, functions: list[Function]) -> Operands | None:
    """The operands of an expression; None if it is no operation or call, or cannot be read."""
    node = _expression(code, instruction)
    match node:
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.AugAssign(value=value):
            parts = [value]
        case ast.Compare(left=left, comparators=others):
            parts = [left, *others]
        case ast.Call(args=args, keywords=keywords):
            parts = [*args, *(word.value for word in keywords)]
        case _:
            return None
    names: dict[str, list[Any]] = {}
    for part in parts:
        path = _path(part)
        values = [one.value(path, code) for one in functions] if path else []
        numbers = [value for value in values if type(value) in NUMBERS]
        if numbers:
            names[name(".".join(path))] = numbers
    return Operands(isinstance(node, ast.Call), names, [*_written(parts)])


def _path(node: ast.expr) -> tuple[str, ...]:
    """A name with its attributes; empty for any other expression."""
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        path = _path(node.value)
        return (*path, node.attr) if path else ()
    return ()


def _written(parts: list[ast.expr]) -> Iterator[Any]:
    for part in parts:
        try:
            value = ast.literal_eval(part)
        except (ValueError, TypeError, SyntaxError):
            continue
        if type(value) in NUMBERS:
            yield value


def _expression(code: CodeType, instruction: int) -> ast.AST | None:
    """The expression or the statement at an instruction."""
    first, last, start, stop = [*code.co_positions()][instruction // 2]
    if first is None or last is None or start is None or stop is None:
        return None
    parts = [line.encode() for line in linecache.getlines(code.co_filename)[first - 1 : last]]
    if not parts:
        return None
    parts[-1] = parts[-1][:stop]
    parts[0] = parts[0][start:]
    try:
        [node] = ast.parse(b"".join(parts).decode(errors="replace")).body
    except (SyntaxError, ValueError):
        return None
    return node.value if isinstance(node, ast.Expr) else node
