"""Findings on random keys: a key that is used twice gives equal or dependent random numbers."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from math import prod

from jaxviz.analysis.findings.indexed_program import Draft, IndexedProgram, Place
from jaxviz.analysis.findings.random_keys.key_flow import KeyFlow, TooLarge
from jaxviz.analysis.findings.random_keys.key_rules import elements
from jaxviz.analysis.findings.random_keys.key_values import (
    DRAWS,
    OPS,
    Keys,
    Path,
    Use,
    loops_of,
    shape_of_keys,
)
from jaxviz.analysis.findings.random_keys.known_keys import KnownKeys
from jaxviz.schema import Eqn, Frame
from jaxviz.sentences import sentence

# A key used twice, of any size.
#
# Reported for two draws or splits of one key that can both run, and for one within a loop whose
# iterations do not change the key. The two branches of a choice cannot both run. In the backward
# pass JAX computes values of the forward pass again: those uses are not counted.

MOST_USES = 32
"""The most uses of one key that are compared with one another."""


def reused_keys(indexed: IndexedProgram) -> Iterator[Draft]:
    if not any(op in indexed.by_op for op in OPS):
        return
    try:
        known = KeyFlow(indexed).known
    except TooLarge:
        return
    reported: dict[int, set[int]] = defaultdict(set)
    quoted: set[tuple[Frame, ...]] = set()
    for root, at, uses in _by_key(use for use in known.uses if not _is_backward(indexed, use.path)):
        paths = _together(uses[:MOST_USES]) or _in_loops(uses)
        if not paths or any(
            reported[made.root].intersection(made.at) for made in _made_of(known, root)
        ):
            continue
        reported[root].update(at)
        places = [path[-1].place for path in paths]
        frames = tuple(_frames(indexed, places))
        if frames and frames not in quoted and _is_the_readers(indexed, paths, frames):
            quoted.add(frames)
            yield _draft(indexed, places, frames, known.roots[root].name)
    yield from _unused_halves(indexed, known)


def _by_key(uses: Iterable[Use]) -> Iterator[tuple[int, Sequence[int], list[Use]]]:
    """A root, its keys that the same eqns use, and these uses."""
    by_root: dict[int, list[Use]] = defaultdict(list)
    for use in uses:
        by_root[use.root].append(use)
    for root, found in by_root.items():
        if all(use.at == found[0].at for use in found):
            yield root, found[0].at, found
            continue
        users: dict[int, list[int]] = defaultdict(list)
        for number, use in enumerate(found):
            for at in use.at:
                users[at].append(number)
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for at, numbers in users.items():
            groups[tuple(numbers)].append(at)
        for numbers, places in groups.items():
            yield root, places, [found[number] for number in numbers]


def _made_of(known: KnownKeys, root: int) -> Iterator[Keys]:
    """The keys that a root was split from. If these are used twice, so are all made of them."""
    made_of = known.roots[root].made_of
    while made_of is not None:
        yield made_of
        made_of = known.roots[made_of.root].made_of


def _is_backward(indexed: IndexedProgram, path: Path) -> bool:
    return any(indexed.eqn(step.place).scope in indexed.backward for step in path)


def _together(uses: Sequence[Use]) -> list[Path]:
    """The paths to the eqns that use a key and can all run; empty if there are not two. The eqns
    are in one graph, or in the condition and the body of one loop."""
    found: dict[Place, Path] = {}
    for one, other in combinations(uses, 2):
        pairs = enumerate(zip(one.path, other.path, strict=False))
        at = next((at for at, (a, b) in pairs if a.place != b.place), None)
        if at is not None and _can_both_run(one.path, other.path):
            for path in (one.path[: at + 1], other.path[: at + 1]):
                found.setdefault(path[-1].place, path)
    return [*found.values()]


def _can_both_run(one: Path, other: Path) -> bool:
    """False if the paths are two branches of one choice, or of two choices by the same value."""
    chosen = dict(step.choice for step in one if step.choice is not None)
    return not any(
        step.choice is not None and chosen.get(step.choice[0], step.choice[1]) != step.choice[1]
        for step in other
    )


def _in_loops(uses: Sequence[Use]) -> list[Path]:
    """The path to the first eqn in a loop that uses the same key in each iteration."""
    for use in uses:
        around = loops_of(use.path) - use.loops
        outermost = min(map(len, around), default=len(use.path))
        inside = use.path[outermost:]
        if inside and not any(step.choice for step in inside):
            return [use.path[: outermost + 1]]
    return []


def _frames(indexed: IndexedProgram, places: Sequence[Place]) -> list[Frame]:
    """The line of each eqn. If one function made them in two calls, these are the lines of the
    calls; for an eqn in a loop, it is the line in the loop's body."""
    chains = [[*indexed.chain(indexed.eqn(place).frame)][::-1] for place in places]
    if not all(chains):
        return []
    if len(chains) == 1:
        name = indexed.graphs[places[0][0]].name
        return [next((one for one in chains[0] if one.function.endswith(name)), chains[0][-1])]
    shortest = min(map(len, chains))
    same = next(
        (at for at in range(shortest) if len({chain[at] for chain in chains}) > 1), shortest - 1
    )
    return [chain[same] for chain in chains]


