"""Numbers programs, and remembers which function each belongs to, with weak references alone:
what JAX or the user drops is gone here, too.

A program has one number from its trace to its lowering and compilation, so that these three events
can be told to be of one program. While JAX has its jaxpr, it can be shown without a new trace.
"""

from __future__ import annotations

import weakref
from collections.abc import Hashable
from contextlib import suppress
from contextvars import Context
from itertools import count
from threading import RLock
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
from jax.extend.core import ClosedJaxpr
from msgspec.structs import replace

from jaxviz.capture import _events as seen
from jaxviz.capture._events import Call, EndedTrace
from jaxviz.capture._jax import JitOptions
from jaxviz.capture.calls.call_record import CallSummary, call_summary
from jaxviz.capture.calls.fixed_arguments import STATIC
from jaxviz.capture.calls.libraries import users_call
from jaxviz.capture.events.functions import (
    FUNCTIONS_REMEMBERED,
    Identities,
    function_named,
    holds_jit,
    innermost,
    is_jax,
    owned,
    traced_function,
)
from jaxviz.capture.events.input_paths import paths_of
from jaxviz.capture.jaxprs.jaxpr import debug_paths, stage_of
from jaxviz.capture.shown.strings import without_values
from jaxviz.capture.tracing.trace import program_head
from jaxviz.capture.weak import Weak
from jaxviz.schema import Fixed, Program
from jaxviz.schema.signature import Function, Signature, Trace

PROGRAMS_REMEMBERED = 10_000
FAILED_TRACES = 1_000
"""How many failed traces are remembered."""


def _printing_is_per_thread() -> bool:
    with without_values():
        return Context().run(np.get_printoptions)["formatter"] is None


PRINTING_IS_PER_THREAD = _printing_is_per_thread()
"""Whether each thread has NumPy's print options to itself. A program is made with options that
print no values of arrays. Older versions of NumPy have one set for all threads, so that a thread of
ours would change what the user's threads print meanwhile."""


class Live:
    """Weak references to the jaxprs of programs: what JAX forgets is gone here, too."""

    def __init__(self) -> None:
        self._jaxprs: dict[int, weakref.ref[Any]] = {}
        self._calls: dict[int, CallSummary] = {}
        self._latest: CallSummary | None = None

    def add(self, number: int, jaxpr: Any) -> None:
        """Remembers the open jaxpr of the program `number`, and forgets the oldest of more than
        `PROGRAMS_REMEMBERED`."""
        self._jaxprs[number] = weakref.ref(jaxpr)
        if len(self._jaxprs) > PROGRAMS_REMEMBERED:
            oldest = next(iter(self._jaxprs))
            del self._jaxprs[oldest]
            self._calls.pop(oldest, None)

    def note(self, number: int, call: CallSummary | None) -> None:
        """Remembers how the program `number` was called."""
        if call is not None and number in self._jaxprs:
            self._latest = self._calls[number] = call.shared(self._latest)

    def call(self, number: int | None) -> CallSummary | None:
        """How the program `number` was called; None if that is not known."""
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
        noted_call = self._calls.get(number)
        fixed = [] if noted_call is None else noted_call.fixed
        head, of = program_head(closed, title, inputs, outputs, fixed)
        call = None
        with suppress(Exception):  # without it less is drawn, and nothing else depends on it
            call = None if noted_call is None else noted_call.record(head.args, head.results)
        return replace(head, stages=[replace(stage_of(of, title, inputs, outputs), call=call)])


def noted_call(made: Call, signature: Signature, ended: EndedTrace | None) -> CallSummary:
    """Notes the call that JAX traced; `ended` is None if JAX did not announce the trace."""
    fixed = [
        Fixed(path=argument, text=signature.statics[argument].text, kind=STATIC)
        for argument in signature.style
        if argument not in signature.trees
    ]
    options, consts = (JitOptions(), []) if ended is None else (ended.options, ended.consts)
    carry_mesh = any(leaf.spec for leaf in signature.leaves.values())
    names = [*signature.style]
    return call_summary(made.fun, consts, names, made.args, made.kwargs, fixed, options, carry_mesh)


class KnownProgram(NamedTuple):
    """The program that a jaxpr or a module is part of."""

    program: int
    """Its number."""
    function: Function
    identity: int | None
    """The number of the function object (`Identities`); None if it was not seen."""
    role: str
    """What grad or the like made of the function, such as `jvp`; empty for the function itself."""


class UsersCall(NamedTuple):
    """A function of the user's, the number of its object, and how it was called."""

    function: Function
    identity: int | None
    call: Call


