"""A function, and what it is called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax


class Call(NamedTuple):
    function: Callable[..., Any]
    args: tuple[Any, ...]
    static: str | None = None


CALLS: dict[str, Call] = {}


def shaped(*shape: int, dtype: str = "float32") -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def called_with(*args: Any, static: str | None = None) -> Callable[[Any], Any]:
    def keep(function: Any) -> Any:
        name = getattr(function, "__name__", type(function).__name__)
        CALLS[name] = Call(function, args, static)
        return function

    return keep
