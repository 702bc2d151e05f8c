"""Python shows a warning once for each place it comes from: ours take no turn of the user's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def unspent() -> Iterator[None]:
    """What JAX warns of meanwhile, it warns of again when the user's own call gives it reason."""
    before = _spent()
    try:
        yield
    finally:
        for module, warning in _spent() - before:
            sys.modules[module].__dict__["__warningregistry__"].pop(warning, None)


def _spent() -> set[tuple[str, object]]:
    return {
        (name, warning)
        for name, module in [*sys.modules.items()]
        if name.startswith("jax.")
        for warning in [*getattr(module, "__dict__", {}).get("__warningregistry__", ())]
        if warning != "version"
    }
