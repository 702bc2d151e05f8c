"""Reads private names of JAX's own functions (the user's function in a ufunc, a loop or a pmap) and
of traced values. Each name has the versions that it was seen on, and a fallback: if a local
variable of a loop is missing, that trace is not recorded."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from jax.core import Tracer
from jax.numpy import ufunc

from jaxviz.capture._events import locals_of, names_of
from jaxviz.capture._jax import JAX_FOLDER
from jaxviz.capture.shown.objects import attribute, inherits, title_of


def is_written_in_jax(fun: Any) -> bool:
    """True if the function's own code is in JAX's files."""
    return type(fun) is FunctionType and fun.__code__.co_filename.startswith(JAX_FOLDER)


def under_ufunc(fun: Any) -> Any:
    """The function that a `jax.numpy.ufunc` applies, whose parameters have names.

    `ufunc._func` was seen on 0.6.2 to 0.12.0. The fallback is the ufunc itself, whose arguments
    are called `args[0]`.
    """
    return getattr(fun, "_func", fun) if inherits(type(fun), ufunc) else fun


def updated_at(fun: Any) -> tuple[Any, Any] | None:
    """The array and the index of a method of `x.at[index]`; None for any other function.

    The class `_IndexUpdateRef`, with `array` and `index`, was seen on 0.6.2 to 0.12.0. Without it
    the array is closed over.
    """
    update: Any = attribute(fun, "__self__")
    if title_of(type(update)) != "_IndexUpdateRef":
        return None
    return update.array, update.index


def is_tracing() -> bool:
    """True if this thread is within a trace.

    `core.trace_state_clean` was seen on 0.6.2 to 0.12.0. Without it, a leaked value is found only
    when the program is called.
    """
    try:
        from jax._src.core import trace_state_clean
    except ImportError:
        return True
    return not trace_state_clean()


def closed_over_tracers(traced: Any) -> list[Any]:
    """The traced values that a `Traced` closes over: the first inputs of its jaxpr.

    `Traced._consts` was seen on 0.8 to 0.12.0; 0.6.2 has them first in `_args_flat`. Without
    either there are none.
    """
    consts = getattr(traced, "_consts", None)
    if consts is None:
        consts = (getattr(traced, "_args_flat", None) or ())[: getattr(traced, "_num_consts", 0)]
    return [const for const in consts if isinstance(const, Tracer)]


PRIMITIVES = ("scan", "while", "cond")


class LoopBody(NamedTuple):
    """A function that a loop or a branch traced, and its jaxpr."""

    name: str
    """The name of JAX's function: `scan`."""
    fun: Any
    jaxpr: Any
    names: list[str]
    """The user's paths of the jaxpr's inputs."""


class Row(NamedTuple):
    """The local variables of functions and of their jaxprs in a function of JAX."""

    name: str
    functions: tuple[str, ...]
    jaxprs: tuple[str, ...]


ROWS = {
    "scan": Row("scan", ("f",), ("jaxpr",)),
    "while_loop": Row("while_loop", ("cond_fun", "body_fun"), ("cond_jaxpr", "body_jaxpr")),
    "cond": Row("cond", ("true_fun", "false_fun"), ("true_jaxpr", "false_jaxpr")),
    "_cond": Row("cond", ("true_fun", "false_fun"), ("true_jaxpr", "false_jaxpr")),
    "_switch_internal": Row("switch", ("branches",), ("jaxprs",)),
}
WRAPPERS = {"fori_loop": "body_fun", "map": "f"}
"""Functions of JAX that wrap the user's function before they call those above, with the local
variable of the user's function."""


def traced_by_loop(frame: FrameType | None) -> list[LoopBody]:
    """The bodies that the nearest loop or branch on the stack traced, with the user's function in
    place of JAX's wrapper around it."""
    names = (*ROWS, *WRAPPERS)
    found: list[LoopBody] = []
    for name, variables in locals_of(frame, names):
        if not found and name in ROWS:
            found = list(_traced(ROWS[name], variables))
        elif found and name in WRAPPERS and found[0].name in ("scan", "while_loop"):
            return [_unwrapped(name, variables.get(WRAPPERS[name]), found[-1])]
    return found


def _unwrapped(name: str, fun: Any, body: LoopBody) -> LoopBody:
    """The body with the user's function. On 0.6 `fori_loop` names its inputs `loop_carry[1]`; later
    versions use the function's parameters."""
    try:
        index, carry, *_ = inspect.signature(fun).parameters
    except (TypeError, ValueError):
        return body._replace(name=name, fun=fun)
    last = "loop_carry[1]" if body.name == "scan" else "loop_carry[2]"
    parameters = {"loop_carry[0]": index, last: carry}
    names = [parameters.get(path[:13], path[:13]) + path[13:] for path in body.names]
    return LoopBody(name, fun, body.jaxpr, names)


def _traced(row: Row, variables: dict[str, Any]) -> Iterator[LoopBody]:
    functions = _flat(variables.get(name) for name in row.functions)
    jaxprs = _flat(variables.get(name) for name in row.jaxprs)
    for fun, jaxpr in zip(functions, jaxprs, strict=False):
        if jaxpr is not None:
            opened = getattr(jaxpr, "jaxpr", jaxpr)
            yield LoopBody(row.name, fun, opened, _moved(names_of(opened), variables))


def _moved(names: list[str], variables: dict[str, Any]) -> list[str]:
    """The names in the order of the inputs. `scan` moves inputs that it does not change to the
    front, by `move_to_const`. On 0.6 the names keep their order in `dbg_body`."""
    moved, before = (
        variables.get("move_to_const"),
        getattr(variables.get("dbg_body"), "arg_names", ()),
    )
    if not moved or tuple(names) != before:
        return names
    carried = list(zip(names, moved, strict=False))
    ordered = [*(name for name, is_moved in carried if is_moved)]
    ordered += [name for name, is_moved in carried if not is_moved]
    return ordered + names[len(moved) :]


def pmapped(fun: Any) -> tuple[Any, Any] | None:
    """The function that `jax.pmap` maps and the tree of its arguments; None for any other function.
    From 0.8 on they are `fun` and `in_tree` of the closure that `_cached_shard_map` makes."""
    code = attribute(fun, "__code__")
    if getattr(code, "co_qualname", "") != "_cached_shard_map.<locals>._fun":
        return None
    try:
        closed = dict(zip(fun.__code__.co_freevars, fun.__closure__, strict=True))
        return closed["fun"].cell_contents.f, closed["in_tree"].cell_contents
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def _flat(values: Iterator[Any]) -> list[Any]:
    flat: list[Any] = []
    for value in values:
        flat += value if isinstance(value, list | tuple) else [value]
    return flat
