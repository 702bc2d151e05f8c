"""A call, traced: what `jax.make_jaxpr` does, through the function's own cache."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
from jax.extend.core import ClosedJaxpr

from jaxviz.capture._jax import transforms
from jaxviz.capture.avals import aval_record
from jaxviz.capture.errors import CaptureError, explained
from jaxviz.capture.jaxpr import debug_paths, stage_of
from jaxviz.capture.later import Later
from jaxviz.capture.listing import listings_of
from jaxviz.capture.looking import looking
from jaxviz.capture.source import Sources
from jaxviz.capture.strings import name, without_values
from jaxviz.schema import VERSION, Leaf, Program


class Captured(NamedTuple):
    """A call's program, and what its later stages are made from."""

    program: Program
    later: Later


def capture(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    static_argnums: Any = None,
    static_argnames: Any = None,
    keep: bool = False,
) -> Captured:
    """The program of a call, and what is needed to lower and compile it later. Nothing executes,
    and of the arguments nothing is kept; of the arrays that the function closes over 16 MiB, or all
    with `keep`.

    Raises `CaptureError`, with the user's own exception as its cause.
    """
    title = function_name(fun)
    try:
        with looking():
            traced = _traceable(fun, title, static_argnums, static_argnames).trace(*args, **kwargs)
    except CaptureError:
        raise
    except Exception as error:
        raise explained(error, fun, args, kwargs, title) from error
    if not hasattr(traced, "jaxpr"):
        traced = traced.traced  # what flax.nnx.jit returns holds that of jax.jit
    closed: ClosedJaxpr = traced.jaxpr
    named, returned = debug_paths(closed.jaxpr)
    inputs = _filled(named, traced.args_info, "args")
    outputs = _filled(returned, traced.out_info, "result")
    program = program_of(closed, title, inputs, outputs)
    return Captured(program, Later(traced, program.stages[0], keep))


def program_of(closed: ClosedJaxpr, title: str, inputs: list[str], outputs: list[str]) -> Program:
    """The records of a jaxpr, with the user's paths of its inputs and outputs."""
    sources = Sources()
    with without_values():
        stage = stage_of(closed, title, inputs, outputs, sources)
    return Program(
        version=VERSION,
        jax=jax.__version__,
        name=title,
        args=_leaves(inputs, closed.in_avals),
        results=_leaves(outputs, closed.out_avals),
        listings=listings_of(sources),
        stages=[stage],
        compared=None,
    )


def _traceable(fun: Any, title: str, static_argnums: Any, static_argnames: Any) -> Any:
    """The function as something with `.trace`: itself where it is jitted."""
    if not callable(fun):
        raise CaptureError(
            f"inspect() takes a function, and got {_kind(fun)}: "
            "pass the function itself, as in jaxviz.inspect(f)(x)."
        )
    if not is_jitted(fun):
        return jax.jit(fun, static_argnums=static_argnums, static_argnames=static_argnames)
    if static_argnums is not None or static_argnames is not None:
        raise CaptureError(
            f"{title} is jitted already, and its static arguments were given there: "
            "leave out static_argnums and static_argnames, or pass the function before jax.jit."
        )
    return fun


def is_jitted(fun: Any) -> bool:
    """Whether the function traces through a cache of its own, as what `jax.jit` returns."""
    return hasattr(fun, "trace") and hasattr(fun, "lower")


def function_name(fun: Any) -> str:
    """The function's name with the transformations around it: `grad(loss)`."""
    while isinstance(fun, functools.partial):
        fun = fun.func
    around, fun = transforms(fun)
    while isinstance(fun, functools.partial):
        fun = fun.func
    found = getattr(fun, "__name__", None)
    inner = name(found) if isinstance(found, str) else type(fun).__name__
    return "".join(f"{outer}(" for outer in around) + inner + ")" * len(around)


def _kind(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"


def _filled(paths: list[str], tree: Any, root: str) -> list[str]:
    """Where JAX does not name a leaf, its path in the tree does."""
    if all(paths):
        return paths
    keys = [name(root + jax.tree_util.keystr(path)) for path, _ in _flat(tree)]
    if len(keys) != len(paths):
        keys = [f"{root}[{i}]" for i in range(len(paths))]
    return [path or key for path, key in zip(paths, keys, strict=True)]


def _flat(tree: Any) -> list[tuple[Any, Any]]:
    return jax.tree_util.tree_flatten_with_path(tree)[0]


def _leaves(paths: list[str], avals: Any) -> list[Leaf]:
    return [
        Leaf(path=path, aval=aval_record(aval)) for path, aval in zip(paths, avals, strict=True)
    ]
