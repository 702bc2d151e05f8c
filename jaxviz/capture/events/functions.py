"""Identifies functions by file and line, and separates the user's functions from JAX's own.

Unwraps partials, methods, decorators and wrappers of libraries to find the user's function.
"""

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
    """The function's name with the transformations around it (`vmap(f)`), and the file and line of
    the function under all wrappers, partials and methods. None if that function is not written in
    Python."""
    names, _ = transforms(fun)
    names, layers = [*names], [fun]
    text = into(layers, names)
    inner = layers[-1]
    code = _code(inner)
    if type(code) is not CodeType:
        return None
    for transform in reversed(names):
        text = f"{transform}({text})"
    digests = ", ".join([*map(_digest, layers), *_around(inner)])
    return Function(name(text), code.co_filename, code.co_firstlineno, digests)


def _digest(layer: Any) -> str:
    code = _code(layer)
    return f"{hash_of_code(code):x}" if type(code) is CodeType else title_of(type(layer))


def _code(fun: Any) -> Any:
    return fun.__code__ if type(fun) is FunctionType else attribute(fun, "__code__")


def hash_of_code(code: CodeType) -> int:
    """A hash of the code's behaviour. It is equal if the same text is compiled again, on any
    line."""
    consts = (
        hash_of_code(const) if isinstance(const, CodeType) else (type(const), const)
        for const in code.co_consts
    )
    return hash((code.co_code, code.co_names, *consts))


def traced_function(fun: Any) -> Function | None:
    """The function that JAX traces. `make_jaxpr(jit(f))` traces the jitted function itself, which
    is named `jit(f)`, and then `f`."""
    function = function_of(fun)
    if function is None or not is_jitted(fun):
        return function
    return function._replace(name=f"jit({function.name})")


def _around(fun: Any) -> list[str]:
    """The `file:line` of each function that `fun` closes over, in its first `_CELLS` cells."""
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
    """The function that JAX's debug info names as `f at /a/b.py:3`; None if it names none. Its
    caller is not known."""
    return _named(text) if isinstance(text, str) else None


@lru_cache(maxsize=4096)
def _named(text: str) -> Function | None:
    found = _SOURCE.fullmatch(text)
    if found is None:
        return None
    library = "inner" if file_kind(found["file"]) == "installed" else ""
    return Function(name(found["name"]), found["file"], int(found["line"]), library=library)


def is_jax(function: Function) -> bool:
    """True if the function is in a file of JAX or of the standard library."""
    return file_kind(function.file) in ("library", "machinery")


def names_users(text: Any) -> bool:
    """True if JAX's debug info may name a function that is not JAX's own."""
    function = function_named(text)
    return function is None or not is_jax(function)


def is_jaxviz(frame: FrameType | None) -> bool:
    """True if jaxviz itself lowers or compiles here, to show a stage."""
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
    """`cell` is part of the cache's key, since a file may be another cell later."""
    return place(file, function, line)


def site_of(frame: FrameType | None) -> Frame | None:
    """The user's innermost line on the stack, or else the innermost of an installed package."""

    def callers(frame: FrameType | None) -> Iterator[tuple[FrameType, int]]:
        while frame is not None:
            yield frame, line_number(frame)
            frame = frame.f_back

    return _innermost(callers(frame))


def failed_line(raised: Iterable[tuple[FrameType, int]]) -> Frame | None:
    """The same line among the frames that an exception passed through, outermost first."""
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
    """Unwraps `layers[-1]` and returns the name of the innermost function. Adds each function
    within the one before to `layers`, and the transformations around it (`filter_grad`) to
    `names`."""
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
    """The function that `fun` wraps, or None; the transformation around its name, or an empty
    string; and the name that `fun` gives it, or an empty string for the inner function's name."""
    if inherits(type(fun), partial):
        return PARTIAL["func"].__get__(fun), "", ""
    called = called_by_method(fun)
    if called is not None:
        return called[0], "", called[1]
    wrapped = wrapped_by_library(fun)
    if wrapped is not None:
        return wrapped[0], wrapped[1], _suffixed(fun, wrapped[0])
    if type(fun) is MethodType:
        return fun.__func__, "", ""
    inner = _wrapped(fun)
    if inner is None and _code(fun) is None and not is_class(fun):
        inner = static_attribute(type(fun), "__call__", None)
        if type(inner) is not FunctionType and wrapped_by_library(inner) is None:
            return None, "", ""
        own = static_attribute(fun, "__name__", None)
        return inner, "", own if type(own) is str else title_of(type(fun))
    return inner, "", ""


