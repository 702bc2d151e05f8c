"""Describes static arguments, and the static parts of pytrees: their text (`shown_values.py`), and
numbers that differ if two of them do (`digests.py`).

JAX compares static arguments by hash and equality. The description has a number for the whole
value, and the text and a digest of each field, but never a value itself.

The user's classes are numbered: a class whose cell ran again is another class, for which JAX
retraces.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from functools import cache, partial
from itertools import count
from types import FunctionType, MethodType
from typing import Any, NamedTuple

from jax.tree_util import PyTreeDef

from jaxviz.capture._jax import meta_fields
from jaxviz.capture.shown.digests import PLAIN, digest, hash_of
from jaxviz.capture.shown.objects import (
    FUNCTIONS,
    PARTIAL,
    Types,
    class_attribute,
    compared_fields,
    dataclass_fields,
    inherits,
    is_class,
    is_library_type,
    module_of,
    namespace_of,
    qualified_of,
    slots_of,
    title_of,
    vars_of,
)
from jaxviz.capture.shown.shown_values import SEQUENCES, Reading, readable, shown, sized, type_name
from jaxviz.capture.shown.source import cell_of, cells_run, file_kind, file_label
from jaxviz.capture.shown.strings import name, names_secret
from jaxviz.capture.weak import Weak
from jaxviz.schema import Sentence, Words
from jaxviz.schema.signature import Class, Field, Place, Static
from jaxviz.sentences import sentence

_NOT_THE_USERS = frozenset(("builtins", "enum", "functools", "types", "collections"))
_classes_seen: Weak[Class] = Weak()
_numbers = count()


def class_of(kind: type) -> Class | None:
    """The record of a class that the user wrote; None for classes of Python and packages."""
    found = _classes_seen.get(kind)
    if found is None and is_users(kind):
        key = name(f"{module_of(kind)}.{qualified_of(kind)}")
        found = Class(name(title_of(kind)), key, next(_numbers), _place(kind))
        _classes_seen.set(kind, found)
    return found


def is_users(kind: type) -> bool:
    """True if a class is written in a cell or a file of the user."""
    module = module_of(kind)
    if module in _NOT_THE_USERS:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return module == "__main__" or not isinstance(file, str) or file_kind(file) == "own"


def _place(kind: type) -> Place | None:
    """The line that defines the class: in the file of one of its methods, in the user's module,
    or in the latest cell that defines a class of this name."""
    title = re.escape(title_of(kind))
    defines = re.compile(rf"\s*(class\s+{title}\b|{title}\s*=)")
    for file in _files(kind):
        for number, line in enumerate(linecache.getlines(file), 1):
            if defines.match(line):
                cell = cell_of(file)
                return Place(file, number, name(file_label(file, cell)), cell.offset)
    return None


def _files(kind: type) -> Iterator[str]:
    for member in namespace_of(kind).values():
        if type(member) is FunctionType and file_kind(member.__code__.co_filename) == "own":
            yield member.__code__.co_filename
    file = getattr(sys.modules.get(module_of(kind)), "__file__", None)
    if isinstance(file, str) and file_kind(file) == "own":
        yield file
    yield from cells_run()


FIELDS = 200
"""The limit of fields that are read of one value."""
LEVELS = 4
_CONTAINERS = Types(list, tuple, dict)


def static_of(value: Any) -> Static:
    """The description of a static value."""
    reading = Reading()
    fields = tuple(_fields(value, reading))
    found = type_name(value), shown(value), hash_of(value), tuple(field for field, _ in fields)
    return Static(*found, _package(value), False, _classes([value, *(part for _, part in fields)]))


def _package(value: Any) -> str:
    """The package of an object's type, or of a function."""
    if type(value) is FunctionType:
        module: Any = value.__module__
        return module.partition(".")[0] if type(module) is str else ""
    kind = type(value)
    return "" if is_users(kind) else module_of(kind).partition(".")[0]


def _classes(values: Iterable[Any]) -> tuple[Class, ...]:
    """The user's classes among the types of these values and of the objects of methods."""
    kinds: dict[int, type] = {}
    for one in values:
        kind = one if is_class(one) else type(one.__self__ if type(one) is MethodType else one)
        kinds[id(kind)] = kind
    found = (class_of(kind) for kind in kinds.values())
    return tuple(dict.fromkeys(one for one in found if one is not None))


def named_static(argument: str, value: Any) -> Static:
    """Like `static_of`, for an argument whose name may say that its value is a secret."""
    static = static_of(value)
    if type(value) is str and names_secret(argument):
        return replace(static, text=sized(value), fields=())
    return static


def _fields(value: Any, reading: Reading) -> Iterator[tuple[Field, Any]]:
    """The fields of a value at any depth, with their values, outer ones first: `.lr`, `['lr']`,
    `[0].name`."""
    waiting: list[tuple[str, Any, bool, int]] = [("", value, False, 0)]
    seen = {id(value)}
    count = 0
    for path, outer, hidden, level in waiting:
        for step, part in _parts(outer):
            count += 1
            if count > FIELDS:
                return
            secret = hidden or names_secret(step.strip(".[]'\""))
            text = name(readable(part, 1, True, reading)) if secret else shown(part, reading)
            yield Field(path + step, text, digest(part)), part
            if level < LEVELS and id(part) not in seen and _has_parts(part):
                seen.add(id(part))
                waiting.append((path + step, part, secret, level + 1))


