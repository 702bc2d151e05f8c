"""What the locations of MLIR call things.

JAX puts the name of an op (`jit(f)/jvp(encoder)/sin`) around its call stack, whose frames are
names as well, of functions, around a line in a file. Some ops have their kind, with a colon,
around that. Before 0.10 there is one class for all locations, which says what it is.
"""

from __future__ import annotations

from typing import Any


def place_of(location: Any) -> str:
    """The name of an op or of a function's argument, empty where it has none."""
    if not _is_name(location):
        return ""
    found, inner = location.name_str, location.child_loc
    if found.endswith(":"):
        return place_of(inner)
    return "" if _is_file(inner) else found


def _is_name(location: Any) -> bool:
    says = getattr(location, "is_a_name", None)
    return says() if says is not None else hasattr(location, "name_str")


def _is_file(location: Any) -> bool:
    says = getattr(location, "is_a_file", None)
    return says() if says is not None else hasattr(location, "start_line")
