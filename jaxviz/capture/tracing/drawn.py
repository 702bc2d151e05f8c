"""Finds random numbers and times that the user's code drew while a function was traced. They are
constants of its program.

The state of generators and the clocks are read before and after a trace. No state is changed, and
no number is drawn. A generator or a clock counts only if the user's functions name it.
"""

from __future__ import annotations

import ast
import datetime
import linecache
import math
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, CodeType, MethodType
from typing import Any, NamedTuple

import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal

from jaxviz.capture.calls.users_names import codes_in
from jaxviz.capture.jaxprs.walk import walk
from jaxviz.capture.reads.code_reads import Read, Step, reads_of
from jaxviz.capture.reads.read_values import Bound, Function, resolved, steps_text
from jaxviz.capture.reads.users_functions import (
    NUMBERS,
    all_codes,
    equals,
    named,
    users_functions,
)
from jaxviz.capture.shown.objects import MISSING, Types, class_attribute
from jaxviz.capture.shown.source import line_of
from jaxviz.capture.shown.strings import name
from jaxviz.capture.weak import Weak
from jaxviz.safety.guard import guarded
from jaxviz.schema import Drawn

_GENERATORS = Types(random.Random, np.random.RandomState, np.random.Generator)
"""Exact types: a subclass may compute its state."""
_BOUND = Types(MethodType, BuiltinFunctionType)
_GLOBAL = np.random.normal.__self__
"""The generator of `np.random.normal`."""
_FUNCTIONS = np.random.seed, np.random.set_state, np.random.get_state
"""Functions of `np.random` that are no methods of `_GLOBAL`."""
_SEEDING = {"seed", "setstate", "set_state", "bit_generator"}
"""A function that names one of these may draw the same numbers on purpose."""
_READING = {"getstate", "get_state", "spawn"}
_CLOCKS: dict[str, Callable[[], float]] = {
    one.__name__: one
    for one in (
        *(time.time, time.perf_counter, time.monotonic),
        *(time.time_ns, time.perf_counter_ns, time.monotonic_ns),
    )
}
_NOW = [class_attribute(datetime.datetime, one) for one in ("now", "utcnow", "today")]
"""The descriptors of the class, which are not bound to it."""
_MODULES = random, np.random, time, datetime, datetime.datetime
_LEAST_WHOLE = 1e9
"""Smaller whole numbers may be sizes or counts."""
_LOGS = {"logging", "logger", "log", "warnings", "wandb"}
"""Objects whose methods write a log."""

_drawn: Weak[tuple[Drawn, ...]] = Weak()
"""By the jaxpr of the trace."""


def drawn_in(jaxpr: Jaxpr) -> tuple[Drawn, ...]:
    """The numbers and times that were drawn in the trace of a jaxpr; empty if it was not seen."""
    return _drawn.get(jaxpr) or ()


class Draw(NamedTuple):
    """A place in the user's code that names a method of a generator, or a clock."""

    read: Read
    code: CodeType
    function: Function
    generator: Any
    """None for a clock."""
    method: str
    """The method of the generator, or the name of the clock: `normal`, `perf_counter`."""

    @property
    def text(self) -> str:
        return self.read.name + steps_text(self.read.steps)


