"""Numbers function objects, to tell them apart, with weak references alone."""

from __future__ import annotations

import weakref
from itertools import count
from threading import RLock
from types import MethodType
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class Reference(weakref.ref[Any], Generic[Value]):
    """A weak reference, and what is known of what it refers to."""

    __slots__ = ("key", "value")
    key: int
    value: Value


class Weak(Generic[Value]):
    """What is known of objects, by identity, as long as they live: none of them is held."""

    def __init__(self) -> None:
        self._known: dict[int, Reference[Value]] = {}

    def get(self, thing: Any) -> Value | None:
        known = self._known.get(id(thing))
        return known.value if known is not None and known() is thing else None

    def set(self, thing: Any, value: Value) -> bool:
        """Remembers it; False where the object cannot be referred to weakly."""
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


class Identities:
    """Numbers function objects: the same for what JAX's caches hold to be the same function."""

    def __init__(self) -> None:
        self._numbers: Weak[int] = Weak()
        self._methods: Weak[dict[int, tuple[int, weakref.ref[Any]]]] = Weak()
        """Of an object, by the number of a method's function."""
        self._next = count()
        self._lock = RLock()

    def new(self) -> int:
        """The number of a function that is gone, and so none of those that are known."""
        return next(self._next)

    def of(self, fun: Any) -> int | None:
        """None of what cannot be referred to weakly. Python makes a method anew wherever it is
        named: it is the same as an equal one, as long as the first of these lives."""
        with self._lock:
            return self._of(fun)

    def _of(self, fun: Any) -> int | None:
        if not isinstance(fun, MethodType):
            return self._number(fun)
        methods = self._methods.get(fun.__self__)
        if methods is None:
            methods = {}
            if not self._methods.set(fun.__self__, methods):
                return None
        method = self._number(fun.__func__)
        if method is None:
            return None
        number, first = methods.get(method, (0, None))
        if first is None or first() is None:
            number = next(self._next)
            methods[method] = number, weakref.ref(fun)
        return number

    def _number(self, thing: Any) -> int | None:
        found = self._numbers.get(thing)
        if found is not None:
            return found
        number = next(self._next)
        return number if self._numbers.set(thing, number) else None
