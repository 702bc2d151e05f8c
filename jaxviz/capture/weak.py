"""A dict by identity that keeps no key alive."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Reference(weakref.ref[Any], Generic[Value]):
    """A weak reference to an object, with what is known of it."""

    __slots__ = ("value",)
    value: Value


def reference(thing: Any) -> Callable[[], Any]:
    """A weak reference; to what takes none, such as a number, one that is gone."""
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: None


class Weak(Generic[Value]):
    """A dict by identity that keeps no key alive: what is known of an object goes with it."""

    def __init__(self) -> None:
        self._known: dict[int, Reference[Value]] = {}

    def get(self, thing: Any) -> Value | None:
        known = self._known.get(id(thing))
        return known.value if known is not None and known() is thing else None

    def set(self, thing: Any, value: Value) -> bool:
        """Remembers `value`; False if `thing` cannot be referred to weakly."""
        try:
            # Python drops an interrupt that comes within a callback written in Python.
            reference = Reference(thing, partial(self._known.pop, id(thing)))
        except TypeError:
            return False
        reference.value = value
        self._known[id(thing)] = reference
        return True