class Before:
    """The state of the generators that a function names, and of the clocks, before its trace."""

    def __init__(self, fun: Any) -> None:
        self.functions = users_functions(fun)
        draws = [draw for one in self.functions if _names_any(one) for draw in draws_of(one)]
        self.clocks = [draw for draw in draws if draw.generator is None]
        self.generators: dict[int, list[Draw]] = {}
        for draw in draws:
            if draw.generator is not None:
                self.generators.setdefault(id(draw.generator), []).append(draw)
        self.states = {key: _state(of[0].generator) for key, of in self.generators.items()}
        self.times = {clock: read() for clock, read in _CLOCKS.items()} if self.clocks else {}

    def note(self, closed: ClosedJaxpr) -> None:
        """Remembers what was drawn since, unless JAX's cache had the jaxpr of a trace that was
        seen."""
        if _drawn.get(closed.jaxpr) is not None:
            return
        times = {clock: (self.times[clock], _CLOCKS[clock]()) for clock in self.times}
        found = [*self._random(), *self._times(closed, times)]
        if found:
            _drawn.set(closed.jaxpr, tuple(found))

    def _random(self) -> Iterator[Drawn]:
        for key, draws in self.generators.items():
            if any(draw.method in _SEEDING for draw in draws):
                continue
            if _state(draws[0].generator) == self.states[key]:
                continue
            places = [one for one in draws if one.method not in _READING and not _is_unused(one)]
            if places:
                yield _drawn_at("random", places, ())

    def _times(self, closed: ClosedJaxpr, times: dict[str, tuple[float, float]]) -> Iterator[Drawn]:
        named = dict.fromkeys(draw.method for draw in self.clocks)
        others = self._numbers() if named else []
        for clock in named:
            places = [draw for draw in self.clocks if draw.method == clock]
            eqns = _eqns_with(closed, *times[clock], others)
            if eqns is not None:
                yield _drawn_at("time", places, tuple(eqns))

    def _numbers(self) -> list[Any]:
        """The numbers that the functions write or name."""
        found = [
            value for one in self.functions for _, value in named(one) if type(value) in NUMBERS
        ]
        written = (
            part for one in self.functions for code in all_codes(one) for part in code.co_consts
        )
        return [*found, *(part for part in written if type(part) in NUMBERS)]


@contextmanager
def noting_draws(fun: Any) -> Iterator[Callable[[Any], None]]:
    """Yields a function that remembers what was drawn since, for the trace that it gets."""
    before = guarded(None, Before, fun)
    yield lambda traced: guarded(None, before.note, traced.jaxpr) if before else None


def _drawn_at(kind: str, places: list[Draw], eqns: tuple[int, ...]) -> Drawn:
    frames = {line_of(one.code, one.read.last): None for one in places}
    return Drawn(kind=kind, source=name(places[0].text), frames=tuple(frames), eqns=eqns)


def _names_any(function: Function) -> bool:
    """True if a function may name a generator or a clock."""
    random_of_numpy = any("random" in code.co_names for code in all_codes(function))
    return any(
        type(value) in _GENERATORS
        or any(value is one for one in _MODULES)
        or (value is np and random_of_numpy)
        or _source(value) is not None
        for _, value in named(function)
    )


def draws_of(function: Function) -> Iterator[Draw]:
    """The places in the code of a function that draw a number or read a clock."""
    for code in all_codes(function):
        for read in reads_of(code).reads:
            root = function.root(read.scope, read.name, code)
            bound, _ = resolved(root, read.steps, in_libraries=True) if root else (None, "")
            source = _source_at(bound, read.steps) if bound else None
            if source is not None:
                yield Draw(read, code, function, *source)


def _source_at(bound: Bound, steps: tuple[Step, ...]) -> tuple[Any, str] | None:
    """The generator and the method, or None and the clock, at the end of a path."""
    rest = steps[len(bound.steps) :]
    if not rest:
        return _source(bound.value)
    is_method = len(rest) == 1 and class_attribute(random.Random, rest[0].key) is not MISSING
    return (bound.value, rest[0].key) if is_method and type(bound.value) is random.Random else None


def _source(value: Any) -> tuple[Any, str] | None:
    """The generator and the method of a bound method, or None and the clock of a function."""
    if type(value) in _BOUND:
        of = value.__self__
        if type(of) in _GENERATORS:
            return of, value.__name__
        if of is datetime.datetime and value.__name__ in ("now", "utcnow", "today"):
            return None, "time"
        if _CLOCKS.get(value.__name__) is value:
            return None, value.__name__
    if any(value is one for one in _NOW):
        return None, "time"
    named = next((one for one in _FUNCTIONS if one is value), None)
    return None if named is None else (_GLOBAL, named.__name__)


def _state(generator: Any) -> Any:
    """The state of a generator, as a value that can be compared."""
    if type(generator) is random.Random:
        return generator.getstate()
    if type(generator) is np.random.RandomState:
        return _plain(generator.get_state(legacy=False))
    return _plain(generator.bit_generator.state)


