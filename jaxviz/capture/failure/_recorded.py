"""Reads private names of JAX that tell what a trace had recorded when it stopped, and what was
called. Each name has the versions that it was seen on, and a fallback: without it a card has no
program and no story, or offers no static argument."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import CodeType, FrameType, TracebackType
from typing import Any, NamedTuple

from jax.core import Tracer
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.tree_util import tree_flatten_with_path

from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.failure.failed_expression import entries
from jaxviz.capture.shown.callables import parameters_of, unwrapped
from jaxviz.capture.shown.objects import attribute, is_a, traceback_of
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.source import file_kind


class Recorded(NamedTuple):
    """A trace that has not ended: the program so far."""

    jaxpr: ClosedJaxpr
    """Its only output is the value that was asked for; there is none where that is not of it."""
    function: str
    """The name of the function that is traced."""
    paths: list[str]
    """The user's paths of its inputs."""


def recording(value: Any) -> Any:
    """The tracer that records, within those of grad and vmap; None where there is none.

    `Tracer._trace`, `JVPTracer.primal`, `BatchTracer.val` and `DynamicJaxprTrace` were seen on
    0.6.2 to 0.12.0.
    """
    for _ in range(100):
        if not is_a(value, Tracer):
            return None
        if type(getattr(value, "_trace", None)).__name__ == "DynamicJaxprTrace":
            return value
        value = getattr(value, "primal", getattr(value, "val", None))
    return None


def recorded(tracer: Any, asked: bool) -> Recorded | None:
    """What the trace of a tracer has recorded so far, with the tracer as output if it is `asked`
    for.

    `DynamicJaxprTrace.frame` and its `invars`, `constvar_to_val` and `debug_info` were seen on
    0.6.2 to 0.12.0.
    """
    try:
        frame = tracer._trace.frame
        constants = dict(frame.constvar_to_val)
        eqns, invars = _eqns(frame), list(frame.invars)
        outvars = [_variable(frame, tracer)] if asked else []
        debug = frame.debug_info
        known = debug._replace(result_paths=("",) * len(outvars))
        jaxpr = Jaxpr([*constants], invars, outvars, eqns, debug_info=known)
        closed = ClosedJaxpr(jaxpr, [*constants.values()])
        function = debug.func_src_info.partition(" at ")[0]
        known_paths: list[str] = [*(debug.arg_names or ())]
        paths = known_paths if len(known_paths) == len(invars) else [""] * len(invars)
        return Recorded(closed, function, paths)
    except (AttributeError, KeyError, TypeError, ValueError, AssertionError):
        return None


def running(at: TracebackType) -> Recorded | None:
    """The program whose compiling or running failed, as JAX's own frames below a line hold it; None
    outside of IPython, where JAX takes these out of the traceback.

    `jaxpr` of `_pjit_call_impl_python` and its `debug_info` were seen on 0.6.2 to 0.12.0.
    """
    for entry in entries(at.tb_next):
        closed = entry.tb_frame.f_locals.get("jaxpr")
        if is_a(closed, ClosedJaxpr):
            debug, count = closed.jaxpr.debug_info, len(closed.jaxpr.invars)
            names = [*(getattr(debug, "arg_names", None) or ())]
            function = str(getattr(debug, "func_name", ""))
            return Recorded(closed, function, names if len(names) == count else [""] * count)
    return None


def _eqns(frame: Any) -> list[Any]:
    """The eqns of a trace that goes on: `get_eqns` from 0.8 on, which leaves out those that nothing
    uses any more; `eqns` before."""
    return frame.get_eqns() if hasattr(frame, "get_eqns") else list(frame.eqns)


def _variable(frame: Any, tracer: Any) -> Any:
    """The variable that a tracer stands for: its `val` from 0.8 on, `tracer_to_var` before."""
    known = getattr(frame, "tracer_to_var", None)
    return tracer.val if known is None else known[id(tracer)]


def traced_file(tracer: Any) -> str:
    """The file of the function that a tracer records; empty where that is not known."""
    try:
        place = tracer._trace.frame.debug_info.func_src_info.partition(" at ")[2]
    except AttributeError:
        return ""
    return place.rpartition(":")[0]


