"""Lets JAX give warnings again that it gave while jaxviz worked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from jaxviz.capture.changes import changed


@contextmanager
def warnings_repeated() -> Iterator[None]:
    """Lets JAX give warnings again in the user's own call that it gave while the context lasts.

    Python shows a warning only once for each place that it comes from, and remembers these places
    in the modules. Here the new ones are forgotten again. Other threads may import modules
    meanwhile: `dict.copy` is one step for them, a loop over the dict is not."""
    before = _warned_places()

    def forget() -> None:
        for module, warning in _warned_places() - before:
            sys.modules[module].__dict__["__warningregistry__"].pop(warning, None)

    with changed(lambda: None, forget):
        yield


def _warned_places() -> set[tuple[str, object]]:
    return {
        (name, warning)
        for name, module in sys.modules.copy().items()
        if name.startswith("jax.")
        for warning in [*getattr(module, "__dict__", {}).get("__warningregistry__", ())]
        if warning != "version"
    }
