"""Reads JAX's own frames and functions when a call fails: the program that a trace had recorded,
the calls that were traced, the pytrees that JAX compared, the custom rule that failed.

Each private name has the versions that it was seen on, and a fallback: without it a card has no
program, no story and no tree, offers no static argument, or marks the line of the derivative.
"""

from __future__ import annotations

import dis
import re
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any, NamedTuple

import jax
from jax import typeof
from jax.core import AbstractValue, Tracer
from jax.extend.core import ClosedJaxpr, Jaxpr, Var
from jax.tree_util import tree_flatten_with_path, tree_unflatten

from jaxviz.capture._jax import private
from jaxviz.capture.calls.called_function import is_jitted
from jaxviz.capture.failure.expression import entries, variables
from jaxviz.capture.jaxprs.avals import aval_text
from jaxviz.capture.jaxprs.structure import UnboundLoop, unbound_loop
from jaxviz.capture.shown.callables import parameters_of, unwrapped
from jaxviz.capture.shown.objects import attribute, is_a, traceback_of
from jaxviz.capture.shown.shown_values import message_of, path_text
from jaxviz.capture.shown.source import file_kind
from jaxviz.capture.shown.strings import name


class RecordedProgram(NamedTuple):
    """A trace that has not ended: the program so far."""

    jaxpr: ClosedJaxpr
    """The jaxpr. Its only output is the needed value, if that belongs to it."""
    function: str
    """The name of the function that is traced."""
    paths: list[str]
    """The user's paths of its inputs."""


def recording(value: Any) -> Any:
    """The recording tracer within the tracers of grad and vmap; None if there is none.

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


def recorded(tracer: Any, is_needed: bool) -> RecordedProgram | None:
    """The program that the trace of a tracer has recorded. The tracer is its output if it
    `is_needed`.

    `DynamicJaxprTrace.frame` and its `invars`, `constvar_to_val` and `debug_info` were seen on
    0.6.2 to 0.12.0.
    """
    try:
        frame = tracer._trace.frame
        constants = dict(frame.constvar_to_val)
        eqns, invars = _eqns(frame), list(frame.invars)
        outvars = [_variable(frame, tracer)] if is_needed else []
        debug = frame.debug_info
        with_results = debug._replace(result_paths=("",) * len(outvars))
        jaxpr = Jaxpr([*constants], invars, outvars, eqns, debug_info=with_results)
        closed = ClosedJaxpr(jaxpr, [*constants.values()])
        function = debug.func_src_info.partition(" at ")[0]
        names: list[str] = [*(debug.arg_names or ())]
        paths = names if len(names) == len(invars) else [""] * len(invars)
        return RecordedProgram(closed, function, paths)
    except (AttributeError, KeyError, TypeError, ValueError, AssertionError):
        return None


def running(at: TracebackType) -> RecordedProgram | None:
    """The program that failed to compile or run, from JAX's frames below a line. None outside of
    IPython, where JAX removes these frames from the traceback.

    `jaxpr` of `_pjit_call_impl_python` and its `debug_info` were seen on 0.6.2 to 0.12.0.
    """
    for entry in entries(at.tb_next):
        closed = entry.tb_frame.f_locals.get("jaxpr")
        if is_a(closed, ClosedJaxpr):
            debug, count = closed.jaxpr.debug_info, len(closed.jaxpr.invars)
            names = [*(getattr(debug, "arg_names", None) or ())]
            function = str(getattr(debug, "func_name", ""))
            return RecordedProgram(closed, function, names if len(names) == count else [""] * count)
    return None


def with_loop(program: RecordedProgram | None, tracer: Any, at: TracebackType) -> Any:
    """The program with the loop whose carry JAX refused. Its output is the loop's first result
    whose type differs from that of the carry. `at` is the user's line that called the loop. Without
    JAX's own frames, which it removes outside of IPython, this is the program itself.

    `new_jaxpr_eqn` was seen on 0.6.2 to 0.12.0.
    """
    frames = [entry.tb_frame for entry in entries(at.tb_next)]
    loops = (unbound_loop(frame.f_code.co_name, frame.f_locals) for frame in frames)
    loop = next(filter(None, loops), None)
    if loop is None:
        return program
    before = program or RecordedProgram(jax.make_jaxpr(lambda: ())(), "", [])
    jaxpr, constants = before.jaxpr.jaxpr, dict[Any, Any]()

    def variable(operand: Any) -> Any:
        own = recording(operand)
        if own is not None and tracer is not None and own._trace is tracer._trace:
            return _variable(own._trace.frame, own)
        made = Var(typeof(operand))
        constants[made] = operand
        return made

    results = [Var(aval) for aval in _results(loop)]
    eqn = _NEW_EQN([*map(variable, loop.operands)], results, loop.primitive, loop.params, set())
    whole = Jaxpr(
        [*jaxpr.constvars, *constants],
        jaxpr.invars,
        [results[_unlike(loop)]],
        [*jaxpr.eqns, eqn],
        debug_info=jaxpr.debug_info._replace(result_paths=("",)),
    )
    return before._replace(jaxpr=ClosedJaxpr(whole, [*before.jaxpr.consts, *constants.values()]))


_NEW_EQN: Any = private("jax._src.core", "new_jaxpr_eqn")


def _results(loop: UnboundLoop) -> list[Any]:
    """The types of the results: the carry as the body returns it, and the stacked outputs."""
    avals, carried, length = [*loop.body.out_avals], len(loop.carry), loop.params.get("length")
    stacked = [aval.update(shape=(length, *aval.shape)) for aval in avals[carried:]]
    return [*avals[:carried], *stacked]


def _unlike(loop: UnboundLoop) -> int:
    """The first part of the carry that the body returns with another shape or dtype; else 0."""
    pairs = zip(map(typeof, loop.carry), loop.body.out_avals, strict=False)
    return next((at for at, (given, made) in enumerate(pairs) if not _TYPEMATCH(given, made)), 0)


def _eqns(frame: Any) -> list[Any]:
    """The eqns of a running trace: `get_eqns` from 0.8 on, which leaves out unused ones; `eqns`
    before."""
    return frame.get_eqns() if hasattr(frame, "get_eqns") else list(frame.eqns)


def _variable(frame: Any, tracer: Any) -> Any:
    """The variable of a tracer: its `val` from 0.8 on, `tracer_to_var` before."""
    table = getattr(frame, "tracer_to_var", None)
    return tracer.val if table is None else table[id(tracer)]


def traced_file(tracer: Any) -> str:
    """The file of the function that a tracer records; empty if it is unknown."""
    try:
        place = tracer._trace.frame.debug_info.func_src_info.partition(" at ")[2]
    except AttributeError:
        return ""
    return place.rpartition(":")[0]


def users_paths(program: RecordedProgram, tracer: Any, error: BaseException) -> RecordedProgram:
    """The program with the user's names for its inputs: the arguments of the user's functions that
    contain them. A library's wrapper, such as `filter_jit`, has names of its own."""
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
    for argument in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        with suppress(Exception):  # code of a user's or a library's class runs
            for keys, leaf in tree_flatten_with_path(frame.f_locals.get(argument))[0]:
                yield f"{argument}{path_text(keys)}", leaf


