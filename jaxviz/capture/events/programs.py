"""Numbers programs, and remembers the function, the call and the inputs' paths of each.

A program has one number from its trace to its lowering and compilation, which connects these three
events. All references to objects of JAX and of the user are weak. While JAX has the jaxpr, jaxviz
can show the program without a new trace.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Hashable, Sequence
from contextlib import suppress
from contextvars import Context
from functools import partial
from itertools import count
from threading import RLock
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
from jax.extend.core import ClosedJaxpr
from jax.tree_util import tree_flatten_with_path, tree_leaves
from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call, EndedTrace
from jaxviz.capture._jax import JitOptions
from jaxviz.capture.calls.call_record import CallSummary, call_summary
from jaxviz.capture.calls.fixed_arguments import STATIC
from jaxviz.capture.calls.flax_nnx import is_module, parts_of
from jaxviz.capture.calls.libraries import Filtered, applied_signature, users_call
from jaxviz.capture.events.describe import arguments_of
from jaxviz.capture.events.functions import (
    MOST_FUNCTIONS,
    Identities,
    function_named,
    holds_jit,
    innermost,
    is_jax,
    owned,
    traced_function,
)
from jaxviz.capture.jaxprs.jaxpr import debug_paths, stage_of
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name, without_values
from jaxviz.capture.tracing.trace import program_head
from jaxviz.capture.weak import Weak
from jaxviz.schema import Fixed, Program
from jaxviz.schema.signature import Function, Signature, Trace

PROGRAMS_REMEMBERED = 10_000
FAILED_TRACES = 1_000
"""At most this many failed traces are remembered."""


def _printing_is_per_thread() -> bool:
    with without_values():
        return Context().run(np.get_printoptions)["formatter"] is None


PRINTING_IS_PER_THREAD = _printing_is_per_thread()
"""True if each thread has its own print options of NumPy. Programs are made with options that print
no values of arrays. Older versions of NumPy have one set of options for all threads, so a thread of
jaxviz would change what the user's threads print."""


class Live:
    """Weak references to the jaxprs of programs, and the programs' calls."""

    def __init__(self) -> None:
        self._jaxprs: dict[int, weakref.ref[Any]] = {}
        self._calls: dict[int, CallSummary] = {}
        self._latest: CallSummary | None = None

    def add(self, number: int, jaxpr: Any) -> None:
        """Remembers the jaxpr of the program `number`. At most `PROGRAMS_REMEMBERED` are
        remembered; the oldest is dropped."""
        self._jaxprs[number] = weakref.ref(jaxpr)
        if len(self._jaxprs) > PROGRAMS_REMEMBERED:
            oldest = next(iter(self._jaxprs))
            del self._jaxprs[oldest]
            self._calls.pop(oldest, None)

    def note(self, number: int, call: CallSummary | None) -> None:
        """Remembers the call of the program `number`."""
        if call is not None and number in self._jaxprs:
            self._latest = self._calls[number] = call.shared(self._latest)

    def call(self, number: int | None) -> CallSummary | None:
        """The call of the program `number`; None if not known."""
        return None if number is None else self._calls.get(number)

    def program(self, number: int, title: str) -> Program | None:
        """The record of the program `number`; None if JAX has forgotten its jaxpr."""
        reference = self._jaxprs.get(number)
        jaxpr = None if reference is None else reference()
        if jaxpr is None:
            return None
        named, returned = debug_paths(jaxpr)
        inputs = [path or f"args[{i}]" for i, path in enumerate(named)]
        outputs = [path or f"result[{i}]" for i, path in enumerate(returned)]
        closed = ClosedJaxpr(jaxpr, [None] * len(jaxpr.constvars))
        call = self._calls.get(number)
        fixed = [] if call is None else call.fixed
        head, of = program_head(closed, title, inputs, outputs, fixed)
        record = None
        with suppress(Exception):  # without it less is drawn, and nothing else depends on it
            record = None if call is None else call.record(head.args, head.results, jaxpr)
        return replace(head, stages=[replace(stage_of(of, title, inputs, outputs), call=record)])


class Objects(NamedTuple):
    """The objects of JAX and of the user from which a `Trace` is made, and facts of JAX's event.
    They are dropped before the trace is reported."""

    label: str = ""
    """JAX's label of the event, such as `f` or `jit(f)`."""
    frame: FrameType | None = None
    """The frame of JAX that called the listener."""
    traces: int = 0
    """The number of open traces of the thread, without this one."""
    bodies: int | None = None
    """The number of functions that JAX traced during the event, in any thread; None if unknown."""
    earlier: int | None = None
    """The number of functions that JAX traced between the thread's last event and the beginning of
    this one; None if unknown."""
    ended: EndedTrace | None = None
    """Objects of JAX at the end of a trace."""
    call: Call | None = None
    """The call of the user's function: `made`, or the call in a library's wrapper."""
    jaxpr: Any = None
    avals: tuple[Any, ...] = ()
    """The avals of the jaxpr's inputs; empty for JAX's own functions, and without a jaxpr."""

    @property
    def made(self) -> Call | None:
        """The call that JAX traced, if it is on the stack."""
        return None if self.ended is None else self.ended.call

    @property
    def cache_avals(self) -> tuple[Any, ...] | None:
        """The avals in the trace's key of JAX's cache; None if not known."""
        if self.jaxpr is not None:
            return self.avals
        avals = None if self.made is None or self.ended is None else self.ended.avals
        return None if avals is None else tuple(avals)


