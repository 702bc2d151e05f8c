"""Identifies functions by where they are written, under partials, methods, decorators and wrappers
of libraries, and tells the user's from JAX's own."""

from __future__ import annotations

import inspect
import re
import sys
import weakref
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from itertools import count
from threading import RLock
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any

from jaxviz.capture._jax import transforms
from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.calls.libraries import (
    called_by_method,
    is_filter_jitted,
    is_wrapper,
    wrapped_by_library,
)
from jaxviz.capture.jaxprs import clone
from jaxviz.capture.shown.objects import (
    PARTIAL,
    attribute,
    inherits,
    is_class,
    static_attribute,
    title_of,
)
from jaxviz.capture.shown.source import Cell, cell_of, file_kind, line_number, place
from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages import compiling, lowering
from jaxviz.capture.weak import Weak
from jaxviz.schema import Frame
from jaxviz.schema.signature import Function

_SOURCE = re.compile(r"(?P<name>.*) at (?P<file>.*):(?P<line>\d+)", re.DOTALL)
_CAPTURE = frozenset(code.__file__ for code in (clone, compiling, lowering) if code.__file__)
_CELLS = 20


def function_of(fun: Any) -> Function | None:
    """The function's name with the transformations around it (`vmap(f)`), and where the innermost
    function is written, under all wrappers, partials and methods. None if that is not Python."""
    names, _ = transforms(fun)
    names, layers = [*names], [fun]
    text = into(layers, names)
    inner = layers[-1]
    code = _code(inner)
    if type(code) is not CodeType:
        return None
    for transform in reversed(names):
        text = f"{transform}({text})"
    told = ", ".join([*map(_digest, layers), *_around(inner)])
    return Function(name(text), code.co_filename, code.co_firstlineno, told)


def _digest(layer: Any) -> str:
    code = _code(layer)
    return f"{_hash(code):x}" if type(code) is CodeType else title_of(type(layer))


def _code(fun: Any) -> Any:
    return fun.__code__ if type(fun) is FunctionType else attribute(fun, "__code__")


def _hash(code: CodeType) -> int:
    """A hash of what the code does: equal for the same text compiled again, on any line."""
    consts = (
        _hash(const) if isinstance(const, CodeType) else (type(const), const)
        for const in code.co_consts
    )
    return hash((code.co_code, code.co_names, *consts))


def traced_function(fun: Any) -> Function | None:
    """As `function_of`, for what JAX traces. If that is a jitted function, as `make_jaxpr(jit(f))`
    gives it, the trace is of `jit(f)` and another one of `f`."""
    function = function_of(fun)
    if function is None or not is_jitted(fun):
        return function
    return function._replace(name=f"jit({function.name})")


def _around(fun: Any) -> list[str]:
    """Where the functions that `fun` closes over are written: `file:line` for each, of its first
    `_CELLS` cells."""
    cells = (fun.__closure__ if type(fun) is FunctionType else attribute(fun, "__closure__")) or ()
    codes = [_code(_content(cell)) for cell in cells[:_CELLS]]
    found = [code for code in codes if type(code) is CodeType]
    return [f"{code.co_filename}:{code.co_firstlineno}" for code in found]


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return None


def function_named(text: Any) -> Function | None:
    """The function that JAX's debug info names as `f at /a/b.py:3`; None if it names none. What
    called it is not known."""
    return _named(text) if isinstance(text, str) else None


@lru_cache(maxsize=4096)
def _named(text: str) -> Function | None:
    found = _SOURCE.fullmatch(text)
    if found is None:
        return None
    library = "inner" if file_kind(found["file"]) == "installed" else ""
    return Function(name(found["name"]), found["file"], int(found["line"]), library=library)


def is_jax(function: Function) -> bool:
    """Whether the function is written in JAX's own files or the standard library's."""
    return file_kind(function.file) in ("library", "machinery")


def names_users(text: Any) -> bool:
    """Whether JAX's debug info may name a function that is not JAX's own."""
    function = function_named(text)
    return function is None or not is_jax(function)