def _is_the_readers(
    indexed: IndexedProgram, paths: Sequence[Path], frames: Sequence[Frame]
) -> bool:
    """False if a function of JAX or of a library that one line calls uses its key twice."""
    if len({*frames}) > 1 and not any(frame.library for frame in frames):
        return True
    for step in paths[0][1:]:  # the bodies around the eqn
        name = indexed.graphs[step.place[0]].name
        chain = indexed.chain(indexed.eqn(paths[0][-1].place).frame)
        if not any(frame.function.endswith(name) for frame in chain):
            return False
    if len(paths) == 1 or len({*frames}) > 1:
        return True
    eqns = [indexed.eqn(path[-1].place) for path in paths]
    is_direct = any(eqn.call is None or not indexed.jaxpr.frames[eqn.call].library for eqn in eqns)
    return is_direct and len({_kind(indexed, eqn) for eqn in eqns}) == 1


def _kind(indexed: IndexedProgram, eqn: Eqn) -> tuple[str, str, tuple[int, ...]]:
    """The same for all eqns that a line makes in the iterations of a Python loop."""
    sizes = tuple(len(indexed.graphs[body.graph].eqns) for body in eqn.bodies)
    return eqn.op, eqn.name, sizes


def _draft(
    indexed: IndexedProgram, places: Sequence[Place], frames: Sequence[Frame], name: str
) -> Draft:
    texts = [indexed.quoted(frame) for frame in frames]
    named = "" if name else ", unnamed"
    is_loop = len(places) == 1
    if is_loop:
        what = sentence(f"key-reuse, loop{named}", name=name, expression=texts[0])
    elif len({*frames}) == 1:
        what = sentence(
            f"key-reuse, line{named}", name=name, expression=texts[0], times=len(places)
        )
    else:
        line = str(frames[0].line)
        what = sentence(
            f"key-reuse{named}", name=name, first=texts[0], line=line, expression=texts[1]
        )
    fix = sentence("key-reuse fix, loop" if is_loop else "key-reuse fix")
    at = frames[-1 if is_loop else 1]
    return Draft(what, fix=fix, places=places, names=[name] if name else [], at=at)


# One half of `key, sub = split(key)` is drawn from, and the other is not used.
#
# By convention the first half is kept for the next split. To draw from it is harmless while nobody
# uses it again: a note. It is a finding if it is a result of the program, or goes on to the next
# iteration of a loop. Reported only if the reader's line names both halves: halves with names other
# than the key's are not kept for later.