class TracedProgram(NamedTuple):
    """A program with the function that was traced."""

    program: int
    """The program's number."""
    function: Function
    identity: int | None
    """The number of the function object (`Identities`); None if not known."""
    role: str
    """The part that grad or the like derived, such as `jvp`; empty for the function itself."""


class UsersCall(NamedTuple):
    """A function of the user, the number of its object, and its call."""

    function: Function
    identity: int | None
    call: Call


class Programs:
    """The programs that were traced, lowered and compiled, found by jaxpr or module."""

    def __init__(self) -> None:
        self.identities = Identities()
        self.live = Live()
        self._jaxprs: Weak[TracedProgram] = Weak()
        self._modules: Weak[TracedProgram] = Weak()
        self._functions: Weak[Function] = Weak()
        self._lacks_names = bool(seen.missing())
        """True if private names of JAX are missing. Some functions are then found by debug info,
        which has no digest of the code. So no function gets a digest, to remain comparable."""
        self._paths: Weak[dict[str, str]] = Weak()
        self._numbers = count()
        self._called: dict[Function, Function] = {}
        """The functions that the user called, by the functions that debug info names."""
        self._failed: set[Hashable] = set()
        """Keys of traces that failed. JAX counts the next attempt as a cache hit, but retraces."""
        self._lock = RLock()

    def of(self, jaxpr: Any) -> TracedProgram | None:
        """The program of a jaxpr; None if it is not known."""
        return None if jaxpr is None else self._jaxprs.get(jaxpr)

    def of_module(self, module: Any) -> TracedProgram | None:
        """The program of a lowered module; None if it is not known."""
        return None if module is None else self._modules.get(module)

    def lowered(self, module: Any, program: TracedProgram) -> None:
        """Remembers that the module was lowered from a program."""
        if module is not None:
            self._modules.set(module, program)

    def remember(self, jaxpr: Any, function: Function, identity: int | None, role: str = "") -> int:
        """Makes a new program of the function and the jaxpr, and returns its number. `jaxpr` is
        None if the trace failed."""
        program = next(self._numbers)
        if jaxpr is not None:
            self._jaxprs.set(jaxpr, TracedProgram(program, function, identity, role))
            if not is_jax(function):
                self.live.add(program, jaxpr)
        return program

    def claim(self, trace: Trace) -> int | None:
        """The number of the new program that an announced trace made; None if JAX's cache had it.
        If several threads wait for one trace, the first thread to report gets the program."""
        key, jaxpr = None, trace.objects.jaxpr
        if trace.signature is not None and (jaxpr is None or self._failed):
            # The digest takes time, and is not needed if no trace has failed.
            key = trace.identity, trace.signature.digest()
        with self._lock:
            has_program = self.of(jaxpr) is not None
            # From 0.9 on JAX announces a trace, too, if its cache had the jaxpr.
            reused = jaxpr is not None and (trace.objects.bodies == 0 or has_program)
            reused &= key not in self._failed
            self._failed.discard(key)
            if jaxpr is None and key is not None and len(self._failed) < FAILED_TRACES:
                self._failed.add(key)
            if reused and has_program:
                return None
            own = None if is_jax(trace.function) else trace.identity
            program = self.remember(jaxpr, trace.function, own)
        return None if reused else program

    def resolve(self, made: Call, frame: FrameType | None) -> UsersCall | None:
        """The user's function and call behind `made`, the call that JAX traced; None if the
        function is not written in Python. `frame` called the listener, if known."""
        call = users_call(made)
        function = self._functions.get(call.fun)
        if function is None:
            function = traced_function(call.fun)
            if function is None:
                return None
            function = owned(function, call.fun, frame)
            if self._lacks_names:
                function = function._replace(code="")
            if not function.library:  # another line may call a library's function later
                self._functions.set(call.fun, function)
        fun = call.fun if call is made else innermost(call.fun)
        return UsersCall(function, self.identities.of(fun), call)

    def remember_function(self, function: Function, source: Any, call: Call | None) -> None:
        """Remembers a function by `source`, its debug info. A later event may have only that. The
        debug info of `vmap(jit(f))` is that of `f`, so such a function is left out."""
        named = (function_named(source) or function)._replace(code="")
        if self._called.get(named) == function or is_jax(function):
            return
        if call is None or not holds_jit(call.fun):
            self._called[named] = function
            if len(self._called) > MOST_FUNCTIONS:
                del self._called[next(iter(self._called))]

    def note_call(
        self, program: int, made: Call, signature: Signature, ended: EndedTrace | None
    ) -> None:
        """Remembers the call that JAX traced; `ended` is None if JAX did not announce the trace."""
        fixed = [
            Fixed(path=argument, text=signature.statics[argument].text, kind=STATIC)
            for argument in signature.style
            if argument not in signature.trees
        ]
        options, consts = (JitOptions(), []) if ended is None else (ended.options, ended.consts)
        carry_mesh = any(leaf.spec for leaf in signature.leaves.values())
        names = [*signature.style]
        call = call_summary(
            made.fun,
            consts,
            names,
            made.args,
            made.kwargs,
            fixed,
            options,
            made.options,
            carry_mesh,
        )
        self.live.note(program, call)

    def name_inputs(self, jaxpr: Any, made: Call, call: Call) -> None:
        """Remembers the user's paths of the jaxpr's inputs. `made` and `call` as in `paths_of`."""
        if paths := paths_of(made, call):
            self._paths.set(jaxpr, paths)

    def name_inputs_of_call(self, jaxpr: Any, frame: FrameType, identity: int | None) -> None:
        """Does `name_inputs` with the call that lowers the jaxpr. A trace by jaxviz does not see
        the wrapper of a library."""
        made = seen.call_of(frame)
        if made is None or jaxpr is None or self._paths.get(jaxpr):
            return
        users = self.resolve(made, frame)
        if users is not None and users.identity == identity:
            self.name_inputs(jaxpr, made, users.call)

    def inputs_of(self, jaxpr: Any) -> list[str]:
        """The paths of the jaxpr's inputs: the user's if known, else JAX's."""
        paths = (None if jaxpr is None else self._paths.get(jaxpr)) or {}
        found = seen.names_of(jaxpr) or seen.numbers_of(jaxpr)
        return [paths.get(path, path) for path in found]

    def named(self, jaxpr: Any) -> Function | None:
        """The function that the user called, if known, else the one that the debug info names."""
        found = function_named(seen.source_of(jaxpr))
        return None if found is None else self._called.get(found, found)


