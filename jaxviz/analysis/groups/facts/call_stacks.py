"""The calls in Python's call stack of an eqn.

A call is identified by its site (the caller's frame, with line and column) and its function. So
eqns of two lines of one function belong to one call, and one function called on two lines is two
calls.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema

CallStack = tuple[int, ...]
"""The frames of one stack, as indices into `Stage.frames`, callers first."""
Call = tuple[int | None, str, str, bool]
"""The caller's frame, the function, its file, and True for a library's function."""

DECORATED = frozenset({"wrapper", "wrapped", "inner", "decorated", "decorator"})
"""Names that decorators give to the functions they return."""
GENERIC_NAMES = DECORATED | frozenset(
    {"update", "update_fn", "apply", "apply_fn", "init_fn", "fn", "fun", "f", "g", "func"}
    | {"function", "call", "body", "with_extra_args_support", "tree_map", "wrap_method_once"}
    | {"value_and_grad", "chain"}
)
"""Names that do not describe what a function does."""
PASSED_ON = re.compile(r"\(.*\*\w*args\b")
"""Part of a line of a wrapper: `return fn(*args, **kwargs)`."""
METRICS = "metrics"
METRIC = re.compile(r"Metric|metrics$")
"""Part of the names of metrics' classes and functions: `MultiMetric.update`. It does not match the
metric of a space."""


def call_stacks(frames: list[schema.Frame]) -> list[CallStack]:
    """The whole stack of each frame. In `frames` callers come first."""
    found: list[CallStack] = []
    for index, frame in enumerate(frames):
        outer = () if frame.parent is None else found[frame.parent]
        found.append((*outer, index))
    return found


def stack_of_each_eqn(
    graph: schema.Graph, stacks: list[CallStack], frames: list[schema.Frame], roles: list[str]
) -> list[CallStack]:
    """The call stack of each eqn of a graph. An eqn without one has that of the previous eqn.

    JAX traces some functions separately, and moves eqns that do not depend on their arguments out
    of them. The stack of such an eqn lacks its outer frames. It gets those of the eqns on both
    sides, or of the eqns with the same role.
    """
    found: list[CallStack] = []
    stack: CallStack = next((stacks[e.call] for e in graph.eqns if e.call is not None), ())
    for eqn in graph.eqns:
        if eqn.call is not None:
            stack = stacks[eqn.call]
        found.append(stack)

    def outermost(at: int) -> tuple[str, str]:
        frame = frames[found[at][0]] if found[at] else None
        return ("", "") if frame is None else (frame.function, frame.file)

    rows = [(name, list(row)) for name, row in groupby(range(len(found)), outermost)]
    if len(rows) < 2:
        return found
    main = rows[-1][0]
    ends: dict[str, list[int]] = {}
    for at in (at for name, row in rows if name == main for at in row):
        ends[roles[at]] = [*ends.get(roles[at], [at])[:1], at]
    for number, (name, row) in enumerate(rows):
        if name == main:
            continue
        inside = 0 < number < len(rows) - 1 and rows[number - 1][0] == rows[number + 1][0] == main
        around = [row[0] - 1, row[-1] + 1] if inside else ends.get(roles[row[0]], [len(found) - 1])
        callers = shared_callers(found[around[0]], found[around[-1]], frames)
        for at in row:
            found[at] = (*callers, *found[at])
    return found


def shared_callers(a: CallStack, b: CallStack, frames: list[schema.Frame]) -> CallStack:
    """The outer frames of `b` that are in the same functions as those of `a`."""
    for depth, (x, y) in enumerate(zip(a, b, strict=False)):
        if (frames[x].function, frames[x].file) != (frames[y].function, frames[y].file):
            return b[:depth]
        if x != y:
            return b[: depth + 1]
    return b[: min(len(a), len(b))]


def calls(frames: list[schema.Frame], stack: CallStack) -> tuple[Call, ...]:
    """The calls of one stack, outermost first."""
    callers = (None, *stack)
    called = [frames[f] for f in stack]
    return tuple((c, f.function, f.file, f.library) for c, f in zip(callers, called, strict=False))


def is_library(key: object) -> bool:
    """True if a run's key is a call of a library's function."""
    return isinstance(key, tuple) and len(key) == 4 and key[-1] is True


def is_transformation(function: str, file: str) -> bool:
    """True if a function updates gradients, like Optax's transformations (0.2):
    `scale_by_adam.<locals>.update_fn`."""
    place = last_parts(file)
    return function.endswith(".update_fn") and place.startswith(("_src/", "optax/", "contrib/"))


def last_parts(file: str) -> str:
    """The last two parts of a file's path; they do not depend on where a library is installed."""
    return "/".join(file.split("/")[-2:])


def borders_of_calls(
    frames: list[schema.Frame], stacks: Sequence[CallStack], scope: str
) -> list[int]:
    """The borders between calls of a library's method among eqns of one name scope, as indices into
    `stacks`.

    Empty unless all stacks contain a call of the method that gave the scope its name, such as
    `Linear.__call__` in the scope `eqx.nn.Linear`.
    """
    distinct = list(dict.fromkeys(stacks))
    if len(distinct) < 2:
        return []
    depth = next((d for d, at in enumerate(zip(*distinct, strict=False)) if len(set(at)) > 1), -1)
    if depth < 0:
        return []
    within = [
        {frames[f].function for f in stack[depth + 1 :] if frames[f].library} for stack in distinct
    ]
    titles = filter(None, map(title, set.intersection(*within)))
    if not any(name in scope for name in titles):
        return []
    return [at for at in range(1, len(stacks)) if stacks[at][depth] != stacks[at - 1][depth]]