class TracedCall(NamedTuple):
    """A call that was traced: the function without its wrappers, and its arguments."""

    fun: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    statics: dict[str, Any]
    """`static_argnums` and `static_argnames`."""
    jitted: bool

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The arguments, by the names of the parameters."""
        signature = parameters_of(self.fun)
        try:
            return {} if signature is None else signature.bind(*self.args, **self.kwargs).arguments
        except TypeError:
            return {}


class TracedCalls(NamedTuple):
    """The calls that were traced when a line failed, outermost first."""

    outer: list[TracedCall]
    """The calls that led to the line."""
    below: list[TracedCall]
    """The calls that the line itself made."""

    def passed(self, code: CodeType) -> TracedCall | None:
        """The call of the function with the line, or else the call that the line made."""
        own = [call for call in self.outer if _code(call) is code]
        called = [call for call in self.below if _is_users(_code(call))]
        return next(iter([*own[-1:], *called[:1]]), None)

    @property
    def outermost(self) -> TracedCall | None:
        return next(iter([*self.outer, *self.below]), None)


def calls_of(error: BaseException, at: TracebackType) -> TracedCalls:
    """The traced calls that led to a line, and those that the line made.

    Outside of IPython JAX removes its own frames from the traceback. The callers of the line can
    still be read from its frame."""
    entry = traceback_of(error)
    first = entry.tb_frame if entry else None
    frames = [at.tb_frame]
    while frames[-1] is not first and frames[-1].f_back is not None:
        frames.append(frames[-1].f_back)
    below = (entry.tb_frame for entry in entries(at.tb_next))
    return TracedCalls([*_called(reversed(frames))], [*_called(below)])


_CAPTURED = {"called", "fun", "args", "kwargs"}
"""Variables of our own frames that trace a call."""


def _called(frames: Iterable[FrameType]) -> Iterator[TracedCall]:
    """The calls of jitted functions, and of `capture` (`trace.py`), among frames.

    `fun`, `args`, `kwargs` and `jit_info` of `cache_miss`, and the fields of `jit_info`, were seen
    on 0.6.2 to 0.12.0. Without them no fix makes an argument static, and no fix can be tried.
    """
    for frame in frames:
        frame_locals = frame.f_locals
        if frame.f_code.co_name == "cache_miss" and {"fun", "jit_info"} <= {*frame_locals}:
            options = frame_locals["jit_info"]
        elif {*frame_locals} >= _CAPTURED and file_kind(frame.f_code.co_filename) == "machinery":
            options = None
        else:
            continue
        names = ("static_argnums", "static_argnames")
        found = {name: frame_locals.get(name) or getattr(options, name, None) for name in names}
        jitted = options is not None or is_jitted(frame_locals["fun"])
        yield TracedCall(
            unwrapped(frame_locals["fun"]),
            frame_locals["args"],
            frame_locals["kwargs"],
            found,
            jitted,
        )


def _is_users(code: Any) -> bool:
    return code is not None and file_kind(code.co_filename) == "own"


def _code(call: TracedCall) -> Any:
    return attribute(call.fun, "__code__")


Leaves = Mapping[tuple[str, ...], str]
"""The type of each leaf, by its keys."""
Avals = Mapping[tuple[str, ...], Any]
_TYPEMATCH: Any = private("jax._src.core", "typematch")


class ComparedTrees(NamedTuple):
    """Two pytrees that JAX compared: strings alone."""

    root: str
    """The name of a loop's carry in its body; empty for branches."""
    sides: tuple[str, str]
    """`given` and `returned`, or the names of the branches."""
    one: Leaves
    other: Leaves
    unlike: list[tuple[str, ...]]
    """The keys of the leaves that both sides have, but with types that JAX takes as different."""


