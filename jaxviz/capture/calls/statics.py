"""Describes static arguments and what pytrees hold beside arrays: what is shown of each
(`shown_values.py`), and what tells two apart.

JAX compares static arguments by hash and equality. Kept are a number that tells the whole apart
(`likeness.py`), and for each field the text to show and a digest, but never a value itself.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import cache, partial
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from jax.tree_util import PyTreeDef

from jaxviz.capture._jax import meta_fields
from jaxviz.capture.calls.classes import class_of, is_readers
from jaxviz.capture.shown.likeness import PLAIN, digest, hash_of
from jaxviz.capture.shown.objects import (
    FUNCTIONS,
    PARTIAL,
    Types,
    class_attribute,
    compared_fields,
    dataclass_fields,
    inherits,
    is_class,
    is_librarys,
    module_of,
    namespace_of,
    slots_of,
    title_of,
    vars_of,
)
from jaxviz.capture.shown.shown_values import SEQUENCES, Reading, readable, shown, sized, type_name
from jaxviz.capture.shown.strings import name, names_secret
from jaxviz.schema import Sentence, Words
from jaxviz.schema.signature import Class, Field, Static
from jaxviz.sentences import sentence

FIELDS = 200
"""How many fields of one value are looked at."""
LEVELS = 4
_CONTAINERS = Types(list, tuple, dict)


def static_of(value: Any) -> Static:
    """The description of a static value."""
    reading = Reading()
    fields = tuple(_fields(value, reading))
    found = type_name(value), shown(value), hash_of(value), tuple(field for field, _ in fields)
    return Static(*found, _package(value), False, _classes([value, *(part for _, part in fields)]))


def _package(value: Any) -> str:
    """The package that an object's type is from; of a function, its own."""
    if type(value) is FunctionType:
        module: Any = value.__module__
        return module.partition(".")[0] if type(module) is str else ""
    kind = type(value)
    return "" if is_readers(kind) else module_of(kind).partition(".")[0]


def _classes(values: Iterable[Any]) -> tuple[Class, ...]:
    """The reader's classes of these values, and of the objects whose methods they are."""
    kinds: dict[int, type] = {}
    for one in values:
        kind = one if is_class(one) else type(one.__self__ if type(one) is MethodType else one)
        kinds[id(kind)] = kind
    found = (class_of(kind) for kind in kinds.values())
    return tuple(dict.fromkeys(one for one in found if one is not None))


def named_static(argument: str, value: Any) -> Static:
    """As `static_of`, for an argument with this name, which may say that the value is a secret."""
    static = static_of(value)
    if type(value) is str and names_secret(argument):
        return replace(static, text=sized(value), fields=())
    return static


def _fields(value: Any, reading: Reading) -> Iterator[tuple[Field, Any]]:
    """All fields of a value, at any depth, each with what it holds, outer ones first: `.lr`,
    `['lr']`, `[0].name`."""
    waiting: list[tuple[str, Any, bool, int]] = [("", value, False, 0)]
    known = {id(value)}
    count = 0
    for path, holder, hidden, level in waiting:
        for step, part in _parts(holder):
            count += 1
            if count > FIELDS:
                return
            secret = hidden or names_secret(step.strip(".[]'\""))
            yield Field(path + step, _text(part, secret, reading), digest(part)), part
            if level < LEVELS and id(part) not in known and _has_parts(part):
                known.add(id(part))
                waiting.append((path + step, part, secret, level + 1))


def _text(value: Any, hidden: bool, reading: Reading) -> str:
    return name(readable(value, 1, hidden, reading)) if hidden else shown(value, reading)


def _has_parts(value: Any) -> bool:
    kind = type(value)
    return not (kind in PLAIN or kind in FUNCTIONS or inherits(kind, type, PyTreeDef, Enum))


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of an object, each with how one would write it (`.lr`). They are read without
    running the object's own code."""
    kind = type(value)
    if kind in SEQUENCES:
        yield from ((f"[{i}]", part) for i, part in enumerate(value))
    elif inherits(kind, dict):
        yield from ((f"[{shown(key)}]", part) for key, part in dict.items(value))
    elif inherits(kind, partial):
        yield ".func", PARTIAL["func"].__get__(value)
        yield from ((f".args[{i}]", part) for i, part in enumerate(PARTIAL["args"].__get__(value)))
        keywords = PARTIAL["keywords"].__get__(value)
        yield from ((f".keywords[{shown(key)}]", part) for key, part in keywords.items())
    elif not _has_parts(value) or is_librarys(kind):
        return
    elif inherits(kind, tuple) and type(names := namespace_of(kind).get("_fields")) is tuple:
        yield from zip((f".{field}" for field in names), tuple.__iter__(value), strict=False)
    else:
        compared = compared_fields(kind)
        parts = [*vars_of(value).items(), *slots_of(value)]
        own = ((key, part) for key, part in parts if type(key) is str)
        yield from ((f".{key}", part) for key, part in own if compared is None or key in compared)


