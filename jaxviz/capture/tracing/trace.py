"""Traces a call and makes the records of its program, like `jax.make_jaxpr`, but through the
function's own cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, NamedTuple, Protocol
from weakref import WeakSet

import jax
from jax.extend.core import ClosedJaxpr
from msgspec.structs import replace

from jaxviz.capture._jax import options_of, statics_of
from jaxviz.capture.calls.call_record import call_summary
from jaxviz.capture.calls.call_to_trace import CallToTrace, retained_call, retained_function
from jaxviz.capture.calls.called_function import CalledFunction, called_function, unjitted
from jaxviz.capture.calls.fixed_arguments import STATIC, closing_over, fixed_of, traceable_arguments
from jaxviz.capture.calls.flax_nnx import restored_modules, users_paths
from jaxviz.capture.calls.refused_arguments import jitted_already, not_traceable, unknown_static
from jaxviz.capture.calls.users_names import by_label, name_rules
from jaxviz.capture.changes import changed, heal
from jaxviz.capture.failure.errors import (
    CaptureError,
    Leak,
    explained,
    leak_sentence,
    leaked_argument,
    leaked_into,
)
from jaxviz.capture.jaxprs.avals import Avals
from jaxviz.capture.jaxprs.jaxpr import NO_NAMES, LocatedJaxpr, debug_paths, located, stage_of
from jaxviz.capture.jaxprs.listing import listings_of
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.source import Sources
from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.lowering import Later
from jaxviz.capture.stages.taken_arguments import taken_arguments
from jaxviz.capture.tracing.drawn import drawn_in, noting_draws
from jaxviz.capture.tracing.literal_names import literal_names
from jaxviz.safety.guard import guarded
from jaxviz.schema import VERSION, Call, Fixed, Leaf, Program, Stage

FAILED = "the call cannot be shown: jaxviz failed to record it ({})."


class Captured(NamedTuple):
    """A call's program, and the sources of its stages."""

    head: Program
    """The program without stages."""
    jaxpr: Callable[[], Stage]
    """Makes its first stage, as records."""
    later: Later

    @property
    def program(self) -> Program:
        """The program with its first stage, which is made at each call."""
        return replace(self.head, stages=[self.jaxpr()])


class TracedCall(NamedTuple):
    """A call that JAX has traced."""

    fun: Callable[..., Any]
    """The function as it was called."""
    called: CalledFunction
    args: tuple[Any, ...]
    """The arguments by position, after the receiver of a method."""
    kwargs: dict[str, Any]
    names: list[str]
    """The parameter names of the arguments."""
    traced: Any
    fixed: list[Fixed] | None
    """The arguments that are fixed in the program; None if they follow from its inputs."""


def capture(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    static_argnums: Any = None,
    static_argnames: Any = None,
    keep: bool = False,
    receiver: str = "",
) -> Captured:
    """The program of a call, and what is needed to lower and compile it later.

    Nothing executes, and no argument is retained. Of the arrays that the function closes over at
    most 16 MiB are retained, or all with `keep`. `receiver` is the user's text for the array whose
    method is called: the `x` of `x.sum()`.

    Raises only `CaptureError`, with the user's own exception as its cause.
    """
    try:
        call = traced_call(fun, args, kwargs, static_argnums, static_argnames)
        return captured_call(call, keep, receiver)
    except CaptureError:
        raise
    except Exception as error:
        raise CaptureError(FAILED.format(type(error).__name__)) from error


def traced_call(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    static_argnums: Any = None,
    static_argnames: Any = None,
) -> TracedCall:
    """Traces a call. Raises as `capture` does."""
    other = not_traceable(fun)
    if other is not None:
        raise CaptureError(other)
    called = called_function(fun)
    args = (*called.receiver, *args)
    try:
        _refuse_leaked(guarded(None, leaked_argument, args, kwargs), called)
        with unreported_traces(), restored_modules(called.fun), noting_draws(fun) as note_draws:
            traced, fixed = _traced(called, args, kwargs, static_argnums, static_argnames)
            note_draws(traced)
        _refuse_leaked(guarded(None, leaked_into, traced), called)
    except CaptureError:
        raise
    except Exception as error:
        raise explained(error, called, args, kwargs) from error
    return TracedCall(fun, called, args, kwargs, called.names(args, kwargs), traced, fixed)


