"""Reads the reader's lines that led to a library: their expressions, variables and calls. Nothing
of the reader's is evaluated."""

from __future__ import annotations

import ast
import linecache
import re
import sys
from collections import ChainMap
from collections.abc import Iterator
from types import TracebackType
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from msgspec.structs import replace

from jaxviz.capture.failure.edits import OTHER, SAME, edited, sketch
from jaxviz.capture.failure.expression import Failed, failed
from jaxviz.capture.failure.failed_call import FailedCall, variables
from jaxviz.capture.failure.failed_expression import entries
from jaxviz.capture.shown.objects import (
    class_attribute,
    is_a,
    is_class,
    static_attribute,
    traceback_of,
)
from jaxviz.capture.shown.source import file_kind
from jaxviz.schema import Mend, Sentence
from jaxviz.schema.sentence import NOTHING
from jaxviz.sentences import sentence

SAME_NUMBERS = sentence("Each call draws the same")
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Line(NamedTuple):
    """A line of the reader's that was running."""

    failed: Failed
    held: ChainMap[str, Any]
    function: str
    """The name of its function."""

    @property
    def node(self) -> Any:
        return self.failed.node

    @property
    def own(self) -> dict[str, Any]:
        """The variables of its function alone."""
        return dict(self.held.maps[1])

    def statement(self) -> ast.stmt | None:
        return next((node for node in self.failed.known.nodes if isinstance(node, ast.stmt)), None)


def lines(call: FailedCall) -> list[Line]:
    """The reader's lines in the failing cell or file, innermost first."""
    found: list[Line] = []
    for entry in entries(traceback_of(call.error)):
        code = entry.tb_frame.f_code
        own = file_kind(code.co_filename) == "own"
        if own and "".join(linecache.getlines(code.co_filename)) == call.failed.source:
            found.append(_line(entry))
    return found[::-1]


def _line(entry: TracebackType) -> Line:
    code = entry.tb_frame.f_code
    return Line(failed((code, entry.tb_lasti), None), variables(entry), code.co_name)


def calling(call: FailedCall, *names: str) -> Line | None:
    """The innermost line that calls a method or function of one of these names."""
    return next((line for line in lines(call) if called_name(line.node) in names), None)


def called_name(node: Any) -> str:
    """`apply` of `model.apply(x)`; empty if it is no call of a name."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
    return ""


def value(node: ast.AST | None, line: Line | FailedCall) -> Any:
    """What a name or an attribute stands for; None if only running it would tell."""
    match node:
        case ast.Name(id=name):
            return line.held.get(name)
        case ast.Constant(value=constant):
            return constant
        case ast.Attribute(value=inner, attr=name):
            owner = value(inner, line)
            fields = class_attribute(type(owner), "_fields")
            if is_a(owner, tuple) and type(fields) is tuple and name in fields:
                return dict(zip(fields, tuple.__iter__(owner), strict=False)).get(name)
            return static_attribute(owner, name, None) if owner is not None else None
    return None


def arguments(node: ast.Call) -> list[ast.expr]:
    return [*node.args, *(word.value for word in node.keywords)]


def with_argument(call: FailedCall, node: ast.Call, text: str) -> tuple[ast.Call, str]:
    """The change that puts a keyword argument at the end of a call."""
    whole = call.text(node)
    before = whole[:-1].rstrip()
    comma = "" if before.endswith((",", "(")) else ","
    return node, f"{before}{comma} {text})" if comma else f"{before}{text})"


def word(node: ast.Call, name: str) -> ast.expr | None:
    """The value of a keyword argument."""
    return next((word.value for word in node.keywords if word.arg == name), None)


def spelled(call: FailedCall, module: str, name: str) -> str:
    """How the reader's code calls a function of a module; empty if it has no name for it."""
    loaded = sys.modules.get(module)
    wanted = getattr(loaded, name, None)
    for held, found in call.held.items():
        if loaded is not None and found is loaded:
            return f"{held}.{name}"
        if wanted is not None and found is wanted and not held.startswith("_"):
            return held
    outer, _, inner = module.rpartition(".")
    known = call.module(sys.modules.get(outer), "") if outer in sys.modules else ""
    return f"{known}.{inner}.{name}" if known else ""


def is_of(instance: Any, module: str, name: str) -> bool:
    """Whether a value is an instance of a library's class, if that library is loaded."""
    cls = getattr(sys.modules.get(module), name, None)
    return is_class(cls) and is_a(instance, cls)


def is_key(found: Any) -> bool:
    return is_a(found, jax.Array) and jnp.issubdtype(found.dtype, jax.dtypes.prng_key)


def is_array(found: Any) -> bool:
    return is_a(found, jax.Array, np.ndarray)


def key_of(line: Line) -> tuple[str, Sentence]:
    """A key that the line can pass, and what is said of it: the only one of its function's
    variables, or a new one."""
    keys = [name for name, held in line.own.items() if is_key(held) and not name.startswith("_")]
    return (keys[0], NOTHING) if len(keys) == 1 else ("jax.random.key(0)", SAME_NUMBERS)


def whole(call: FailedCall) -> ast.Module:
    return ast.parse(call.failed.source)


def functions(call: FailedCall, name: str) -> list[ast.FunctionDef]:
    return [n for n in ast.walk(whole(call)) if isinstance(n, ast.FunctionDef) and n.name == name]


def around(line: Line, call: FailedCall) -> ast.AST:
    """The function that a line is in, or the whole cell."""
    return line.failed.function() or whole(call)


def assigned(call: FailedCall, line: Line, name: str) -> ast.Assign | None:
    """The only statement that assigns to a name in the function that a line is in, or else in the
    cell."""
    for part in (around(line, call), whole(call)):
        found = [
            node
            for node in ast.walk(part)
            if isinstance(node, ast.Assign)
            and any(isinstance(to, ast.Name) and to.id == name for to in node.targets)
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def made(call: FailedCall, func: ast.AST | None) -> ast.Call | None:
    """The only call that makes a layer: of `self.layer` or `layer`, what is assigned to it."""
    wanted = ast.unparse(func) if func else ""
    found = [
        node.value
        for node in ast.walk(whole(call))
        if isinstance(node, ast.Assign)
        and any(ast.unparse(target) == wanted for target in node.targets)
    ]
    match found:
        case [ast.Call() as only]:
            return only
    return None


def with_line(
    call: FailedCall, title: Sentence, at: int, text: str, differs: Sentence = NOTHING
) -> Mend:
    """The fix that puts a line of its own above a line of the source."""
    line = call.failed.source.splitlines()[at - 1]
    indent = line[: len(line) - len(line.lstrip())]
    promise = OTHER if differs else SAME
    known = {"promise": promise, "differs": differs, "first": at, "last": at}
    return replace(sketch(title), before=[line], lines=[indent + text, line], **known)


def swapped(call: FailedCall, title: Sentence, one: ast.expr, other: ast.expr) -> Mend:
    return edited(call, title, (one, call.text(other)), (other, call.text(one)))


def renamed(
    call: FailedCall, title: Sentence, func: ast.expr, module: str, name: str
) -> Iterator[Mend]:
    """The fix that calls another function; advice if the code has no name for it."""
    new = spelled(call, module, name)
    if new:
        yield edited(call, title, (func, new))
    else:
        yield sketch(sentence("title from module import", title=title, module=module, name=name))


def tuples(text: str) -> list[tuple[int, ...]]:
    """The shapes in a message."""
    found = re.findall(r"\(((?:\d+, ?)*\d*,?)\)", text)
    return [tuple(int(part) for part in one.split(",") if part.strip()) for one in found]
