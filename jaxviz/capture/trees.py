"""Describes pytrees of arguments: their structure, and what their nodes hold beside arrays."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from jaxviz.capture.shown import shown, tree_text
from jaxviz.capture.statics import static_of
from jaxviz.capture.strings import name, plain
from jaxviz.signature import Static

TEXT_LIMIT = 20_000
"""How many characters of a pytree's text are kept. Equal texts are kept once."""


def structure(tree: Any) -> str:
    """A pytree's structure as JAX writes it, without the data of the user's own nodes."""
    text = tree_text(tree, data=False)
    if len(text) > TEXT_LIMIT:
        text = f"{text[:TEXT_LIMIT]}… ({hash(text):x})"
    return sys.intern(plain(f"PyTreeDef({text})"))


def held_by(tree: Any, argument: str) -> Iterator[tuple[str, Static]]:
    """What a pytree's nodes hold beside arrays, by path: `state.tx`. Where the names of a node's
    fields are not known, all that it holds comes under the path of the node."""
    waiting = [(argument, tree)]
    while waiting:
        path, node = waiting.pop()
        known = node.node_data()
        if known is None:
            continue
        kind, held = known
        names = _static_fields(kind, held)
        if names is not None:
            yield from ((f"{path}.{field}", static_of(part)) for field, part in names)
        elif held and not issubclass(kind, dict):
            yield path, replace(static_of(held), type=name(kind.__name__), text=name(kind.__name__))
        children = node.children()
        steps = _steps(kind, held, len(children))
        waiting += [(path + step, child) for step, child in zip(steps, children, strict=True)]


def _static_fields(kind: type, held: Any) -> list[tuple[str, Any]] | None:
    """The static fields of a dataclass as JAX, Flax and Equinox register them, with their values.
    In Equinox they come after what it copies from a function that a module wraps."""
    fields = [field for field in _fields(kind) if _is_static(field)]
    if type(held) is tuple and held and type(held[0]).__name__ == "_Missing":
        held = held[1:]
    if type(held) is not tuple or len(fields) != len(held):
        return None
    return [(field.name, part) for field, part in zip(fields, held, strict=True)]


def _steps(kind: type, held: Any, count: int) -> Sequence[str]:
    if issubclass(kind, dict) and isinstance(held, list | tuple) and len(held) == count:
        return [f"[{shown(key)}]" for key in held]
    fields: Any = getattr(kind, "_fields", None) or [
        field.name for field in _fields(kind) if not _is_static(field)
    ]
    if len(fields) == count:
        return [f".{field}" for field in fields]
    return [f"[{i}]" for i in range(count)]


def _fields(kind: type) -> list[Any]:
    found = getattr(kind, "__dataclass_fields__", None)
    return list(found.values()) if isinstance(found, dict) else []


def _is_static(field: Any) -> bool:
    """Whether a dataclass field is static: JAX and Equinox mark it with `static=True`, Flax with
    `pytree_node=False`."""
    return bool(field.metadata.get("static")) or field.metadata.get("pytree_node") is False
