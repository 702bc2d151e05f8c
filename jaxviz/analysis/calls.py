"""Groups from the user's call stacks: which function's call each eqn came from.

A call is told by its site (the caller's frame, with its line and column) and its function, so
that two lines of one function are one call, and one function called on two lines is two.
"""

from __future__ import annotations

from collections.abc import Sequence

from jaxviz import schema

Chain = tuple[int, ...]
"""The frames of one stack, callers first."""
Call = tuple[int | None, str, str, bool]
"""The caller's frame, the function, its file, and whether that is a library's."""

GENERIC = frozenset(
    {"wrapper", "wrapped", "inner", "decorated", "decorator", "update", "update_fn", "apply"}
    | {"apply_fn", "init_fn", "fn", "fun", "f", "g", "func", "function", "call", "body"}
    | {"with_extra_args_support", "tree_map", "wrap_method_once", "value_and_grad"}
)


def chains(frames: list[schema.Frame]) -> list[Chain]:
    """The whole stack of each frame. Callers come first in `frames`."""
    found: list[Chain] = []
    for index, frame in enumerate(frames):
        outer = () if frame.parent is None else found[frame.parent]
        found.append((*outer, index))
    return found


def calls(frames: list[schema.Frame], chain: Chain) -> tuple[Call, ...]:
    """The calls of one stack, outermost first."""
    callers = (None, *chain)
    called = [frames[f] for f in chain]
    return tuple((c, f.function, f.file, f.library) for c, f in zip(callers, called, strict=False))


def is_library(key: object) -> bool:
    """Whether a run's key is the call of a library's function."""
    return isinstance(key, tuple) and len(key) == 4 and key[-1] is True


def apart(frames: list[schema.Frame], stacks: Sequence[Chain], scope: str) -> list[int]:
    """Where one call of a library's method ends and another begins, if all stacks are in calls
    of the one that gave the scope its name: `Linear.__call__` in `eqx.nn.Linear`."""
    distinct = list(dict.fromkeys(stacks))
    if len(distinct) < 2:
        return []
    depth = next((d for d, at in enumerate(zip(*distinct, strict=False)) if len(set(at)) > 1), -1)
    if depth < 0:
        return []
    within = [
        {frames[f].function for f in stack[depth + 1 :] if frames[f].library} for stack in distinct
    ]
    if not any(title(function) in scope for function in set.intersection(*within)):
        return []
    return [at for at in range(1, len(stacks)) if stacks[at][depth] != stacks[at - 1][depth]]


def title(function: str) -> str:
    """A function's qualified name as one reads it: `Block` for `Block.__call__`, and the
    maker's name where the function made has none of its own."""
    parts = [part for part in function.split(".") if part != "<locals>"]
    while len(parts) > 1 and (parts[-1] in GENERIC or parts[-1].startswith("<")):
        parts.pop()
    if len(parts) > 1 and parts[-1] == "__call__":
        parts.pop()
    return parts[-1].strip("<>") if "<locals>" in function else ".".join(parts).strip("<>")


def telling(name: str) -> bool:
    """Whether a function's name says what it does: not private, not a wrapper's."""
    return not name.startswith("_") and name not in GENERIC and "wrap" not in name
