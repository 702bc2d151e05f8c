"""Makes the record of a call: which arguments are donated or split over devices, and what the user
calls its results and the arrays that it closes over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax.sharding import NamedSharding

from jaxviz.capture.avals import spec_text
from jaxviz.capture.called_function import CalledFunction, argument_names
from jaxviz.capture.strings import name
from jaxviz.capture.users_names import closed_over_names, result_names
from jaxviz.schema import Call, Fixed, Leaf


def call_of(
    traced: Any,
    called: CalledFunction,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    leaves: tuple[Sequence[Leaf], Sequence[Leaf]],
    fixed: list[Fixed],
) -> Call:
    """The record of a call that was traced; `leaves` are its inputs and its results. Nothing of the
    user's runs, and no array is read."""
    inputs, results = leaves
    return Call(
        fixed=fixed,
        consts=closed_over_names(called.fun, traced.jaxpr.consts),
        donated=_donated(traced, len(inputs)),
        shardings=_shardings(called, args, kwargs, inputs),
        results=result_names(called, args, kwargs, inputs, results),
    )


def _donated(traced: Any, count: int) -> list[int]:
    infos = jax.tree_util.tree_leaves(traced.args_info)
    if len(infos) != count:
        return []
    return [at for at, info in enumerate(infos) if getattr(info, "donated", False)]


def _shardings(
    called: CalledFunction, args: tuple[Any, ...], kwargs: dict[str, Any], inputs: Sequence[Leaf]
) -> list[str]:
    if not any(map(_spec, jax.tree_util.tree_leaves((args, kwargs)))):
        return []
    values = [*args, *kwargs.values()]
    found = {
        name(argument + jax.tree_util.keystr(keys)): _spec(leaf)
        for argument, value in zip(argument_names(called.fun, args, kwargs), values, strict=True)
        for keys, leaf in jax.tree_util.tree_flatten_with_path(value)[0]
    }
    specs = ["" if one.aval.sharding else found.get(one.path, "") for one in inputs]
    return specs if any(specs) else []


def _spec(leaf: Any) -> str:
    """The partition spec of an array that is split over several devices; empty for others."""
    if not isinstance(leaf, jax.Array | jax.ShapeDtypeStruct):
        return ""
    sharding = leaf.sharding
    if not isinstance(sharding, NamedSharding) or not any(sharding.spec):
        return ""
    return name(spec_text(sharding.spec))
