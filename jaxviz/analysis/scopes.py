"""Name stacks as printed: what the user or a library named, and what runs backward.

A name stack prints as `transpose(jvp(layer0))/attn`: transformations wrap the first name below
them, which is empty where there is none (`jvp()`).
"""

from __future__ import annotations

from typing import NamedTuple

FORWARD = "forward"
BACKWARD = "backward"
RECOMPUTE = "recompute"
REMATTED = "rematted_computation"
TRANSFORMS = frozenset({"jvp", "transpose", "vmap", "pmap", "remat", "checkpoint", REMATTED})

Names = tuple[str, ...]
"""The names of a stack, outermost first."""


class Scope(NamedTuple):
    """A printed name stack, read."""

    names: Names
    role: str
    """`forward`, `backward`, `recompute`, or empty where nothing is differentiated."""


def parse(stack: str) -> Scope:
    """The readable names of one printed name stack, and its role."""
    names: list[str] = []
    role = ""
    for part in split(stack):
        wrappers, name = unwrap(part)
        if REMATTED in wrappers or name == REMATTED:
            role = RECOMPUTE
        elif not role and "transpose" in wrappers:
            role = BACKWARD
        elif not role and "jvp" in wrappers:
            role = FORWARD
        if name and name not in TRANSFORMS:
            names.append(name)
    return Scope(tuple(names), role)


def split(stack: str) -> list[str]:
    """The parts between slashes that stand outside of parentheses."""
    parts: list[str] = []
    depth = 0
    for piece in stack.split("/"):
        if depth > 0:
            parts[-1] += f"/{piece}"
        else:
            parts.append(piece)
            depth = 0
        depth += piece.count("(") - piece.count(")")
    return [part for part in parts if part]


def unwrap(part: str) -> tuple[list[str], str]:
    """`transpose(jvp(layer0))` as `["transpose", "jvp"]` and `layer0`."""
    wrappers: list[str] = []
    while part.endswith(")"):
        head, _, rest = part.partition("(")
        if head not in TRANSFORMS:
            break
        wrappers.append(head)
        part = rest[:-1]
    return wrappers, part