def compared_trees(at: TracebackType) -> ComparedTrees | None:
    """Both pytrees, from JAX's frames below a line. None outside of IPython, where JAX removes
    these frames from the traceback."""
    for entry in entries(at.tb_next):
        read = _READ.get(entry.tb_frame.f_code.co_name)
        if read is not None:
            with suppress(Exception):
                return read(entry.tb_frame.f_locals)
    return None


def _carried(frame_locals: Mapping[str, Any]) -> ComparedTrees:
    """A loop's carry. `carry_name`, `in_carry` and `out_carry` were seen on 0.10.2 and 0.12.0;
    0.6.2 has `out_avals` and `out_carry_tree` in place of the last."""
    is_flat = "out_carry" in frame_locals and "out_avals" not in frame_locals
    before = frame_locals["in_carry"]
    returned = (
        (frame_locals["out_carry"],)
        if is_flat
        else (frame_locals["out_avals"], frame_locals["out_carry_tree"])
    )
    root = name(str(frame_locals["carry_name"] or "carry"))
    one = _leaves(before) if is_flat else _types(before)
    other = _leaves(*returned)
    if root == "loop_carry":  # of fori_loop, which carries its counter and its bound before it
        root, one, other = "carry", _last(one), _last(other)
    return _compared(root, ("given", "returned"), one, other)


def _branches(frame_locals: Mapping[str, Any]) -> ComparedTrees:
    """The results of branches. `name1` and `out_avals1` were seen on 0.6.2 to 0.12.0, and
    `out_tree1` on 0.6.2."""
    sides = name(frame_locals["name1"]), name(frame_locals["name2"])
    one, other = (
        _leaves(frame_locals[f"out_avals{n}"], frame_locals.get(f"out_tree{n}")) for n in (1, 2)
    )
    return _compared("", sides, one, other)


_READ = {"_check_carry_type": _carried, "_check_branch_outputs": _branches}


def _leaves(avals: Any, tree: Any = None) -> Avals:
    """The leaves of avals and their tree, or of a `FlatTree`, which is both."""
    return _types(avals.unflatten() if tree is None else tree_unflatten(tree, avals))


def _types(whole: Any) -> Avals:
    found, _ = tree_flatten_with_path(whole)
    return {
        tuple(name(path_text((key,))) for key in path): (
            leaf if is_a(leaf, AbstractValue) else typeof(leaf)
        )
        for path, leaf in found
    }


def _last(leaves: Avals) -> Avals:
    last = max((keys[0] for keys in leaves), default="")
    return {keys[1:]: aval for keys, aval in leaves.items() if keys[0] == last}


