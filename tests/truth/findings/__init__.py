"""Programs with what is to be found in them, written before any of it was looked for.

Each module has the programs of one kind. A comment `# finds: upcast` stands on the line at which
that kind is to be found, on the `def` line where no line of the body is at fault; for a note it is
`# notes: upcast`. A program without such a comment is a near miss: nothing is to be found in it.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from jaxviz.schema import Finding
from jaxviz.stages import StageKind

_MARK = re.compile(r"#\s*(finds|notes):\s*([\w-]+(?:\s*,\s*[\w-]+)*)")


class Case(NamedTuple):
    """A call, and where its findings are."""

    name: str
    fun: Callable[..., Any]
    args: tuple[Any, ...]
    source: tuple[Callable[..., Any], ...]
    """The functions whose source has the comments."""
    stages: tuple[StageKind, ...] = ()
    """Stages that are made before the search for findings."""
    flag: str = ""
    """The flag of JAX that was on when the jitted function was first traced: `debug_nans`."""

    def trace_with_flag(self) -> None:
        """Traces the function again with its flag: a test may have cleared JAX's caches."""
        if self.flag:
            jitted: Any = self.fun
            jitted.clear_cache()
            with getattr(jax, self.flag)(True):
                jitted.trace(*self.args)


def case(
    fun: Callable[..., Any],
    *args: Any,
    of: tuple[Callable[..., Any], ...] = (),
    stages: tuple[StageKind, ...] = (),
    flag: str = "",
) -> Case:
    """The call `fun(*args)`; `of` are functions that it calls, if comments stand in those."""
    own = inspect.unwrap(fun)
    return Case(getattr(own, "__name__", "call"), fun, args, (own, *of), stages, flag)


def array(dtype: str, *shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def expected(one: Case) -> list[tuple[str, int]]:
    """The kind and the line of each finding, as the comments have it; a note of the kind `upcast`
    is `upcast, a note`."""
    found: list[tuple[str, int]] = []
    for fun in one.source:
        lines, start = inspect.getsourcelines(fun)
        for at, line in enumerate(lines):
            mark = _MARK.search(line)
            if mark:
                level = ", a note" if mark[1] == "notes" else ""
                found += [(kind.strip() + level, start + at) for kind in mark[2].split(",")]
    return sorted(found)


def kind_and_level(one: Finding) -> str:
    """`upcast`, or `upcast, a note`."""
    return one.lines[0].partition(" · ")[0]


def cases() -> dict[str, Case]:
    """All of them, as `upcast.numpy_scalar`."""
    found: dict[str, Case] = {}
    for module in pkgutil.iter_modules(__path__):
        for one in importlib.import_module(f"{__name__}.{module.name}").CASES:
            found[f"{module.name}.{one.name}"] = one
    return found
