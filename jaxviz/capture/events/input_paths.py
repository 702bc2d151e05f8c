"""Finds the user's paths of a jaxpr's inputs if a library's wrapper was traced.

JAX names the inputs after the wrapper's arguments, such as `dynamic_donate['first'][0]`. The user
knows them as `model.layers[0].weight`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from jax.tree_util import tree_flatten_with_path, tree_leaves

from jaxviz.capture._events import Call
from jaxviz.capture.calls.flax_nnx import is_module, parts_of
from jaxviz.capture.calls.libraries import Filtered, applied_signature
from jaxviz.capture.events.describe import arguments_of
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name

WRAPPING = ("equinox", "flax")
"""The packages whose wrappers JAX names inputs after."""


def paths_of(made: Call, call: Call) -> dict[str, str]:
    """The user's path of each input, by the path that JAX has. `made` is the call of the wrapper
    that JAX traced, `call` the user's. Empty if the paths are the same, as they are where no
    package of `WRAPPING` was imported."""
    if not any(package in sys.modules for package in WRAPPING):
        return {}
    if isinstance(call.options, Filtered):
        return _filtered_paths(made, call)
    paths: dict[str, str] = {}
    if not any(
        is_module(leaf) for leaf in tree_leaves((call.args, call.kwargs), is_leaf=is_module)
    ):
        return _handed_on(call) if applied_signature(call.fun) else paths
    for argument, _, static, value in arguments_of(call):
        found = [] if static else tree_flatten_with_path(value, is_leaf=is_module)[0]
        for path, leaf in found:
            at = argument + path_text(path)
            parts = parts_of(leaf, at) if is_module(leaf) else None
            for i, own in enumerate(parts.leaves if parts else ()):
                paths[name(f"{at}.states[0][{i}]")] = name(own)
    return paths


def _handed_on(call: Call) -> dict[str, str]:
    """The paths for a method such as Flax's `apply`, which passes its arguments on as `args[0]`,
    `args[1]`. The first it does not pass on, unless a partial holds that already."""
    kept = 0 if is_a(call.fun, partial) and call.fun.args else 1
    own = [argument for argument, how, *_ in arguments_of(call) if how == "position"][kept:]
    paths: dict[str, str] = {}
    for i, (argument, value) in enumerate(zip(own, call.args[kept:], strict=True)):
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
        for part, known in (("first", first), ("rest", rest)):
            paths |= {f"{group}['{part}'][{i}]": path for i, path in enumerate(known)}
    return paths


def _leaf_paths(values: Sequence[Any], names: Sequence[str]) -> list[str]:
    given = [value for value in values if value is not None]
    return [
        name(argument + path_text(path))
        for argument, value in zip(names, given, strict=False)
        for path, _ in tree_flatten_with_path(value)[0]
    ]
