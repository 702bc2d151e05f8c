"""A dict by identity that keeps no key alive."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Reference(weakref.ref[Any], Generic[Value]):
    """A weak reference to an object, with its `id` and what is known of it."""

    __slots__ = ("key", "value")
    key: int
    value: Value


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
            reference = Reference(thing, self._gone)
        except TypeError:
            return False
        reference.key, reference.value = id(thing), value
        self._known[reference.key] = reference
        return True

    def _gone(self, reference: Reference[Value]) -> None:
        if self._known.get(reference.key) is reference:
            del self._known[reference.key]
