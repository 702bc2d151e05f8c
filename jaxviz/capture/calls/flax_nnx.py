"""Reads modules of Flax NNX, and restores them after a trace that failed. Seen on Flax 0.11 and
0.12.

`nnx.jit` passes JAX the leaves of a module without names, and a graph that says where they belong.
The user's paths come from this graph. If a class is missing, JAX's names are used.

`nnx.jit` empties a module, then fills it with the state after the call. If another function closes
over the module, a trace fails in between and would leave the user's module empty.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from jax.tree_util import (
    tree_flatten_with_path,
    tree_leaves,
    tree_structure,
    tree_unflatten,
)

from jaxviz.capture.calls.libraries import is_nnx_node
from jaxviz.capture.changes import changed
from jaxviz.capture.jaxprs.walk import SEEN, parts
from jaxviz.capture.shown.objects import is_a, module_of, title_of
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name


class Parts(NamedTuple):
    """The arrays and other attributes of a module, by the user's paths."""

    leaves: list[str]
    """The paths of its arrays, in JAX's order."""
    attributes: list[tuple[str, Any]]
    """Attributes that are not arrays."""
    variables: list[tuple[str, Any]]
    """Its variables, without their arrays."""
    kinds: list[type]
    """The classes of its nodes."""

    def statics(self) -> Iterator[tuple[str, Any]]:
        """All parts that are not arrays. If one changes, JAX retraces."""
        for path, variable in self.variables:
            yield from _of_variable(path, variable)
        yield from self.attributes


def is_module(value: Any) -> bool:
    """True for an `extract.NodeStates`, which `nnx.jit` makes of a module."""
    return title_of(type(value)) == "NodeStates" and module_of(type(value)).startswith("flax.nnx")


def parts_of(value: Any, path: str) -> Parts | None:
    """The parts of a module, read from `value._graphdef`; None if that has an unknown form."""
    parts = Parts([], [], [], [])
    try:
        graph = value._graphdef
        _read(path, iter(graph.nodes), iter(graph.attributes), parts)
    except (AttributeError, TypeError, StopIteration, RuntimeError):
        return None
    return parts


def _read(path: str, nodes: Iterator[Any], attributes: Iterator[Any], parts: Parts) -> None:
    """Adds a node and all nodes below it to `parts`, in the order of
    `graphlib._graph_unflatten`."""
    waiting = [path]
    pending: list[tuple[str, int]] = []
    while waiting or pending:
        if waiting:
            at, node = waiting.pop(), next(nodes)
            kind = title_of(type(node))
            if kind == "VariableDef":
                parts.leaves.append(at)
                parts.variables.append((at, node))
            elif kind == "NodeDef":
                parts.kinds.append(node.type)
                pending.append((at, node.num_attributes))
            continue
        at, left = pending.pop()
        if not left:
            continue
        pending.append((at, left - 1))
        key, attribute = next(attributes)
        step = f"[{key}]" if is_a(key, int) else f".{key}"
        kind = title_of(type(attribute))
        if kind == "NodeAttr":
            waiting.append(at + step)
        elif kind == "Static":
            if not str(key).startswith("_pytree__"):
                parts.attributes.append((at + step, attribute.value))
        else:
            parts.leaves.append(at + step)


_SETTINGS = frozenset(("hijax", "ref", "eager_sharding"))
"""Metadata that Flax adds to every variable from its flags."""


def _of_variable(path: str, node: Any) -> Iterator[tuple[str, Any]]:
    """The class of a variable, and the metadata that the user passed: `nnx.Param(w, tag="a")`."""
    yield f"{path}.type", node.type
    for key, value in dict(node.metadata).items():
        if key not in _SETTINGS:
            yield f"{path}.{key}", value


def users_paths(
    traced: Any, names: list[str], inputs: list[str], outputs: list[str]
) -> tuple[list[str], list[str]]:
    """The paths of a call's inputs and outputs, with the user's paths within modules (seen on Flax
    0.12). `names` are the user's names of the arguments. A part that differs has JAX's path.

    `nnx.jit` returns the arguments and the keywords after the call, then the result.
    """
    try:
        arguments = tree_unflatten(traced.in_tree, inputs)
        if not any(map(is_module, tree_leaves(arguments, is_leaf=is_module))):
            return [_argument(path, names) for path in inputs], outputs
        returned = tree_unflatten(tree_structure(traced.out_info), outputs)
    except (AttributeError, TypeError, ValueError):
        return inputs, outputs
    within = [_argument(path, names) for path in _within(arguments)]
    return within, [_result(path, names) for path in _within(returned)]


def _within(tree: Any) -> Iterator[str]:
    """The paths of the leaves of a tree whose leaves are JAX's paths."""
    for _, part in tree_flatten_with_path(tree, is_leaf=is_module)[0]:
        if not is_module(part):
            yield part
            continue
        leaves = tree_flatten_with_path(part)[0]
        parts = parts_of(part, "")
        leaf_paths = parts.leaves if parts and len(parts.leaves) == len(leaves) else None
        for i, (keys, path) in enumerate(leaves):
            yield path if leaf_paths is None else path.removesuffix(path_text(keys)) + leaf_paths[i]


def _argument(path: str, names: list[str]) -> str:
    """A path with the user's name of the argument: `model.bias` for `args[0].bias`. To JAX, the
    function has only `*args`."""
    found = re.match(r"args\[(\d+)\]", path)
    own = any(argument.partition("[")[0] == "args" for argument in names)
    if found is None or own or int(found[1]) >= len(names):
        return path
    return name(names[int(found[1])] + path[found.end() :])


def _result(path: str, names: list[str]) -> str:
    """The path of an output: `result` for the user's result, and the argument's name for a module
    that the call updated."""
    found = re.match(r"result(\[0\]\[(\d+)\]|\[1\]\['(\w+)'\]|\[2\])", path)
    if found is None or (found[2] and int(found[2]) >= len(names)):
        return path
    own = names[int(found[2])] if found[2] else found[3] or "result"
    return name(own + path[found.end() :])


@contextmanager
def restored_modules(fun: Any) -> Iterator[None]:
    """Restores the attributes of each module that the function reaches, if the trace fails."""
    before = [(vars(node), {**vars(node)}) for node in _nodes(fun)]
    is_traced = False

    def restore() -> None:
        for now, attributes in [] if is_traced else before:
            now.clear()
            now.update(attributes)

    with changed(lambda: None, restore):
        yield
        is_traced = True


def _nodes(fun: Any) -> list[Any]:
    """The modules that a function reaches through its closure and the globals that it names."""
    if "flax.nnx" not in sys.modules:
        return []
    seen = {id(fun)}
    waiting = [fun]
    for value in waiting:
        for part in (*parts(value), *_globals(value)):
            if id(part) not in seen and len(seen) < SEEN and not is_a(part, type, ModuleType):
                seen.add(id(part))
                waiting.append(part)
    return [value for value in waiting if is_nnx_node(value)]


def _globals(value: Any) -> Iterator[Any]:
    if is_a(value, FunctionType):
        names = value.__globals__
        yield from (names[name] for name in value.__code__.co_names if name in names)
