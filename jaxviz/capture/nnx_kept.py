"""Protects the modules of Flax NNX that a function closes over, when capturing the function fails.

`nnx.jit` empties a module before it fills it with what the call made of it. Within another function
that closes over the module, tracing it fails in between (seen on Flax 0.11 and 0.12) and would
leave the user's module empty.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from jaxviz.capture.libraries import is_nnx_node
from jaxviz.capture.reached import SEEN, parts


@contextmanager
def kept_modules(fun: Any) -> Iterator[None]:
    """Restores the attributes of each module that the function reaches, if the trace fails."""
    before = [(vars(node), {**vars(node)}) for node in _nodes(fun)]
    try:
        yield
    except BaseException:
        for held, attributes in before:
            held.clear()
            held.update(attributes)
        raise


def _nodes(fun: Any) -> list[Any]:
    """The modules within reach of a function, by its closure and the globals that it names."""
    if "flax.nnx" not in sys.modules:
        return []
    seen = {id(fun)}
    waiting = [fun]
    for value in waiting:
        for part in (*parts(value), *_globals(value)):
            if (
                id(part) not in seen
                and len(seen) < SEEN
                and not isinstance(part, type | ModuleType)
            ):
                seen.add(id(part))
                waiting.append(part)
    return [value for value in waiting if is_nnx_node(value)]


def _globals(value: Any) -> Iterator[Any]:
    if isinstance(value, FunctionType):
        names = value.__globals__
        yield from (names[name] for name in value.__code__.co_names if name in names)
