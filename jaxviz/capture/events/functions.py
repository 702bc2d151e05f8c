"""Identifies functions by where they are written, and tells the user's from JAX's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from types import CodeType, FrameType
from typing import Any

from jax.stages import Wrapped

from jaxviz.capture import clone, lowering
from jaxviz.capture._jax import transforms
from jaxviz.capture._traces import NESTED_ARE_SILENT
from jaxviz.capture.events.layers import into
from jaxviz.capture.source import Cell, cell_of, file_kind, place
from jaxviz.capture.strings import name
from jaxviz.capture.wrappers import is_wrapper
from jaxviz.schema import Frame
from jaxviz.signature import Function

_SOURCE = re.compile(r"(?P<name>.*) at (?P<file>.*):(?P<line>\d+)", re.DOTALL)
_CAPTURE = frozenset(code.__file__ for code in (clone, lowering) if code.__file__)
_CELLS = 20
_kind = lru_cache(maxsize=4096)(file_kind)


def function_of(fun: Any) -> Function | None:
    """The function with the transformations around it, and where it is written: the code under
    all wrappers, partials and methods. None of what is not written in Python."""
    names, _ = transforms(fun)
    names, layers = [*names], [fun]
    text = into(layers, names)
    inner = layers[-1]
    code = getattr(inner, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    for transform in reversed(names):
        text = f"{transform}({text})"
    told = ", ".join([*map(_digest, layers), *_around(inner)])
    return Function(name(text), code.co_filename, code.co_firstlineno, told)


def _digest(layer: Any) -> str:
    code = getattr(layer, "__code__", None)
    return f"{_hash(code):x}" if isinstance(code, CodeType) else type(layer).__name__


def _hash(code: CodeType) -> int:
    """Equal for code that was compiled again from the same text, wherever it stands."""
    consts = (
        _hash(const) if isinstance(const, CodeType) else (type(const), const)
        for const in code.co_consts
    )
    return hash((code.co_code, code.co_names, *consts))


def traced_function(fun: Any) -> Function | None:
    """The same of a function that is traced: one that is jitted already is traced around the one
    that it jits, as `make_jaxpr` does."""
    function = function_of(fun)
    if function is None or not isinstance(fun, Wrapped):
        return function
    return function._replace(name=f"jit({function.name})")


def _around(fun: Any) -> list[str]:
    """Where the functions that a function closes over are written."""
    cells = getattr(fun, "__closure__", None) or ()
    codes = [getattr(_content(cell), "__code__", None) for cell in cells[:_CELLS]]
    found = [code for code in codes if isinstance(code, CodeType)]
    return [f"{code.co_filename}:{code.co_firstlineno}" for code in found]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def function_named(text: Any) -> Function | None:
    """The function that JAX's debug info names: `f at /a/b.py:3`."""
    found = _SOURCE.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    return Function(name(found["name"]), found["file"], int(found["line"]))


def is_jax(function: Function) -> bool:
    """Whether it is written in JAX's own files or the standard library's."""
    return _kind(function.file) in ("library", "machinery")


def is_apart(function: Function, within: bool) -> bool:
    """Whether it is none of the user's. One that an installed package calls, `within` another
    trace, is the package's own, as flax traces the shapes of its parameters: up to 0.9 JAX
    announces these too."""
    own = within and not NESTED_ARE_SILENT and _kind(function.file) == "installed"
    return own or is_jax(function)


def names_users(text: Any) -> bool:
    """Whether JAX's debug info may name a function that is not JAX's own."""
    function = function_named(text)
    return function is None or not is_jax(function)


def is_ours(frame: FrameType | None) -> bool:
    """Whether jaxviz itself lowers or compiles, to show a stage."""
    while frame is not None:
        if frame.f_code.co_filename in _CAPTURE:
            return True
        frame = frame.f_back
    return False


def called_by_user(function: Function, frame: FrameType | None) -> Function:
    """A function of an installed package that the user's own line calls: known by that line, since
    its own is no line of the user's. One that the package calls is known by its own."""
    if _kind(function.file) != "installed":
        return function
    while frame is not None:
        file = frame.f_code.co_filename
        kind = _kind(file)
        if kind == "own":
            return function._replace(file=file, line=frame.f_lineno)
        if kind == "installed" and not is_wrapper(frame.f_globals.get("__name__")):
            break
        frame = frame.f_back
    return function


def definition_of(function: Function) -> Frame | None:
    """Where it is written, where that is known."""
    if not function.file:
        return None
    return _frame(function.file, function.name, function.line, cell_of(function.file))


@lru_cache(maxsize=4096)
def _frame(file: str, function: str, line: int, cell: Cell) -> Frame:
    """`cell` is part of the key, since the same file may become another cell."""
    return place(file, function, line, 0).frame(None)


def site_of(frame: FrameType | None) -> Frame | None:
    """The innermost line of the user's; that of an installed package where there is none."""
    return _innermost(_callers(frame))


def _callers(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    while frame is not None:
        yield frame, frame.f_lineno
        frame = frame.f_back


def failed_line(raised: Iterable[tuple[FrameType, int]]) -> Frame | None:
    """The same of the frames through which an exception went, outermost first."""
    return _innermost(reversed([*raised]))


def _innermost(calls: Iterable[tuple[FrameType, int]]) -> Frame | None:
    installed: tuple[FrameType, int] | None = None
    for frame, line in calls:
        kind = _kind(frame.f_code.co_filename)
        if kind == "own":
            return _line(frame, line)
        if kind == "installed" and installed is None:
            installed = frame, line
    return None if installed is None else _line(*installed)


def _line(frame: FrameType, line: int) -> Frame:
    file = frame.f_code.co_filename
    return _frame(file, frame.f_code.co_qualname, line, cell_of(file))