def _is_empty(held: Any) -> bool:
    kind = type(held)
    return held is None or ((kind in PLAIN or kind in _CONTAINERS) and not held)


class Node(NamedTuple):
    """A node of a pytree that is no leaf."""

    path: str
    kind: type
    held: Any
    """What it holds beside its children: the keys of a dict."""
    children: int


def nodes_of(tree: Any, argument: str) -> list[Node]:
    """The nodes of an argument's pytree that are no leaves."""
    found: list[Node] = []
    waiting = [(argument, tree)]
    for path, node in waiting:
        known = node.node_data()
        if known is None:
            continue
        kind, held = known
        children = node.children()
        found.append(Node(path, kind, held, len(children)))
        steps = _steps(kind, held, len(children))
        waiting += [(path + step, child) for step, child in zip(steps, children, strict=True)]
    return found


def structure(nodes: Iterable[Node]) -> dict[str, Words]:
    """What each node is, by path: `list of 2`, `dict`, `State`."""
    return {name(node.path): _node_text(node) for node in nodes}


def _node_text(node: Node) -> Words:
    kind, held = node.kind, node.held
    title = sys.intern(name(title_of(kind)))
    if kind in _CONTAINERS:
        if not node.children:
            return _container(f"empty {title}")
        return "dict" if kind is dict else _container(title, node.children)
    if kind is OrderedDict:
        return f"{title} of {', '.join(map(shown, held))}"
    return f"{title}({shown(held[0])})" if kind is defaultdict else title


@cache
def _container(key: str, size: int = 0) -> Sentence:
    """The same object for all nodes that are alike: a signature has many."""
    return sentence(key, size=str(size))


def is_plain(nodes: Iterable[Node]) -> bool:
    """Whether a pytree's nodes are lists, tuples and dicts by name or number alone."""
    return all(
        node.kind in SEQUENCES
        or (node.kind is dict and all(type(key) is str or type(key) is int for key in node.held))
        for node in nodes
    )


def held_by(nodes: Iterable[Node]) -> Iterator[tuple[str, Static]]:
    """What a pytree's nodes hold beside arrays, by path: `state.tx`. Where the names of a node's
    fields are not known, all that it holds comes under the path of the node."""
    for path, kind, held, _ in nodes:
        names = _static_fields(kind, held)
        if names is not None:
            for field, part in names:
                yield f"{path}.{field}", replace(static_of(part), is_field=True)
        elif not _is_empty(held) and not inherits(kind, dict):
            title = name(title_of(kind))
            yield path, replace(static_of(held), type=title, text=title, is_field=True)


def classes_in(nodes: Iterable[Node]) -> Iterator[Class]:
    """The reader's classes among a pytree's nodes."""
    return (found for node in nodes if (found := class_of(node.kind)) is not None)


def _static_fields(kind: type, held: Any) -> list[tuple[str, Any]] | None:
    """The static fields of a dataclass as JAX, Flax and Equinox register them, with their values.
    In Equinox they come after what it copies from a function that a module wraps."""
    known = meta_fields(kind)
    if known is not None and type(held) is tuple and len(known) == len(held):
        return [*zip(known, held, strict=True)]
    fields = [field for field in dataclass_fields(kind) if _is_static(field)]
    if type(held) is tuple and held and title_of(type(held[0])) == "_Missing":
        held = held[1:]
    if type(held) is not tuple or len(fields) != len(held):
        return None
    return [(field.name, part) for field, part in zip(fields, held, strict=True)]


def _steps(kind: type, held: Any, count: int) -> Sequence[str]:
    if inherits(kind, dict) and type(held) in SEQUENCES and len(held) == count:
        return [f"[{shown(key)}]" for key in held]
    meta = meta_fields(kind) or ()
    named = class_attribute(kind, "_fields")
    fields: Any = (type(named) is tuple and named) or [
        field.name
        for field in dataclass_fields(kind)
        if not _is_static(field) and field.name not in meta
    ]
    if len(fields) == count:
        return [f".{field}" for field in fields]
    return [f"[{i}]" for i in range(count)]


def _is_static(field: Any) -> bool:
    """Whether a dataclass field is static: JAX and Equinox mark it with `static=True`, Flax with
    `pytree_node=False`."""
    return field.metadata.get("static") is True or field.metadata.get("pytree_node") is False
