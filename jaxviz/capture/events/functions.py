"""Whose function it is, and which: known by where it is written, told apart by weak references."""

from __future__ import annotations

import inspect
import re
import weakref
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import count
from threading import RLock
from types import CodeType, FrameType, MethodType
from typing import Any, Generic, TypeVar

from jax.stages import Wrapped

from jaxviz.capture import clone, later
from jaxviz.capture._jax import transforms
from jaxviz.capture.source import Cell, cell_of, file_kind, place
from jaxviz.capture.strings import name
from jaxviz.schema import Frame
from jaxviz.signature import Function

Value = TypeVar("Value")

_SOURCE = re.compile(r"(?P<name>.*) at (?P<file>.*):(?P<line>\d+)", re.DOTALL)
_CAPTURE = frozenset(code.__file__ for code in (clone, later) if code.__file__)
_CELLS = 20
_kind = lru_cache(maxsize=4096)(file_kind)


def function_of(fun: Any) -> Function | None:
    """The function with the transformations around it, and where it is written: the code under
    all wrappers, partials and methods. None of what is not written in Python."""
    names, _ = transforms(fun)
    layers = _layers(fun)
    inner = layers[-1]
    code = getattr(inner, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    text = getattr(inner, "__name__", code.co_name)
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
    """Where the functions are written that it closes over."""
    cells = getattr(fun, "__closure__", None) or ()
    codes = [getattr(_content(cell), "__code__", None) for cell in cells[:_CELLS]]
    found = [code for code in codes if isinstance(code, CodeType)]
    return [f"{code.co_filename}:{code.co_firstlineno}" for code in found]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _layers(fun: Any) -> list[Any]:
    """The function with all that is wrapped around it, outermost first."""
    layers = [fun]
    for _ in range(100):
        inner = fun.func if isinstance(fun, partial) else _wrapped(fun)
        if inner is None:
            break
        fun = inner
        layers.append(fun)
    if isinstance(fun, MethodType):
        layers[-1] = fun = fun.__func__
    if not hasattr(fun, "__code__"):
        layers.append(inspect.getattr_static(type(fun), "__call__", None))
    return layers


def _wrapped(fun: Any) -> Any:
    """What it says that it wraps, without running code of its class."""
    found = inspect.getattr_static(fun, "__wrapped__", None)
    return found if callable(found) else None


def function_named(text: Any) -> Function | None:
    """The function that JAX's debug info names: `f at /a/b.py:3`."""
    found = _SOURCE.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    return Function(name(found["name"]), found["file"], int(found["line"]))


def is_jax(function: Function) -> bool:
    """Whether it is written in JAX's own files or the standard library's."""
    return _kind(function.file) in ("library", "machinery")


def users_function(fun: Any) -> Function | None:
    """The same, but none of JAX's own functions."""
    function = None if fun is None else traced_function(fun)
    return None if function is None or is_jax(function) else function


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


class Reference(weakref.ref[Any], Generic[Value]):
    """A weak reference, and what is known of what it refers to."""

    __slots__ = ("key", "value")
    key: int
    value: Value


class Weak(Generic[Value]):
    """What is known of objects, by identity, as long as they live: none of them is held."""

    def __init__(self) -> None:
        self._known: dict[int, Reference[Value]] = {}

    def get(self, thing: Any) -> Value | None:
        known = self._known.get(id(thing))
        return known.value if known is not None and known() is thing else None

    def set(self, thing: Any, value: Value) -> bool:
        """Remembers it; False where the object cannot be referred to weakly."""
        try:
            reference = Reference(thing, self._gone)
        except TypeError:
            return False
        reference.key, reference.value = id(thing), value
        self._known[reference.key] = reference
        return True

    def _gone(self, reference: Reference[Value]) -> None:
        if self._known.get(reference.key) is reference:
            del self._known[reference.key]


class Identities:
    """Numbers function objects: the same for what JAX's caches hold to be the same function."""

    def __init__(self) -> None:
        self._numbers: Weak[int] = Weak()
        self._methods: Weak[dict[int, tuple[int, weakref.ref[Any]]]] = Weak()
        """Of an object, by the number of a method's function."""
        self._next = count()
        self._lock = RLock()

    def of(self, fun: Any) -> int | None:
        """None of what cannot be referred to weakly. Python makes a method anew wherever it is
        named: it is the same as an equal one, as long as the first of these lives."""
        with self._lock:
            return self._of(fun)

    def _of(self, fun: Any) -> int | None:
        if not isinstance(fun, MethodType):
            return self._number(fun)
        methods = self._methods.get(fun.__self__)
        if methods is None:
            methods = {}
            if not self._methods.set(fun.__self__, methods):
                return None
        method = self._number(fun.__func__)
        if method is None:
            return None
        number, first = methods.get(method, (0, None))
        if first is None or first() is None:
            number = next(self._next)
            methods[method] = number, weakref.ref(fun)
        return number

    def _number(self, thing: Any) -> int | None:
        found = self._numbers.get(thing)
        if found is not None:
            return found
        number = next(self._next)
        return number if self._numbers.set(thing, number) else None
