"""Findings on random keys: a key that is used twice gives equal or dependent random numbers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from jaxviz.analysis.findings.indexed_program import Draft, IndexedProgram, Place
from jaxviz.analysis.findings.random_keys.key_flow import KeyFlow, TooLarge
from jaxviz.analysis.findings.random_keys.key_values import OPS, Keys, Path, Use, loops_of
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
