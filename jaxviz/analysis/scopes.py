"""Groups from name stacks: what the user or a library named, and forward and backward.

A name stack prints as `transpose(jvp(layer0))/attn`: transformations wrap the first name below
them, which is empty where there is none (`jvp()`).
"""

from __future__ import annotations

from typing import Final

FORWARD: Final = "forward"
BACKWARD: Final = "backward"
TRANSFORMS = frozenset(
    {"jvp", "transpose", "vmap", "pmap", "remat", "checkpoint", "rematted_computation"}
)

Names = tuple[str, ...]
"""The names of a stack, outermost first, `forward` or `backward` where it is differentiated."""


class Direction(str):
    """`forward` or `backward`, told apart from a scope of that name by its type."""

    __slots__ = ()


def parse(stack: str) -> Names:
    """The readable names of one printed name stack."""
    names: list[str] = []
    seen = None
    for part in split(stack):
        wrappers, name = unwrap(part)
        if "transpose" in wrappers:
            direction = BACKWARD
        elif "jvp" in wrappers:
            direction = FORWARD
        else:
            direction = None
        if direction and not seen:
            seen = Direction(direction)
            names.append(seen)
        if name:
            names.append(name)
    return tuple(names)


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
    return wrappers, "" if part in TRANSFORMS else part


def direction(names: Names) -> Direction | None:
    return next((name for name in names if isinstance(name, Direction)), None)


def stacks(scopes: list[str], order: list[int]) -> list[Names]:
    """The names for each eqn of a graph, `order` being their scopes.

    Directions count only where a graph holds both. One or two eqns without a direction, or of
    the other, between eqns of one direction go with these.
    """
    parsed = [parse(scope) for scope in scopes]
    found = {direction(parsed[scope]) for scope in order}
    if not {FORWARD, BACKWARD} <= found:
        plain = [tuple(n for n in names if not isinstance(n, Direction)) for names in parsed]
        return [plain[scope] for scope in order]
    names = [parsed[scope] for scope in order]
    directions = [direction(each) for each in names]
    for gap in (1, 2):
        for i in range(1, len(names) - gap):
            before, after = directions[i - 1], directions[i + gap]
            if before and before == after and before not in directions[i : i + gap]:
                outer = names[i - 1][: names[i - 1].index(before) + 1]
                for at in range(i, i + gap):
                    names[at] = outer
                    directions[at] = before
    return names