def title(function: str) -> str:
    """A function's qualified name in a short form; empty for a lambda.

    `Block` for `Block.__call__`. A local function with a generic name gets the name of the function
    around it: `make_step` for `make_step.<locals>.wrapper`.
    """
    parts = [part for part in function.split(".") if part != "<locals>"]
    while len(parts) > 1 and (parts[-1] in GENERIC_NAMES or parts[-1].startswith("<")):
        parts.pop()
    if len(parts) > 1 and parts[-1] == "__call__":
        parts.pop()
    if parts[-1].startswith("<"):
        return ""
    return parts[-1] if "<locals>" in function else ".".join(parts)


def is_descriptive(name: str) -> bool:
    """True if a function's name is descriptive: it is not private, nor that of a lambda or a
    wrapper."""
    private = any(part.startswith(("_", "<")) for part in name.split("."))
    return not private and name not in GENERIC_NAMES and "wrap" not in name


CALL_OF_LIBRARY = "library call"
"""The first part of the key of a run that is a call of JAX's function on a line of the user."""


RULE = "rule"
"""The first part of the key of a run that is a rule of a custom derivative."""
CUSTOM_CALLS = frozenset({"custom_vjp_call", "custom_vjp_call_jaxpr", "custom_jvp_call"})
"""Ops that call a function with custom rules, but run no rule."""


def is_rule(key: object) -> bool:
    """True if a run's key begins with `RULE`."""
    return isinstance(key, tuple) and key[:1] == (RULE,)


def site_of_rule(frames: list[schema.Frame], stack: CallStack) -> int | None:
    """The call of the outermost function with custom rules, if one of its rules made an eqn.

    The eqn has the frames of the forward rule, or none below this line: so JAX records the backward
    rule, and both rules of a function that was jitted or recomputed.
    """
    for at, inner in pairwise((*stack, None)):
        rules = "" if at is None else frames[at].rules
        if rules and (inner is None or frames[inner].function == rules.split()[0]):
            return at
    return None


def is_call_of_library(key: object) -> bool:
    """True if a run's key begins with `CALL_OF_LIBRARY`."""
    return isinstance(key, tuple) and key[:1] == (CALL_OF_LIBRARY,)


def is_users_function(key: object, name: str) -> bool:
    """True if a run's key is a call of a user's function with a descriptive name."""
    return isinstance(key, tuple) and len(key) == 4 and not key[-1] and is_descriptive(name)


def library_title(frame: schema.Frame) -> str:
    """The title of a call of a library's function. A function made within another has both names,
    since users can only call the outer one. Empty for a wrapper, or if the name is not
    descriptive."""
    if METRIC.search(frame.function):
        return METRICS
    maker, _, made = frame.function.partition(".<locals>.")
    own = made.rpartition(".")[2]
    name = "" if own in DECORATED else title(f"{maker}.{own}" if made else maker)
    return name if is_descriptive(name) and not PASSED_ON.search(frame.code) else ""


class Flattened(NamedTuple):
    """A stage as if each call of a function by itself had the stack of its first call: all of them
    are found like the iterations of any other loop."""

    stage: schema.Stage
    """The same object if no function calls itself."""
    lines: dict[tuple[str, str | None, str], int]
    """The line on which a function of the user calls itself, by its file, cell and name."""
    depths: list[list[int]]
    """The number of such calls around each eqn of each graph; empty if there are none."""


def without_recursion(stage: schema.Stage) -> Flattened:
    frames = stage.frames
    own = {at for at, frame in enumerate(frames) if is_own_call(frames, frame)}
    if not own:
        return Flattened(stage, {}, [])
    lines: dict[tuple[str, str | None, str], int] = {}
    depths, parents, same = list[int](), list[int | None](), list[int]()
    first: dict[tuple[int | None, schema.Frame], int] = {}
    for at, frame in enumerate(frames):
        parent = None if frame.parent is None else same[frame.parent]
        if parent is not None and at in own:
            parent = parents[parent]
            lines[frame.file, frame.cell, frame.function] = frames[frame.parent or 0].line
        depths.append((0 if frame.parent is None else depths[frame.parent]) + (at in own))
        parents.append(parent)
        same.append(first.setdefault((parent, replace(frame, parent=None)), at))
    flat = replace(
        stage,
        frames=[replace(one, parent=parent) for one, parent in zip(frames, parents, strict=True)],
        graphs=[
            replace(graph, eqns=[with_frames(eqn, same) for eqn in graph.eqns])
            for graph in stage.graphs
        ],
    )
    of_eqns = [
        [0 if eqn.call is None else depths[eqn.call] for eqn in graph.eqns]
        for graph in stage.graphs
    ]
    return Flattened(flat, lines, of_eqns)


def is_own_call(frames: Sequence[schema.Frame], frame: schema.Frame) -> bool:
    """True if a function of the user called itself by its name, and runs in this frame."""
    if frame.parent is None or frame.library:
        return False
    caller = frames[frame.parent]
    if frame.function != caller.function or (frame.file, frame.cell) != (caller.file, caller.cell):
        return False
    name = frame.function.rpartition(".")[2]
    return re.search(rf"\b{re.escape(name)}\(", caller.code) is not None


def with_frames(eqn: schema.Eqn, same: Sequence[int]) -> schema.Eqn:
    call, frame = (None if at is None else same[at] for at in (eqn.call, eqn.frame))
    return replace(eqn, call=call, frame=frame)