def _compared(root: str, sides: tuple[str, str], one: Avals, other: Avals) -> ComparedTrees:
    """The types as JAX prints them. If two different types have the same text, they differ in their
    mesh, which is added."""
    unlike = [keys for keys in one if keys in other and not _fit(one[keys], other[keys])]
    alike = {keys for keys in unlike if aval_text(one[keys]) == aval_text(other[keys])}
    first, second = (
        {keys: name(aval_text(aval) + _mesh(aval) * (keys in alike)) for keys, aval in side.items()}
        for side in (one, other)
    )
    return ComparedTrees(root, sides, first, second, unlike)


def _fit(one: Any, other: Any) -> bool:
    """True if two types are equal to JAX. It ignores weak types, and a split if one of them has no
    mesh.

    `typematch` was seen on 0.6.2 to 0.12.0; without it two types fit if their texts are equal.
    """
    try:
        return _TYPEMATCH(one, other)
    except Exception:
        return aval_text(one) == aval_text(other)


def _mesh(aval: Any) -> str:
    """The mesh of a type: ` on d=4`; empty if it has none."""
    mesh = getattr(getattr(aval, "sharding", None), "mesh", None)
    sizes = getattr(mesh, "shape", None) or {}
    return " on " + ", ".join(f"{axis}={size}" for axis, size in sizes.items()) if sizes else ""


MOST_FUNCTIONS = 200
"""The limit of functions that are searched for a custom rule."""
_OF_BWD = re.compile(r"Custom VJP bwd rule")
_OF_JVP = re.compile(r"Custom JVP rule")


def failing_rule(error: BaseException) -> tuple[CodeType, int] | None:
    """The `return` of the rule that an exception of JAX is about; None if it is unknown."""
    for pattern, kind, field in (
        (_OF_BWD, jax.custom_vjp, "bwd"),
        (_OF_JVP, jax.custom_jvp, "jvp"),
    ):
        if pattern.search(message_of(error)):
            rules = [attribute(one, field) for one in _custom(error, kind)]
            found = [_returning(rule) for rule in rules if is_a(rule, FunctionType)]
            return found[0] if len(found) == 1 else None
    return None


def _custom(error: BaseException, kind: type) -> list[Any]:
    """The functions with custom rules that the user's lines reach by their names.

    The fields `bwd` of `custom_vjp` and `jvp` of `custom_jvp` were seen on 0.6.2 to 0.12.0.
    """
    found: dict[int, Any] = {}
    seen: set[CodeType] = set()
    waiting = [
        (entry.tb_frame.f_code, variables(entry))
        for entry in entries(traceback_of(error))
        if file_kind(entry.tb_frame.f_code.co_filename) == "own"
    ]
    while waiting and len(seen) < MOST_FUNCTIONS:
        code, names = waiting.pop()
        for value in _read(code, names, seen):
            if is_a(value, kind):
                found[id(value)] = value
            function = unwrapped(value) if callable(value) else None
            if is_a(function, FunctionType) and _is_new(function.__code__, seen):
                waiting.append((function.__code__, _names(function)))
    some = [one for one in found.values() if _is_named(one, error)]
    return some or [*found.values()]


def _is_new(code: CodeType, seen: set[CodeType]) -> bool:
    return code not in seen and file_kind(code.co_filename) == "own"


def _read(code: CodeType, names: Mapping[str, Any], seen: set[CodeType]) -> Iterator[Any]:
    """The values of the names that a function and the functions within it read."""
    seen.add(code)
    yield from (names[name] for name in (*code.co_names, *code.co_freevars) if name in names)
    for part in code.co_consts:
        if is_a(part, CodeType):
            yield from _read(part, names, seen)


def _names(function: FunctionType) -> ChainMap[str, Any]:
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    values: dict[str, Any] = {}
    for free, cell in closure.items():
        with suppress(ValueError):  # a cell that is still empty
            values[free] = cell.cell_contents
    return ChainMap(values, function.__globals__)


def _is_named(one: Any, error: BaseException) -> bool:
    """True if the message names a function or one of its rules."""
    rules = (one, attribute(one, "bwd"), attribute(one, "jvp"))
    names = {attribute(rule, "__name__", "") for rule in rules} - {"", "<lambda>"}
    return any(re.search(rf"\b{re.escape(name)}\b", message_of(error)) for name in names)


def _returning(rule: FunctionType) -> tuple[CodeType, int]:
    """The last return instruction of a function. For a lambda the one before it, which has the
    place of the expression."""
    made = [*dis.get_instructions(rule)]
    last = [n for n, one in enumerate(made) if one.opname.startswith("RETURN_")][-1]
    return rule.__code__, made[last - (rule.__name__ == "<lambda>")].offset
