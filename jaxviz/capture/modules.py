"""Reads modules of Flax NNX among arguments: `nnx.jit` hands JAX their leaves, and a graph that
describes the rest.

Seen on Flax 0.12. Where a class is missing, JAX's names are used in place of the user's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Parts(NamedTuple):
    """The arrays and other attributes of a module, by the user's paths."""

    leaves: list[str]
    """The paths of its arrays, in the order in which JAX has them."""
    statics: list[tuple[str, Any]]
    """Attributes that are not arrays. When one changes, JAX traces again."""
    kinds: list[str]


def is_module(value: Any) -> bool:
    """Whether the value is an `extract.NodeStates`, which `nnx.jit` makes of a module."""
    return type(value).__name__ == "NodeStates" and type(value).__module__.startswith("flax.nnx")


def parts_of(value: Any, path: str) -> Parts | None:
    """The parts of a module, read from `value.graphdef`; None if that has an unknown form."""
    parts = Parts([], [], [])
    try:
        graph = value._graphdef
        _read(path, iter(graph.nodes), iter(graph.attributes), parts)
    except (AttributeError, TypeError, StopIteration, RuntimeError):
        return None
    return parts


def _read(path: str, nodes: Iterator[Any], attributes: Iterator[Any], parts: Parts) -> None:
    """Adds a node and all below it to `parts`, reading them as `graphlib._graph_unflatten` does."""
    waiting = [path]
    pending: list[tuple[str, int]] = []
    while waiting or pending:
        if waiting:
            at, node = waiting.pop(), next(nodes)
            kind = type(node).__name__
            if kind == "VariableDef":
                parts.leaves.append(at)
            elif kind == "NodeDef":
                parts.kinds.append(str(getattr(node.type, "__name__", node.type)))
                pending.append((at, node.num_attributes))
            continue
        at, left = pending.pop()
        if not left:
            continue
        pending.append((at, left - 1))
        key, attribute = next(attributes)
        step = f"[{key}]" if isinstance(key, int) else f".{key}"
        kind = type(attribute).__name__
        if kind == "NodeAttr":
            waiting.append(at + step)
        elif kind == "Static":
            if not str(key).startswith("_pytree__"):
                parts.statics.append((at + step, attribute.value))
        else:
            parts.leaves.append(at + step)