def _unused_halves(indexed: IndexedProgram, known: KnownKeys) -> Iterator[Draft]:
    used = {(use.root, at) for use in known.uses for at in use.at}
    for use in known.uses:
        made_of = known.roots[use.root].made_of
        is_draw = indexed.eqn(use.path[-1].place).op in DRAWS
        if made_of is None or not is_draw or [*use.at] != [0] or (use.root, 1) in used:
            continue
        splits = {
            other.path[-1].place
            for other in known.uses
            if (other.root, other.at) == (made_of.root, made_of.at)
        }
        if len(splits) == 1:  # a key that is split twice is another finding
            yield from _unused_half(indexed, use.path, *splits)


def _unused_half(indexed: IndexedProgram, path: Path, split: Place) -> Iterator[Draft]:
    """The finding for a draw from the first half of a split, if the second half is not used."""
    step = next((step for step in path if step.place[0] == split[0]), None)
    line, names = indexed.line_of(split), _names_of_halves(indexed, split)
    halves = _halves(indexed, split)
    if step is None or line is None or names is None or halves is None:
        return
    graph, users = indexed.graphs[split[0]], indexed.flow(split[0]).users
    if any(var in users or var in graph.outvars for var in halves[1]):
        return
    frames = _frames(indexed, [split, step.place])
    if len(frames) != 2 or frames[1].library:
        return
    name, other, is_kept = names
    goes_on = split[0] == 0 or any(_is_loop(eqn) for _, eqn, _ in indexed.callers[split[0]])
    is_note = not (goes_on and any(var in graph.outvars for var in halves[0]))
    if is_note and not is_kept:
        return
    said = {"name": name, "other": other}
    key = "key-reuse, half" if is_note else "key-reuse, half goes on"
    yield Draft(
        sentence(key, expression=indexed.quoted(frames[1]), line=str(line.line), **said),
        cost=sentence("key-reuse cost, half", name=name) if is_note else None,
        fix=sentence("key-reuse fix, half", **said),
        places=[step.place, split],
        names=[name],
        at=frames[1],
        is_note=is_note,
    )


def _is_loop(eqn: Eqn) -> bool:
    return eqn.op in ("scan", "while")


def _names_of_halves(indexed: IndexedProgram, split: Place) -> tuple[str, str, bool] | None:
    """`key` and `sub` of the line `key, sub = split(key)`, and True if the first replaces the key
    that is split; None for another line, and for names such as `_` of halves that nobody needs."""
    line = indexed.line_of(split)
    with suppress(SyntaxError):
        match ast.parse(line.code if line else "").body:
            case [
                ast.Assign(
                    targets=[ast.Tuple(elts=[ast.Name(id=name), ast.Name(id=other)])], value=value
                )
            ]:
                names = {one.id for one in ast.walk(value) if isinstance(one, ast.Name)}
                return None if "_" in (name[0], other[0]) else (name, other, name in names)
    return None


def _halves(indexed: IndexedProgram, split: Place) -> tuple[list[int], list[int]] | None:
    """The values that are the first half of a split, and those that are the second; None if an eqn
    uses both together."""
    graph, users = indexed.graphs[split[0]], indexed.flow(split[0]).users
    [whole], halves = indexed.eqn(split).outvars, ([], [])
    for index in users.get(whole, ()):  # words of raw keys
        if graph.eqns[index].op == "random_unwrap":
            [whole] = graph.eqns[index].outvars
    shape = shape_of_keys(indexed.aval(graph, whole))
    if shape is None or whole in graph.outvars:
        return None
    for index in users.get(whole, ()):
        eqn = graph.eqns[index]
        if eqn.op == "unstack" and len(eqn.outvars) == 2:
            halves[0].append(eqn.outvars[0])
            halves[1].append(eqn.outvars[1])
            continue
        chosen = elements(graph, eqn, shape) if eqn.op == "slice" else None
        if chosen is None or len(chosen) * 2 != prod(shape):
            return None
        [row] = eqn.outvars
        squeezed = [graph.eqns[user].outvars[0] for user in users.get(row, ())]
        halves[bool(chosen[0])].extend(squeezed)
    return halves