def _plain(state: Any) -> Any:
    if type(state) is dict:
        return [(key, _plain(part)) for key, part in state.items()]
    return state.tobytes() if type(state) is np.ndarray else state


def _eqns_with(
    closed: ClosedJaxpr, before: float, after: float, others: list[Any]
) -> list[int] | None:
    """The eqns with a scalar between two times, rounded to its dtype; none if only a result is one,
    and None if nothing is. `others` are scalars that the functions write or name."""
    consts = dict(zip(closed.jaxpr.constvars, closed.consts, strict=True))

    def is_time(atom: Any) -> bool:
        value = atom.val if type(atom) is Literal else consts.get(atom)
        aval: Any = atom.aval
        if value is None or aval.shape != () or not isinstance(aval.dtype, np.dtype):
            return False
        number = np.asarray(value).astype(aval.dtype)
        return _is_between(number, before, after) and not any(
            equals(other, number) for other in others
        )

    eqns = [eqn for jaxpr in walk(closed.jaxpr).jaxprs for eqn in jaxpr.eqns]
    found = [number for number, eqn in enumerate(eqns) if any(map(is_time, eqn.invars))]
    return found if found or any(map(is_time, closed.jaxpr.outvars)) else None


def _is_between(number: Any, before: float, after: float) -> bool:
    if np.issubdtype(number.dtype, np.integer):
        return after >= _LEAST_WHOLE and math.floor(before) <= int(number) <= math.ceil(after)
    if number.dtype.itemsize < 2 or number.dtype.kind not in "fV":
        return False
    first, last = (np.asarray(one).astype(number.dtype) for one in (before, after))
    return bool(np.isfinite(last.astype(float)) and first <= number <= last)


def _is_unused(draw: Draw) -> bool:
    """True if only a log gets the number, or nothing does."""
    code = draw.function.fun.__code__
    lines = [line for one in codes_in(code) for _, _, line in one.co_lines() if line]
    first = code.co_firstlineno
    text = "".join(linecache.getlines(code.co_filename)[first - 1 : max(lines)])
    try:
        tree = ast.parse(f"if 1:\n{text}" if text[:1].isspace() else text)
    except (SyntaxError, ValueError):
        return False
    shift = first - (2 if text[:1].isspace() else 1)
    places = [*draw.code.co_positions()][draw.read.last // 2]
    return _Uses(tree).is_unused(places[1], places[3], shift, draw.method)


class _Uses:
    """The text of a function, with the parent of each node."""

    def __init__(self, tree: ast.AST) -> None:
        self.tree = tree
        self.parents = {
            inner: outer for outer in ast.walk(tree) for inner in ast.iter_child_nodes(outer)
        }

    def is_unused(self, line: int | None, column: int | None, shift: int, method: str) -> bool:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                end = node.func.end_lineno, node.func.end_col_offset
                if end == ((line or 0) - shift, column):
                    return self._ends_unused(node, method)
        return False

    def _ends_unused(self, node: ast.expr, method: str) -> bool:
        if self._is_logged(node):
            return True
        match self._statement(node):
            case ast.Expr(value=value):
                return value is node and method != "shuffle"
            case ast.If(body=body, orelse=[]):
                return all(isinstance(one, ast.Expr) and _is_log(one.value) for one in body)
            case ast.Assign(targets=[ast.Name(id=variable)]):
                return all(
                    self._is_logged(one)
                    for one in ast.walk(self.tree)
                    if isinstance(one, ast.Name)
                    and one.id == variable
                    and isinstance(one.ctx, ast.Load)
                )
        return False

    def _outward(self, node: ast.AST) -> Iterator[ast.AST]:
        while node in self.parents:
            node = self.parents[node]
            yield node

    def _statement(self, node: ast.AST) -> ast.AST | None:
        return next((one for one in self._outward(node) if isinstance(one, ast.stmt)), None)

    def _is_logged(self, node: ast.AST) -> bool:
        return any(map(_is_log, self._outward(node)))


def _is_log(node: ast.AST) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    if isinstance(function, ast.Name):
        return function.id == "print"
    while isinstance(function, ast.Attribute):
        function = function.value
    return isinstance(function, ast.Name) and function.id.lower() in _LOGS