WRAPPING = ("equinox", "flax")
"""Packages with wrappers of traced functions. JAX names inputs after the wrapper's arguments."""


def paths_of(made: Call, call: Call) -> dict[str, str]:
    """The user's path of each input (`model.layers[0].weight`) by JAX's path, which names the
    arguments of a library's wrapper (`dynamic_donate['first'][0]`). `made` is the traced call of
    the wrapper, `call` the user's call. Empty if the paths are equal."""
    if not any(package in sys.modules for package in WRAPPING):
        return {}
    if isinstance(call.options, Filtered):
        return _filtered_paths(made, call)
    paths: dict[str, str] = {}
    if not any(
        is_module(leaf) for leaf in tree_leaves((call.args, call.kwargs), is_leaf=is_module)
    ):
        return _passed_on(call) if applied_signature(call.fun) else paths
    for argument, _, static, value in arguments_of(call):
        found = [] if static else tree_flatten_with_path(value, is_leaf=is_module)[0]
        for path, leaf in found:
            at = argument + path_text(path)
            parts = parts_of(leaf, at) if is_module(leaf) else None
            for i, own in enumerate(parts.leaves if parts else ()):
                paths[name(f"{at}.states[0][{i}]")] = name(own)
    return paths


def _passed_on(call: Call) -> dict[str, str]:
    """The paths for a method such as Flax's `apply`, which passes arguments on as `args[0]`,
    `args[1]`. It does not pass on the first one, which may be bound by a partial."""
    first = 0 if is_a(call.fun, partial) and call.fun.args else 1
    own = [argument for argument, how, *_ in arguments_of(call) if how == "position"][first:]
    paths: dict[str, str] = {}
    for i, (argument, value) in enumerate(zip(own, call.args[first:], strict=True)):
        for path, _ in tree_flatten_with_path(value)[0]:
            paths[name(f"args[{i}]{path_text(path)}")] = name(argument + path_text(path))
    return paths


def _filtered_paths(made: Call, call: Call) -> dict[str, str]:
    """The paths for `equinox.filter_jit`, which passes on two lists: the leaves of the first
    argument, and those of all others."""
    own = [argument for argument, *_ in arguments_of(call)]
    first = _leaf_paths(call.args[:1], own[:1])
    rest = _leaf_paths((*call.args[1:], None, *call.kwargs.values()), [*own[1:]])
    paths: dict[str, str] = {}
    for group in ("dynamic_donate", "dynamic_nodonate"):
        for part, users in (("first", first), ("rest", rest)):
            paths |= {f"{group}['{part}'][{i}]": path for i, path in enumerate(users)}
    return paths


def _leaf_paths(values: Sequence[Any], names: Sequence[str]) -> list[str]:
    present = [value for value in values if value is not None]
    return [
        name(argument + path_text(path))
        for argument, value in zip(names, present, strict=False)
        for path, _ in tree_flatten_with_path(value)[0]
    ]