def _suffixed(fun: Any, inner: Any) -> str:
    """`f.apply` for the function `apply_fn` that a library made of `f`; else empty."""
    own, made_of = attribute(fun, "__name__", ""), attribute(inner, "__name__", "")
    if isinstance(own, str) and own.endswith("_fn") and isinstance(made_of, str) and made_of:
        return f"{made_of}.{own.removesuffix('_fn')}"
    return ""


def _name(layers: list[Any]) -> str:
    found = attribute(layers[-1], "__name__")
    return found if type(found) is str else title_of(type(layers[-1]))


def innermost(fun: Any) -> Any:
    """The user's function itself, under all its wrappers."""
    layers = [fun]
    into(layers, [])
    return layers[-1]


def holds_jit(fun: Any) -> bool:
    """True if `fun` is jitted, or wraps a jitted function."""
    layers = [fun]
    into(layers, [])
    return any(map(is_jitted, layers))


def _wrapped(fun: Any) -> Any:
    """The function's `__wrapped__`, read without running code of its class; None if it has none."""
    if type(fun) is FunctionType:  # to read its dict takes a tenth of the time
        found = fun.__dict__.get("__wrapped__")
    else:
        found = static_attribute(fun, "__wrapped__", None)
    return found if callable(found) else None


def owned(function: Function, fun: Any, frame: FrameType | None) -> Function:
    """The function with its owner, by the rule of `analysis/retraces/owners.py`. `fun` is the
    function object. `frame` called it; None if not known.

    A library's function that the user jitted gets the user's line that calls it, not its own.
    So does a function that the library jitted at import. All callers share it, so calls of
    different lines are not compared.
    """
    if file_kind(function.file) != "installed":
        return function
    line, is_direct = _user_line(frame)
    is_shared = _is_jitted_at_import(fun)
    library = "" if is_direct and not is_shared else "called" if is_direct else "inner"
    function = function._replace(library=library)
    if line is None or not (is_direct or is_shared):
        return function
    return function._replace(file=line.f_code.co_filename, line=line_number(line))


def _user_line(frame: FrameType | None) -> tuple[FrameType | None, bool]:
    """The user's innermost frame, and True if no frame of a library is within it, except frames
    of wrappers."""
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
    """True if the function's name in its module refers to a jitted wrapper, as after a
    decorator."""
    layers = [fun]
    into(layers, [])
    path = attribute(layers[-1], "__qualname__", "")
    named: Any = sys.modules.get(attribute(layers[-1], "__module__") or "")
    for part in path.split("."):
        named = inspect.getattr_static(named, part, None)
    around = [named]
    into(around, [])
    return any(is_jitted(layer) or is_filter_jitted(layer) for layer in around)


MOST_FUNCTIONS = 10_000
"""The latest functions are remembered, at most this many."""


class Identities:
    """Numbers function objects by weak references. Two objects that JAX's caches take for one
    function have one number."""

    def __init__(self) -> None:
        self._numbers: Weak[int] = Weak()
        self._methods: Weak[dict[int, tuple[int, weakref.ref[Any]]]] = Weak()
        """For each object its methods: their numbers and first method objects, by the number of the
        function."""
        self._objects: dict[int, weakref.ref[Any]] = {}
        """The living objects by their numbers."""
        self._latest: dict[Function, int] = {}
        self._next = count()
        self._lock = RLock()

    def is_kept(self, function: Function, number: int | None) -> bool:
        """True if the object of this code that was traced last still lives, and is not the one with
        this `number`, which is traced now."""
        with self._lock:
            before = self._latest.pop(function, None)
            if number is not None:
                self._latest[function] = number
            if len(self._latest) > MOST_FUNCTIONS:
                del self._latest[next(iter(self._latest))]
            return before != number and before in self._objects

    def new(self) -> int:
        """A new number, for a function that no longer exists."""
        return next(self._next)

    def of(self, fun: Any) -> int | None:
        """The function's number; None if it allows no weak reference. Python makes a new method
        object at each `model.f`. All have one number while the first lives."""
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