def is_ours(frame: FrameType | None) -> bool:
    """Whether jaxviz itself is what lowers or compiles here, to show a stage."""
    while frame is not None:
        if frame.f_code.co_filename in _CAPTURE:
            return True
        frame = frame.f_back
    return False


def definition_of(function: Function) -> Frame | None:
    """The frame of the function's first line; None if its file is not known."""
    if not function.file:
        return None
    return _frame(function.file, function.name, function.line, cell_of(function.file))


@lru_cache(maxsize=4096)
def _frame(file: str, function: str, line: int, cell: Cell) -> Frame:
    """`cell` is an argument to be part of the cache's key: a file may be another cell later."""
    return place(file, function, line)


def site_of(frame: FrameType | None) -> Frame | None:
    """The user's innermost line on the stack, or else the innermost of an installed package."""
    return _innermost(_callers(frame))


def _callers(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
    while frame is not None:
        yield frame, line_number(frame)
        frame = frame.f_back


def failed_line(raised: Iterable[tuple[FrameType, int]]) -> Frame | None:
    """As `site_of`, for the frames and lines that an exception passed through, outermost first."""
    return _innermost(reversed([*raised]))


def _innermost(calls: Iterable[tuple[FrameType, int]]) -> Frame | None:
    installed: tuple[FrameType, int] | None = None
    for frame, line in calls:
        kind = file_kind(frame.f_code.co_filename)
        if kind == "own":
            return _line(frame, line)
        if kind == "installed" and installed is None:
            installed = frame, line
    return None if installed is None else _line(*installed)


def _line(frame: FrameType, line: int) -> Frame:
    file = frame.f_code.co_filename
    return _frame(file, frame.f_code.co_qualname, line, cell_of(file))


def into(layers: list[Any], names: list[str]) -> str:
    """Unwraps `layers[-1]`, adding each function that lies within the one before to `layers`, and
    to `names` what is written around it (`filter_grad`). Returns the function's own name."""
    text = ""
    for _ in range(100):
        fun = layers[-1]
        inner, around, called = _within(fun)
        text = called or text
        if inner is None:
            break
        names += [around] if around else []
        layers.append(inner)
    return text or _name(layers)


def _within(fun: Any) -> tuple[Any, str, str]:
    """The function that `fun` wraps, or None; what is written around its name, or an empty string;
    and the name that `fun` gives it, or an empty string if it is the inner function's own."""
    if inherits(type(fun), partial):
        return PARTIAL["func"].__get__(fun), "", ""
    called = called_by_method(fun)
    if called is not None:
        return called[0], "", called[1]
    held = wrapped_by_library(fun)
    if held is not None:
        return held[0], held[1], _suffixed(fun, held[0])
    if type(fun) is MethodType:
        return fun.__func__, "", ""
    inner = _wrapped(fun)
    if inner is None and _code(fun) is None and not is_class(fun):
        inner = static_attribute(type(fun), "__call__", None)
        known = type(inner) is FunctionType or wrapped_by_library(inner) is not None
        return (inner, "", _own_name(fun)) if known else (None, "", "")
    return inner, "", ""


def _suffixed(fun: Any, inner: Any) -> str:
    """`f.apply` for the function `apply_fn` that a library made of `f`; empty for any other."""
    own, made_of = attribute(fun, "__name__", ""), attribute(inner, "__name__", "")
    if isinstance(own, str) and own.endswith("_fn") and isinstance(made_of, str) and made_of:
        return f"{made_of}.{own.removesuffix('_fn')}"
    return ""


def _own_name(fun: Any) -> str:
    found = static_attribute(fun, "__name__", None)
    return found if type(found) is str else title_of(type(fun))


def _name(layers: list[Any]) -> str:
    found = attribute(layers[-1], "__name__")
    return found if type(found) is str else title_of(type(layers[-1]))


def innermost(fun: Any) -> Any:
    """The user's function itself, under all its wrappers."""
    layers = [fun]
    into(layers, [])
    return layers[-1]


def holds_jit(fun: Any) -> bool:
    """Whether `fun` is jitted, or wraps a function that is."""
    layers = [fun]
    into(layers, [])
    return any(map(is_jitted, layers))


def _wrapped(fun: Any) -> Any:
    """Its `__wrapped__`, read without running code of its class; None if it has none."""
    if type(fun) is FunctionType:  # it is in its dict alone, which takes a tenth of the time
        found = fun.__dict__.get("__wrapped__")
    else:
        found = static_attribute(fun, "__wrapped__", None)
    return found if callable(found) else None


def owned(function: Function, fun: Any, frame: FrameType | None) -> Function:
    """The function with its owner, by the rule that `analysis/retraces/owners.py` states. `fun` is
    the object, `frame` where it was called; None if that is not known.

    A library's function that the reader jitted gets the line of the reader's that calls it in place
    of its own. So does one that the library jitted when it was imported: as it serves all callers,
    calls of different lines are not compared.
    """
    if file_kind(function.file) != "installed":
        return function
    line, is_direct = _reader_line(frame)
    is_shared = _is_jitted_at_import(fun)
    library = "" if is_direct and not is_shared else "called" if is_direct else "inner"
    function = function._replace(library=library)
    if line is None or not (is_direct or is_shared):
        return function
    return function._replace(file=line.f_code.co_filename, line=line_number(line))


def _reader_line(frame: FrameType | None) -> tuple[FrameType | None, bool]:
    """The reader's innermost frame, and whether no frame of a library is within it, except those of
    known wrappers."""
    is_direct = True
    while frame is not None:
        kind = file_kind(frame.f_code.co_filename)
        if kind == "own":
            return frame, is_direct
        if kind == "installed" and not is_wrapper(frame.f_globals.get("__name__")):
            is_direct = False
        frame = frame.f_back
    return None, False


def _is_jitted_at_import(fun: Any) -> bool:
    """Whether the function is known in its module by a jitted function around it, as a decorator
    makes one."""
    layers = [fun]
    into(layers, [])
    path = attribute(layers[-1], "__qualname__", "")
    known: Any = sys.modules.get(attribute(layers[-1], "__module__") or "")
    for part in path.split("."):
        known = inspect.getattr_static(known, part, None)
    around = [known]
    into(around, [])
    return any(is_jitted(layer) or is_filter_jitted(layer) for layer in around)


FUNCTIONS_REMEMBERED = 10_000
"""The most functions that are remembered: the latest ones."""


class Identities:
    """Numbers function objects, which it refers to weakly. Two have one number if JAX's caches take
    them for one function."""

    def __init__(self) -> None:
        self._numbers: Weak[int] = Weak()
        self._methods: Weak[dict[int, tuple[int, weakref.ref[Any]]]] = Weak()
        """For an object, its methods' numbers and first objects, by the number of the function."""
        self._objects: dict[int, weakref.ref[Any]] = {}
        """The objects that live, by their numbers."""
        self._latest: dict[Function, int] = {}
        self._next = count()
        self._lock = RLock()

    def is_kept(self, function: Function, number: int | None) -> bool:
        """Whether the object that was last traced of a function's code still lives, and is another
        one than this, which is traced now."""
        with self._lock:
            before = self._latest.pop(function, None)
            if number is not None:
                self._latest[function] = number
            if len(self._latest) > FUNCTIONS_REMEMBERED:
                del self._latest[next(iter(self._latest))]
            return before != number and before in self._objects

    def new(self) -> int:
        """A new number, for a function that is gone already."""
        return next(self._next)

    def of(self, fun: Any) -> int | None:
        """The function's number; None if it cannot be referred to weakly. Python makes a new method
        object each time that `model.f` is evaluated: all have one number while the first lives."""
        with self._lock:
            return self._of(fun)

    def _of(self, fun: Any) -> int | None:
        if type(fun) is not MethodType:
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
            self._remember(number, fun)
        return number

    def _number(self, thing: Any) -> int | None:
        found = self._numbers.get(thing)
        if found is not None:
            return found
        number = next(self._next)
        if not self._numbers.set(thing, number):
            return None
        self._remember(number, thing)
        return number

    def _remember(self, number: int, thing: Any) -> None:
        # Python drops an interrupt that comes within a callback written in Python.
        self._objects[number] = weakref.ref(thing, partial(self._objects.pop, number))
