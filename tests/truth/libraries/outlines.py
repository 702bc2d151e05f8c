"""The groups of a program as a line that a person reads at once: roles, names, repeats.

    forward (embed, layers[0…1] ×2, norm, head) · loss · backward (…) · optimizer (mu, nu, updates)

`backward (…)` holds what the forward pass holds, `sgd as optimizer` is a part named `sgd` with that
role. `~` stands before a piece that jaxviz cut out of a long run, which is no part of anybody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from jaxviz import schema
from jaxviz.analysis.groups.loops.siblings import does_part

ROLES = ("forward", "loss", "backward", "optimizer", "state", "metrics")
NAMED = ("state", "metrics")
"""Roles that records have as names alone."""
LAST = ("backward", "recompute")
"""Roles in which no other begins."""
MARK = re.compile(r" [⟵↻]$")
"""The mark after the name of a group that runs backward, or again."""
NUMBER = re.compile(r"\d+")
LEAST_BODY = 8
"""Eqns in the bodies of a call that is in no group from which it is a part of its own."""
NEARLY_ALL = 3 / 4
"""The share of what a role holds from which one part in it is a wrapper, whose own parts are
said."""
LEVELS = 2
"""Levels of names in an outline; each role has one."""
MOST_LEVELS = 6
"""So deep are roles looked for."""


@dataclass(frozen=True)
class Part:
    """One part: its name, its role where it begins one, and how many alike it stands for."""

    name: str
    role: str
    times: int
    eqns: int
    parts: tuple[Part, ...]
    alike: tuple[object, ...]
    """Equal for parts that repeat one another; empty for one that nothing repeats."""
    members: tuple[str, ...] = ()
    """The names of those that it stands for, where it stands for several."""
    group: schema.Group | None = None
    is_loss: bool = False
    """True for the loss and for its derivative."""

    @property
    def plain(self) -> str:
        """The name without the mark of its direction."""
        return MARK.sub("", self.name)


def outline(stage: schema.Stage) -> tuple[Part, ...]:
    """The parts of a jaxpr."""
    whole = Part("", "", 0, 0, tuple(_parts(stage, 0, None, "", MOST_LEVELS)), ())
    return _lifted(_shortened(whole, LEVELS + 1).parts)


def _parts(
    stage: schema.Stage, graph: int, parent: int | None, role: str, levels: int
) -> Iterator[Part]:
    """The parts of a group or a graph. Neighbours that repeat one another are one part."""
    found = list(_members(stage, graph, parent, role, levels)) if levels else []
    rows = [
        [part for _, part in row]
        for _, row in groupby(enumerate(found), lambda at: (_pattern(at[1]), at[1].alike or at[0]))
    ]
    for at, row in enumerate(rows):
        after = rows[at + 1] if at + 1 < len(rows) else []
        if after and min(len(row), len(after)) == 1 and _does_part(stage, graph, row, after):
            after[:0] = row
        else:
            yield _folded(row)


def _does_part(stage: schema.Stage, graph: int, row: list[Part], after: list[Part]) -> bool:
    """True if a part does a part of the row beside it, such as the first of some layers."""
    end, begin = row[-1].group, after[0].group
    if not end or not begin or len(row) == len(after):
        return False
    part, whole = (end, begin) if len(row) == 1 else (begin, end)
    return does_part(part, whole, stage, graph)


def _members(
    stage: schema.Stage, graph: int, parent: int | None, role: str, levels: int
) -> Iterator[Part]:
    """The groups and, between them, the calls and loops."""
    held = stage.graphs[graph]
    start, stop = 0, len(held.eqns)
    if parent is not None:
        start, stop = held.groups[parent].start, held.groups[parent].stop
    for index, group in enumerate(held.groups):
        if group.parent == parent:
            yield from _calls(stage, held.eqns[start : group.start], role, levels)
            yield _of_group(stage, graph, index, role, levels)
            start = group.stop
    yield from _calls(stage, held.eqns[start:stop], role, levels)


def _of_group(stage: schema.Stage, graph: int, index: int, role: str, levels: int) -> Part:
    held = stage.graphs[graph]
    group = held.groups[index]
    begins = group.role if group.role in ROLES and role not in (group.role, *LAST) else ""
    name = f"~{group.name}" if group.kind == "section" else group.name
    parts = tuple(_parts(stage, graph, index, group.role or role, levels - 1))
    times = 0
    if group.kind == "repeat":
        times, parts = sum(one.parent == index for one in held.groups), ()
    loops = [part for part in parts if part.name in ("scan", "while")]
    if len(loops) == 1 and (len(parts) == 1 or group.role == "forward"):
        times = loops[0].times  # beside it stands what was moved out of it
        parts = (*(part for part in parts if part not in loops), *loops[0].parts)
    alike = (graph, group.alike) if group.alike >= 0 else ()
    if group.name in NAMED and role not in (group.name, *LAST):
        begins = group.name
    is_loss = group.role in ("loss", "backward") and MARK.sub("", group.name) in losses(stage)
    size = group.stop - group.start
    return Part(name, begins, times, size, parts, alike, group=group, is_loss=is_loss)


def losses(stage: schema.Stage) -> set[str]:
    """The names of the losses."""
    return {group.name for graph in stage.graphs for group in graph.groups if group.role == "loss"}


def _calls(
    stage: schema.Stage, eqns: Sequence[schema.Eqn], role: str, levels: int
) -> Iterator[Part]:
    """The calls and loops that are in no group and hold much, or roles."""
    for eqn in eqns:
        bodies = dict.fromkeys(body.graph for body in eqn.bodies)
        parts = tuple(
            part for body in bodies for part in _parts(stage, body, None, role, levels - 1)
        )
        held = sum(len(stage.graphs[body].eqns) for body in bodies)
        if held >= LEAST_BODY or parts:
            yield Part(
                eqn.name or eqn.op, "", eqn.trips or 0, 1, parts, (eqn.op, eqn.name, *bodies)
            )


def _pattern(part: Part) -> str:
    return NUMBER.sub("#", part.name)


def _folded(row: list[Part]) -> Part:
    """Parts that repeat one another and differ in numbers alone as one: `layers[0…2] ×3`."""
    if len(row) == 1:
        return row[0]
    counts = [[int(digits) for digits in NUMBER.findall(part.name)] for part in row]
    ranges = iter([(min(column), max(column)) for column in zip(*counts, strict=True)])
    name = NUMBER.sub(lambda _: _range(*next(ranges)), row[0].name)
    members = tuple(part.plain for part in row)
    eqns = sum(part.eqns for part in row)
    return replace(row[0], name=name, times=len(row), eqns=eqns, members=members)


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}…{high}"


def _shortened(part: Part, levels: int, whole: bool = False) -> Part:
    """The part with `levels` levels in it, and with parts that have roles. `whole` means that it is
    nearly all of a role."""
    inside = 2 if part.role else levels
    kept: list[Part] = []
    for one in part.parts:
        if inside > 1 or roles_in(one):
            wraps = (whole or bool(part.role)) and _wraps(part, one)
            kept.append(_shortened(one, inside if wraps else inside - 1, wraps))
    return replace(part, parts=tuple(kept))


def _wraps(outer: Part, one: Part) -> bool:
    """True if one part is nearly all of another, except for the loss."""
    rest = [part.eqns for part in outer.parts if not part.is_loss]
    return not one.times and bool(one.parts) and one.eqns >= NEARLY_ALL * sum(rest)


def roles_in(part: Part) -> list[str]:
    """The roles that a part and all in it have, in order."""
    own = [part.role] if part.role else []
    return own + [role for one in part.parts for role in roles_in(one)]


def _lifted(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The loss of a forward pass stands behind it."""
    found: list[Part] = []
    for part in parts:
        inside = _lifted(part.parts)
        losses = [one for one in inside if one.role == "loss" and part.role == "forward"]
        found.append(replace(part, parts=tuple(one for one in inside if one not in losses)))
        found += losses
    return tuple(found)


def text(parts: Sequence[Part]) -> str:
    """The line."""
    said: list[str] = []
    forward: list[str] = []
    for part in parts:
        if part.role == "forward":
            forward = _names(part)
        if part.role == "loss":
            forward.append(part.plain)
        said.append(_said(part, forward))
    roles = any(part.role for part in parts)
    return (" · " if roles else ", ").join(said)


def _names(part: Part) -> list[str]:
    """The names of all that a part holds."""
    return [name for one in part.parts for name in (one.plain, *_names(one))]


def _said(part: Part, forward: list[str]) -> str:
    name = part.name if part.role in ("", part.name) else f"{part.name} as {part.role}"
    times = f" ×{part.times}" if part.times else ""
    inside = sorted(_names(part))
    if not inside:
        return f"{name}{times}"
    mirrored = part.role == "backward" and inside in (sorted(forward), sorted(forward[:-1]))
    return f"{name}{times} ({'…' if mirrored else text(part.parts)})"
