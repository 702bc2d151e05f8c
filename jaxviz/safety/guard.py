"""Guards the steps of a result. If a step fails, its part is missing, and the other steps go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


def guarded(
    otherwise: Result, step: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs
) -> Result:
    """The result of a step; `otherwise` if it fails."""
    try:
        return step(*args, **kwargs)
    except Exception:
        return otherwise


def as_far(
    step: Callable[Params, Iterable[Result]], *args: Params.args, **kwargs: Params.kwargs
) -> list[Result]:
    """The values that a step yields until it fails."""
    found: list[Result] = []
    try:
        found.extend(step(*args, **kwargs))
    except Exception:
        return found
    return found