def captured_call(call: TracedCall, keep: bool = False, receiver: str = "") -> Captured:
    """The program of a traced call; `keep` and `receiver` are as in `capture`."""
    fun, called, args, kwargs, names, traced, fixed = call
    closed: ClosedJaxpr = traced.jaxpr
    named, returned = users_paths(traced, names, *debug_paths(closed.jaxpr))
    if fixed is None:
        fixed = _statics(names, [*args, *kwargs.values()], named)
    arguments, results = traced.args_info, traced.out_info
    inputs = by_label(filled(named, arguments, "args"), arguments)
    if receiver and called.receiver and called.receiver[0] is not fun:
        inputs = [_received(path, names[0], receiver) for path in inputs]
    outputs = by_label(filled(returned, results, "result"), results)
    record = None
    head, of = program_head(closed, called.title, inputs, outputs, fixed, called.fun)
    with suppress(Exception):  # without it less is drawn, and nothing else depends on it
        options, consts = options_of(traced), closed.consts
        jit = called.fun if called.is_jitted else None
        summary = call_summary(called.fun, consts, names, args, kwargs, fixed, options, jit)
        record = summary.record(head.args, head.results, closed.jaxpr)
    takes = taken_arguments(called, names, kwargs, head.fixed)
    return captured(head, of, record, Later(traced, of.found, keep, takes))


CallAgain = Callable[[], tuple[CallToTrace, str]]
"""Returns a call and its receiver, to trace it again. Raises ValueError, with a sentence, if the
call is gone."""


def call_again(
    fun: Any, args: tuple[Any, ...], kwargs: dict[str, Any], statics: dict[str, Any], receiver: str
) -> CallAgain | None:
    """Retains a call to trace it again; None if it cannot be retained. It retains the types of the
    arguments, and no object of the user (`call_to_trace.py`). `statics` has `static_argnums` and
    `static_argnames`; `receiver` is as in `capture`."""
    inner = unjitted(fun)
    function = retained_function(inner)
    if inner is not fun:
        own = statics_of(fun)
        statics = own if any(own.values()) else statics
    call = retained_call(args, kwargs, statics)
    if function is None or call is None:
        return None
    return lambda: (call.of(function()), receiver)


def captured(head: Program, of: LocatedJaxpr, call: Call | None, later: Later) -> Captured:
    """The program. Its jaxpr becomes records when they are first needed, or at once if it contains
    arrays that `later` does not retain."""
    paths = [leaf.path for leaf in head.args], [leaf.path for leaf in head.results]

    def jaxpr() -> Stage:
        return replace(stage_of(of, head.name, *paths), call=call)

    if later.retains_all:
        return Captured(head, jaxpr, later)
    made = jaxpr()
    return Captured(head, lambda: made, later)


def _refuse_leaked(leak: Leak | None, called: CalledFunction) -> None:
    if leak is not None:
        raise CaptureError(leak_sentence(called.title, leak)) from leak.error


def _traced(
    called: CalledFunction, args: tuple[Any, ...], kwargs: dict[str, Any], numbers: Any, names: Any
) -> tuple[Any, list[Fixed] | None]:
    """The call traced by jit, and its fixed arguments; None if these follow from the program's
    inputs. The body runs at most once: a jitted function is traced through its own cache."""
    fun = called.fun
    if called.is_jitted:
        if numbers is not None or names is not None:
            asked = called.static_names(numbers, names)
            if not asked or not asked <= called.static_names(*statics_of(fun).values()):
                raise CaptureError(jitted_already(called.title))
        traced = fun.trace(*args, **kwargs)
        if not hasattr(traced, "jaxpr"):
            traced = traced.traced  # flax.nnx.jit wraps the Traced of jax.jit
        return traced, None
    statics = called.static_names(numbers, names)
    unknown = unknown_static(called, statics)
    if unknown:
        raise CaptureError(unknown)
    call = traceable_arguments(called, args, kwargs, statics)
    if called.jit == "jit" and not call.fixed:
        return fun.trace(*args, **kwargs), []
    if call.closed_over or is_a(fun, jax.numpy.ufunc) or called.library == "equinox":
        fun = closing_over(called)
    jitted = jax.jit(fun, static_argnums=numbers, static_argnames=names)
    traced = jitted.trace(*call.args, **call.kwargs)
    call.release()
    return traced, call.fixed


