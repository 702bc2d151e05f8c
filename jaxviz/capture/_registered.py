"""Reads which fields of a registered dataclass are static: `jax.tree_util.register_dataclass` keeps
their names in the closure of a function. Seen on 0.6.2 to 0.12.0."""

from __future__ import annotations

import inspect

from jaxviz.capture._jax import private

_REGISTRY = private("jax._src.tree_util", "_registry")


def meta_fields(kind: type) -> tuple[str, ...] | None:
    """The names of the static fields; None if the class is not registered so, or if a private name
    is missing: then they are known by number."""
    try:
        flatten = _REGISTRY.get(kind).to_iter
        found = inspect.getclosurevars(flatten).nonlocals["meta_fields"]
    except (AttributeError, KeyError, TypeError):
        return None
    return found if type(found) is tuple else None
