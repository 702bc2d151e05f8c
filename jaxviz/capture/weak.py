"""A dict by identity that keeps no key alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Reference(weakref.ref[Any], Generic[Value]):
    """A weak reference to an object, with a value for it."""

    __slots__ = ("value",)
    value: Value


def reference(thing: Any) -> Callable[[], Any]:
    """A weak reference. For objects that take none, such as numbers, one that returns None."""
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: None


class Weak(Generic[Value]):
    """A dict by identity that keeps no key alive. The value of an object is dropped with it."""

    def __init__(self) -> None:
        self._references: dict[int, Reference[Value]] = {}

    def get(self, thing: Any) -> Value | None:
        found = self._references.get(id(thing))
        return found.value if found is not None and found() is thing else None

    def set(self, thing: Any, value: Value) -> bool:
        """Remembers `value`; False if `thing` takes no weak reference."""
        try:
            # Python drops an interrupt that comes within a callback written in Python.
            reference = Reference(thing, partial(self._references.pop, id(thing)))
        except TypeError:
            return False
        reference.value = value
        self._references[id(thing)] = reference
        return True