def users_paths(program: Recorded, tracer: Any, error: BaseException) -> Recorded:
    """The program with its inputs called as the arguments of the user's functions that hold them:
    a library's wrapper, such as `filter_jit`, has names of its own for them."""
    frame, found = tracer._trace.frame, dict[int, str]()
    places = {id(var): place for place, var in enumerate(program.jaxpr.jaxpr.invars)}
    for entry in entries(traceback_of(error)):
        if file_kind(entry.tb_frame.f_code.co_filename) == "own":
            for path, value in _arguments(entry.tb_frame):
                inner = recording(value)
                if inner is not None and inner._trace is tracer._trace:
                    found.setdefault(places.get(id(_variable(frame, inner)), -1), path)
    paths = [found.get(place, path) for place, path in enumerate(program.paths)]
    return program._replace(paths=paths)


def _arguments(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The leaves of a function's arguments, with their paths."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        with suppress(Exception):  # a class of the user's or a library's takes itself apart
            for keys, leaf in tree_flatten_with_path(frame.f_locals.get(name))[0]:
                yield f"{name}{path_text(keys)}", leaf


class Called(NamedTuple):
    """A call that was traced: the function without what wraps it, and what it was called with."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]
    """`static_argnums` and `static_argnames`."""
    jitted: bool

    @property
    def arguments(self) -> Mapping[str, Any]:
        """What was passed, by the names of the parameters."""
        known = parameters_of(self.fun)
        try:
            return {} if known is None else known.bind(*self.args, **self.kwargs).arguments
        except TypeError:
            return {}


class Calls(NamedTuple):
    """The calls that were traced when a line failed, outermost first."""

    around: list[Called]
    below: list[Called]
    """Those that the line itself made."""

    def passed(self, code: CodeType) -> Called | None:
        """What the function with the line was called with, or else what the line called."""
        own = [call for call in self.around if _code(call) is code]
        called = [call for call in self.below if _is_users(_code(call))]
        return next(iter([*own[-1:], *called[:1]]), None)

    @property
    def outermost(self) -> Called | None:
        return next(iter([*self.around, *self.below]), None)


def calls_of(error: BaseException, at: TracebackType) -> Calls:
    """The calls that were traced around a line and below it.

    Outside of IPython JAX takes its own frames out of the traceback; those around the line are
    still its callers."""
    entry = traceback_of(error)
    first = entry.tb_frame if entry else None
    frames = [at.tb_frame]
    while frames[-1] is not first and frames[-1].f_back is not None:
        frames.append(frames[-1].f_back)
    below = (entry.tb_frame for entry in entries(at.tb_next))
    return Calls([*_called(reversed(frames))], [*_called(below)])


_CAPTURED = {"called", "fun", "args", "kwargs"}
"""Variables of our own frames that trace a call."""


def _called(frames: Iterable[FrameType]) -> Iterator[Called]:
    """The calls of jitted functions, and of `capture` (`trace.py`), among frames.

    `fun`, `args`, `kwargs` and `jit_info` of `cache_miss`, and fields of the last, were seen on
    0.6.2 to 0.12.0; without them no argument is offered to be made static, and no mend can be
    tried.
    """
    for frame in frames:
        held = frame.f_locals
        if frame.f_code.co_name == "cache_miss" and {"fun", "jit_info"} <= {*held}:
            options = held["jit_info"]
        elif {*held} >= _CAPTURED and file_kind(frame.f_code.co_filename) == "machinery":
            options = None
        else:
            continue
        names = ("static_argnums", "static_argnames")
        found = {name: held.get(name) or getattr(options, name, None) for name in names}
        jitted = options is not None or is_jitted(held["fun"])
        yield Called(unwrapped(held["fun"]), held["args"], held["kwargs"], found, jitted)


def _is_users(code: Any) -> bool:
    """Whether it is code that the user can change, and not a function of JAX's that is jitted."""
    return code is not None and file_kind(code.co_filename) == "own"


def _code(call: Called) -> Any:
    return attribute(call.fun, "__code__")
