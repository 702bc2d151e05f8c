"""Finds the user's paths for the inputs and outputs of `nnx.jit`, which hands JAX the leaves of
modules without names. A graph beside them says where they belong in the module."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jax.tree_util import (
    keystr,
    tree_flatten_with_path,
    tree_leaves,
    tree_structure,
    tree_unflatten,
)

from jaxviz.capture.modules import is_module, parts_of
from jaxviz.capture.strings import name


def users_paths(
    traced: Any, names: list[str], inputs: list[str], outputs: list[str]
) -> tuple[list[str], list[str]]:
    """The paths of a call's inputs and outputs, those of modules as the user writes them, seen on
    Flax 0.12. `names` are the user's own of the arguments. What is not as seen there has JAX's.

    `nnx.jit` returns the arguments and the keywords as they are after the call, then the result.
    """
    try:
        given = tree_unflatten(traced.in_tree, inputs)
        returned = tree_unflatten(tree_structure(traced.out_info), outputs)
    except (AttributeError, TypeError, ValueError):
        return inputs, outputs
    within = [_argument(path, names) for path in _within(given)]
    if not any(is_module(part) for part in tree_leaves(given, is_leaf=is_module)):
        return within, outputs
    return within, [_result(path, names) for path in _within(returned)]


def _within(tree: Any) -> Iterator[str]:
    """The paths of the leaves of a tree whose leaves are JAX's paths."""
    for _, part in tree_flatten_with_path(tree, is_leaf=is_module)[0]:
        if not is_module(part):
            yield part
            continue
        leaves = tree_flatten_with_path(part)[0]
        parts = parts_of(part, "")
        known = parts.leaves if parts and len(parts.leaves) == len(leaves) else None
        for i, (keys, path) in enumerate(leaves):
            yield path if known is None else path.removesuffix(keystr(keys)) + known[i]


def _argument(path: str, names: list[str]) -> str:
    """A path such as `args[0].bias`, from a function that JAX sees as `f(*args)`, with the user's
    own name for the argument."""
    found = re.match(r"args\[(\d+)\]", path)
    own = any(argument.partition("[")[0] == "args" for argument in names)
    if found is None or own or int(found[1]) >= len(names):
        return path
    return name(names[int(found[1])] + path[found.end() :])


def _result(path: str, names: list[str]) -> str:
    """The path of an output: `result` for the user's own result, and the argument's name for a
    module that the call updated."""
    found = re.match(r"result(\[0\]\[(\d+)\]|\[1\]\['(\w+)'\]|\[2\])", path)
    if found is None or (found[2] and int(found[2]) >= len(names)):
        return path
    own = names[int(found[2])] if found[2] else found[3] or "result"
    return name(own + path[found.end() :])