def _has_parts(value: Any) -> bool:
    kind = type(value)
    return not (kind in PLAIN or kind in FUNCTIONS or inherits(kind, type, PyTreeDef, Enum))


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of an object, each with its path as code (`.lr`). None of the object's code
    runs."""
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
    elif not _has_parts(value) or is_library_type(kind):
        return
    elif inherits(kind, tuple) and type(names := namespace_of(kind).get("_fields")) is tuple:
        yield from zip((f".{field}" for field in names), tuple.__iter__(value), strict=False)
    else:
        compared = compared_fields(kind)
        parts = [*vars_of(value).items(), *slots_of(value)]
        own = ((key, part) for key, part in parts if type(key) is str)
        yield from ((f".{key}", part) for key, part in own if compared is None or key in compared)


def _is_empty(aux_data: Any) -> bool:
    kind = type(aux_data)
    return aux_data is None or ((kind in PLAIN or kind in _CONTAINERS) and not aux_data)


class Node(NamedTuple):
    """A node of a pytree that is no leaf."""

    path: str
    kind: type
    aux_data: Any
    """Its static data, such as the keys of a dict."""
    children: int


def nodes_of(tree: Any, argument: str) -> list[Node]:
    """The nodes of an argument's pytree that are no leaves."""
    found: list[Node] = []
    waiting = [(argument, tree)]
    for path, node in waiting:
        data = node.node_data()
        if data is None:
            continue
        (kind, aux_data), children = data, node.children()
        found.append(Node(path, kind, aux_data, len(children)))
        steps = _steps(kind, aux_data, len(children))
        waiting += [(path + step, child) for step, child in zip(steps, children, strict=True)]
    return found


def structure(nodes: Iterable[Node]) -> dict[str, Words]:
    """The text of each node, by path: `list of 2`, `dict`, `State`."""
    return {name(node.path): _node_text(node) for node in nodes}


def _node_text(node: Node) -> Words:
    kind, aux_data = node.kind, node.aux_data
    title = sys.intern(name(title_of(kind)))
    if kind in _CONTAINERS:
        if not node.children:
            return _container(f"empty {title}")
        return "dict" if kind is dict else _container(title, node.children)
    if kind is OrderedDict:
        return f"{title} of {', '.join(map(shown, aux_data))}"
    return f"{title}({shown(aux_data[0])})" if kind is defaultdict else title


@cache
def _container(key: str, size: int = 0) -> Sentence:
    """One object for all equal nodes: a signature has many."""
    return sentence(key, size=str(size))


def is_plain(nodes: Iterable[Node]) -> bool:
    """True if all nodes are lists, tuples, and dicts whose keys are strings or integers."""
    return all(
        node.kind in SEQUENCES
        or (
            node.kind is dict and all(type(key) is str or type(key) is int for key in node.aux_data)
        )
        for node in nodes
    )


def static_parts(nodes: Iterable[Node]) -> Iterator[tuple[str, Static]]:
    """The static data of a pytree's nodes, by path: `state.tx`. If the names of a node's fields are
    unknown, all of its data has the path of the node."""
    for path, kind, aux_data, _ in nodes:
        names = _static_fields(kind, aux_data)
        if names is not None:
            for field, part in names:
                yield f"{path}.{field}", replace(static_of(part), is_field=True)
        elif not _is_empty(aux_data) and not inherits(kind, dict):
            title = name(title_of(kind))
            yield path, replace(static_of(aux_data), type=title, text=title, is_field=True)


def classes_in(nodes: Iterable[Node]) -> Iterator[Class]:
    """The user's classes among a pytree's nodes."""
    return (found for node in nodes if (found := class_of(node.kind)) is not None)


def _static_fields(kind: type, aux_data: Any) -> list[tuple[str, Any]] | None:
    """The static fields of a dataclass as JAX, Flax and Equinox register them, with their values.
    If a module wraps a function, Equinox puts the attributes copied from that function before the
    fields."""
    registered = meta_fields(kind)
    if registered is not None and type(aux_data) is tuple and len(registered) == len(aux_data):
        return [*zip(registered, aux_data, strict=True)]
    fields = [field for field in dataclass_fields(kind) if _is_static(field)]
    if type(aux_data) is tuple and aux_data and title_of(type(aux_data[0])) == "_Missing":
        aux_data = aux_data[1:]
    if type(aux_data) is not tuple or len(fields) != len(aux_data):
        return None
    return [(field.name, part) for field, part in zip(fields, aux_data, strict=True)]


def _steps(kind: type, aux_data: Any, count: int) -> Sequence[str]:
    if inherits(kind, dict) and type(aux_data) in SEQUENCES and len(aux_data) == count:
        return [f"[{shown(key)}]" for key in aux_data]
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
    """True if a dataclass field is static: JAX and Equinox mark it with `static=True`, Flax with
    `pytree_node=False`."""
    return field.metadata.get("static") is True or field.metadata.get("pytree_node") is False