class Programs:
    """Knows the programs that were traced, lowered and compiled."""

    def __init__(self) -> None:
        self.identities = Identities()
        self.live = Live()
        self._jaxprs: Weak[KnownProgram] = Weak()
        self._modules: Weak[KnownProgram] = Weak()
        self._functions: Weak[Function] = Weak()
        self._lacking = bool(seen.missing())
        """Whether private names of JAX are missing. Some functions are then known by debug info
        alone, which has no digest of the code, so that no function gets one."""
        self._paths: Weak[dict[str, str]] = Weak()
        self._numbers = count()
        self._called: dict[Function, Function] = {}
        """Functions as the user called them, by the function that debug info names."""
        self._failed: set[Hashable] = set()
        """Function and signature of traces that failed. JAX counts the next attempt as answered by
        its cache, though it traces again."""
        self._lock = RLock()

    def of(self, jaxpr: Any) -> KnownProgram | None:
        """The program of a jaxpr; None if it is not known."""
        return None if jaxpr is None else self._jaxprs.get(jaxpr)

    def of_module(self, module: Any) -> KnownProgram | None:
        """The program of a lowered module; None if it is not known."""
        return None if module is None else self._modules.get(module)

    def lowered(self, module: Any, known: KnownProgram) -> None:
        """Remembers that the module was lowered from a program."""
        if module is not None:
            self._modules.set(module, known)

    def remember(self, jaxpr: Any, function: Function, identity: int | None, role: str = "") -> int:
        """Makes a new program of the function and the jaxpr, and returns its number. `jaxpr` is
        None if the trace failed."""
        program = next(self._numbers)
        if jaxpr is not None:
            self._jaxprs.set(jaxpr, KnownProgram(program, function, identity, role))
            if not is_jax(function):
                self.live.add(program, jaxpr)
        return program

    def claim(self, trace: Trace) -> int | None:
        """The number of the new program that an announced trace made; None if JAX's cache had it.
        If several threads wait for one trace, the first to report has the program."""
        key, jaxpr = self._failure_key(trace), trace.objects.jaxpr
        with self._lock:
            known = self.of(jaxpr) is not None
            # From 0.9 on JAX announces a trace, too, where its cache had the jaxpr.
            reused = jaxpr is not None and (trace.objects.bodies == 0 or known)
            reused &= key not in self._failed
            self._failed.discard(key)
            if jaxpr is None and key is not None and len(self._failed) < FAILED_TRACES:
                self._failed.add(key)
            if reused and known:
                return None
            own = None if is_jax(trace.function) else trace.identity
            program = self.remember(jaxpr, trace.function, own)
        return None if reused else program

    def _failure_key(self, trace: Trace) -> Hashable:
        """What tells whether a trace repeats a failed one: the function's identity and a digest of
        the signature. None if no trace has failed, since the digest takes time."""
        if trace.signature is None or not (trace.objects.jaxpr is None or self._failed):
            return None
        return trace.identity, trace.signature.digest()

    def whose(self, made: Call, frame: FrameType | None) -> UsersCall | None:
        """The user's function and call behind `made`, the call that JAX traced; None if the
        function is not written in Python. `frame` is where JAX announced, if it is known."""
        call = users_call(made)
        function = self._functions.get(call.fun)
        if function is None:
            function = traced_function(call.fun)
            if function is None:
                return None
            function = owned(function, call.fun, frame)
            if self._lacking:
                function = function._replace(code="")
            if not function.library:  # what calls a library's function may be another line later
                self._functions.set(call.fun, function)
        fun = call.fun if call is made else innermost(call.fun)
        return UsersCall(function, self.identities.of(fun), call)

    def meet(self, function: Function, source: Any, call: Call | None) -> None:
        """Remembers a function by `source`, its debug info, which is all that a later event may
        have. The debug info of `vmap(jit(f))` is that of `f`, so such a function is left out."""
        named = (function_named(source) or function)._replace(code="")
        if self._called.get(named) == function or is_jax(function):
            return
        if call is None or not holds_jit(call.fun):
            self._called[named] = function
            if len(self._called) > FUNCTIONS_REMEMBERED:
                del self._called[next(iter(self._called))]

    def name_inputs(self, jaxpr: Any, paths: dict[str, str]) -> None:
        """Remembers the user's paths of the jaxpr's inputs, by those that JAX has (`paths_of`)."""
        if jaxpr is not None and paths:
            self._paths.set(jaxpr, paths)

    def name_inputs_of_call(self, jaxpr: Any, frame: FrameType, identity: int | None) -> None:
        """As `name_inputs`, from the call that lowers the jaxpr. It is for a jaxpr that jaxviz
        traced, which did not see the wrapper of a library."""
        made = seen.call_of(frame)
        if made is None or jaxpr is None or self._paths.get(jaxpr):
            return
        whose = self.whose(made, frame)
        if whose is not None and whose.identity == identity:
            self.name_inputs(jaxpr, paths_of(made, whose.call))

    def inputs_of(self, jaxpr: Any) -> list[str]:
        """The paths of the jaxpr's inputs: the user's where they are known, else JAX's."""
        paths = (None if jaxpr is None else self._paths.get(jaxpr)) or {}
        found = seen.names_of(jaxpr) or seen.numbers_of(jaxpr)
        return [paths.get(path, path) for path in found]

    def named(self, jaxpr: Any) -> Function | None:
        """The function that the jaxpr's debug info names, as the user called it."""
        found = function_named(seen.source_of(jaxpr))
        return None if found is None else self._called.get(found, found)
