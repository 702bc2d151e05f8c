"""Paths of what bears a label of its user's, such as the variables of a Penzai model: in a list or
tuple they stand by position, and in a path by label, `params['mlp/Affine_0/Linear.weights']`."""

from __future__ import annotations

from typing import Any

from jax.tree_util import tree_flatten_with_path, tree_leaves

from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name


def by_label(paths: list[str], tree: Any) -> list[str]:
    """The paths of a tree's leaves, with a label in place of the position of what bears one."""
    if not any(map(_is_labelled, tree_leaves(tree, is_leaf=_is_labelled))):
        return paths
    left = iter(paths)
    found: list[str] = []
    for part in tree_leaves(tree, is_leaf=_is_labelled):
        for keys, _ in tree_flatten_with_path(part)[0]:
            path, below = next(left), path_text(keys)
            place, bracket, position = path.removesuffix(below).rpartition("[")
            known = _is_labelled(part) and bracket and position.rstrip("]").isdigit()
            found.append(name(f"{place}[{part.label!r}]{below}") if known else path)
    return found


def _is_labelled(value: Any) -> bool:
    """Whether a value has a label. Nothing of its own class is asked for it."""
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False
    return is_a(held, dict) and type(held.get("label")) is str
