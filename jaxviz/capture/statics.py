"""Static arguments, described: what is shown of each by the rule, and what tells two apart.

JAX compares them by hash and equality. Of the whole the hash is kept, as JAX had it made; of the
fields within the text that is shown, and a digest of the value, never the value.
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
"""Fields of one value that are told apart."""
LEVELS = 4

_WHOLE: frozenset[type] = frozenset((bool, int, float, complex, str, bytes, range))


def static_of(value: Any) -> Static:
    """What is known of a static value. Of the user's code its `__hash__` alone runs."""
    try:
        hashed = hash(value)
    except Exception:
        hashed = 0
    return Static(type_name(value), shown(value), hashed, tuple(_fields(value)))


def named_static(argument: str, value: Any) -> Static:
    """The same of an argument, which may be named as a secret is."""
    static = static_of(value)
    if type(value) is str and names_secret(argument):
        return Static(static.type, sized(value), static.hash, ())
    return static


def _fields(value: Any) -> Iterator[Field]:
    """All fields within, outermost first: `.lr`, `['lr']`, `[0].name`."""
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
    """What an object holds, by how one would write it, without asking the object."""
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
    """Differs where a plain value, function or class does; of other objects 0."""
    kind = type(value)
    if kind in _WHOLE:
        return hash((kind, value))
    if isinstance(value, FUNCTIONS | type):
        return hash(("function", id(value)))
    return 0