def _statics(names: list[str], values: list[Any], inputs: list[str]) -> list[Fixed]:
    """The static arguments of a jit: those with leaves, but without an input."""
    return [
        fixed_of(argument, value, STATIC)
        for argument, value in zip(names, values, strict=True)
        if jax.tree_util.tree_leaves(value)
        and not any(path.startswith((f"{argument}[", f"{argument}.")) for path in inputs)
        and argument not in inputs
    ]


def _received(path: str, own: str, receiver: str) -> str:
    """A path with the user's text in place of `own`, the array or model whose method is called."""
    rest = path.removeprefix(own)
    return name(receiver + rest) if rest != path and rest[:1] in ("", "[", ".") else path


def program_head(
    closed: ClosedJaxpr,
    title: str,
    inputs: list[str],
    outputs: list[str],
    fixed: list[Fixed],
    fun: Any = None,
) -> tuple[Program, LocatedJaxpr]:
    """The program of a jaxpr without its stage, and the source of the stage. It has the user's
    paths of inputs and outputs, and the fixed arguments. `fun` is the traced function, if it is
    known."""
    debug = getattr(closed.jaxpr, "debug_info", None)
    sources = Sources(str(getattr(debug, "func_src_info", "")))
    of = located(closed, sources)
    guarded(None, name_rules, sources, fun)
    if fun is not None:
        of = of._replace(literals=guarded(NO_NAMES, literal_names, of, sources, fun))
    head = Program(
        version=VERSION,
        jax=jax.__version__,
        name=title,
        args=_leaves(inputs, closed.in_avals),
        fixed=fixed,
        results=_leaves(outputs, closed.out_avals),
        listings=listings_of(sources),
        stages=[],
        compared=None,
        findings=[],
        drawn=drawn_in(closed.jaxpr),
    )
    return head, of


def filled(paths: list[str], tree: Any, root: str) -> list[str]:
    """The paths, with the leaf's path in the tree for those without a name in JAX."""
    if all(paths):
        return paths
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    keys = [name(root + path_text(path)) for path, _ in leaves]
    if len(keys) != len(paths):
        keys = [f"{root}[{i}]" for i in range(len(paths))]
    return [path or key for path, key in zip(paths, keys, strict=True)]


def _leaves(paths: list[str], avals: Any) -> list[Leaf]:
    table = Avals()
    numbers = map(table.index, avals)
    return [
        Leaf(path=path, aval=table.records[number])
        for path, number in zip(paths, numbers, strict=True)
    ]


class TraceListener(Protocol):
    """A listener to JAX's traces that has to know which ones jaxviz makes."""

    def is_capturing(self) -> bool: ...
    def begin_capture(self) -> None: ...
    def end_capture(self) -> None: ...


LISTENERS: WeakSet[TraceListener] = WeakSet()


@contextmanager
def unreported_traces() -> Iterator[None]:
    """Within this context, traces of this thread are no events. Listeners remember each one, and
    report it when a user's call finds it in JAX's cache. So counts and reasons do not depend on
    whether the user inspected the program."""
    heal()
    with ExitStack() as captures:
        with suppress(Exception):
            for listener in [*LISTENERS]:
                if not listener.is_capturing():
                    captures.enter_context(changed(listener.begin_capture, listener.end_capture))
        yield
