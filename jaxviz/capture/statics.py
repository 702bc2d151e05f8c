"""Describes static arguments: what is shown of each (`shown.py`), and what tells two apart.

JAX compares static arguments by hash and equality. Kept are the hash of the whole, and for each
field in it the text to show and a digest, but never a value itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from functools import partial
from types import MemberDescriptorType
from typing import Any

from jax.tree_util import PyTreeDef

from jaxviz.capture.secrets import names_secret
from jaxviz.capture.shown import (
    FUNCTIONS,
    PARTIAL,
    SEQUENCES,
    is_librarys,
    readable,
    shown,
    sized,
    type_name,
    vars_of,
)
from jaxviz.capture.strings import name
from jaxviz.signature import Field, Static

FIELDS = 200
"""How many fields of one value are looked at."""
LEVELS = 4

_WHOLE: frozenset[type] = frozenset((bool, int, float, complex, str, bytes, range))


def static_of(value: Any) -> Static:
    """The description of a static value. Of the user's code only its `__hash__` runs."""
    try:
        hashed = hash(value)
    except Exception:
        hashed = 0
    return Static(type_name(value), shown(value), hashed, tuple(_fields(value)))


def named_static(argument: str, value: Any) -> Static:
    """As `static_of`, for an argument with this name, which may say that the value is a secret."""
    static = static_of(value)
    if type(value) is str and names_secret(argument):
        return Static(static.type, sized(value), static.hash, ())
    return static


def _fields(value: Any) -> Iterator[Field]:
    """All fields of a value, at any depth, outer ones first: `.lr`, `['lr']`, `[0].name`."""
    waiting: list[tuple[str, Any, bool, int]] = [("", value, False, 0)]
    known = {id(value)}
    count = 0
    for path, holder, hidden, level in waiting:
        for step, part in _parts(holder):
            count += 1
            if count > FIELDS:
                return
            secret = hidden or names_secret(step.strip(".[]'\""))
            yield Field(path + step, _text(part, secret), _digest(part))
            if level < LEVELS and id(part) not in known and _has_parts(part):
                known.add(id(part))
                waiting.append((path + step, part, secret, level + 1))


def _text(value: Any, hidden: bool) -> str:
    return name(readable(value, 1, hidden)) if hidden else shown(value)


def _has_parts(value: Any) -> bool:
    kind = type(value)
    return kind not in _WHOLE and not isinstance(value, FUNCTIONS | type | PyTreeDef | Enum)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of an object, each with how one would write it (`.lr`). They are read without
    running the object's own code."""
    kind = type(value)
    if kind in SEQUENCES:
        yield from ((f"[{i}]", part) for i, part in enumerate(value))
    elif issubclass(kind, dict):
        yield from ((f"[{shown(key)}]", part) for key, part in dict.items(value))
    elif issubclass(kind, partial):
        yield ".func", PARTIAL["func"].__get__(value)
        yield from ((f".args[{i}]", part) for i, part in enumerate(PARTIAL["args"].__get__(value)))
        keywords = PARTIAL["keywords"].__get__(value)
        yield from ((f".keywords[{shown(key)}]", part) for key, part in keywords.items())
    elif not _has_parts(value) or is_librarys(kind):
        return
    elif issubclass(kind, tuple) and isinstance(names := vars(kind).get("_fields"), tuple):
        yield from zip((f".{field}" for field in names), tuple.__iter__(value), strict=False)
    else:
        yield from ((f".{key}", part) for key, part in vars_of(value).items())
        yield from _slots(value)


def _slots(value: Any) -> Iterator[tuple[str, Any]]:
    for base in type.mro(type(value)):
        for key, member in vars(base).items():
            if isinstance(member, MemberDescriptorType) and not key.startswith("__"):
                try:
                    yield f".{key}", member.__get__(value)
                except AttributeError:
                    continue


def _digest(value: Any) -> int:
    """A number that differs if plain values, functions or classes differ; 0 for other objects."""
    kind = type(value)
    if kind in _WHOLE:
        return hash((kind, value))
    if isinstance(value, FUNCTIONS | type):
        return hash(("function", id(value)))
    return 0
