"""Findings on random keys: a key that is used twice gives equal or dependent random numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from jaxviz.analysis.findings.indexed_program import Draft, IndexedProgram, Place
from jaxviz.analysis.findings.random_keys.key_flow import KeyFlow, TooLarge
from jaxviz.analysis.findings.random_keys.key_values import OPS, Path, Step, Use, loops_of
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
        found = KeyFlow(indexed).known
    except TooLarge:
        return
    by_key: dict[tuple[int, int], list[Use]] = {}
    for use in found.uses:
        if not _is_backward(indexed, use.path):
            by_key.setdefault((use.root, use.at), []).append(use)
    told: set[Place] = set()
    for (root, _), uses in by_key.items():
        name = found.roots[root].name
        steps = _steps_together(uses[:MOST_USES]) or _steps_in_loops(uses)
        places = [step.place for step in steps]
        if places and not told.issuperset(places) and _is_the_users(indexed, places):
            told.update(places)
            yield _draft(indexed, places, name, is_loop=len(places) == 1)


def _is_backward(indexed: IndexedProgram, path: Path) -> bool:
    return any(indexed.eqn(step.place).scope in indexed.backward for step in path)


def _steps_together(uses: Sequence[Use]) -> list[Step]:
    """The eqns of a graph that use one key and can all run; empty if there are not two."""
    found: dict[Step, None] = {}
    for one, other in combinations(uses, 2):
        pairs = zip(one.path, other.path, strict=False)
        at = next((at for at, (a, b) in enumerate(pairs) if a != b), None)
        if at is not None and _can_both_run(one.path[at:], other.path[at:]):
            found |= {Step(one.path[at].place): None, Step(other.path[at].place): None}
    return list(found)


def _can_both_run(one: Path, other: Path) -> bool:
    """False if the ways are two branches of one choice, or of two choices by the same value."""
    chosen = dict(step.choice for step in one if step.choice is not None)
    return not any(
        step.choice is not None and chosen.get(step.choice[0], step.choice[1]) != step.choice[1]
        for step in other
    )


def _steps_in_loops(uses: Sequence[Use]) -> list[Step]:
    """The first eqn that uses, in each iteration of a loop, a key that the loop does not change."""
    for use in uses:
        around = loops_of(use.path) - use.loops
        outermost = min(map(len, around), default=len(use.path))
        inside = use.path[outermost:]
        if inside and not any(step.choice for step in inside):
            return [Step(inside[0].place)]
    return []


def _is_the_users(indexed: IndexedProgram, places: Sequence[Place]) -> bool:
    """False if all uses are in a library that one line of the user calls."""
    eqns = [indexed.eqn(place) for place in places]
    frames = indexed.jaxpr.frames
    if any(eqn.frame is None for eqn in eqns):
        return False
    own = any(eqn.call is None or not frames[eqn.call].library for eqn in eqns)
    return own or len({eqn.frame for eqn in eqns}) > 1


def _draft(indexed: IndexedProgram, places: list[Place], name: str, is_loop: bool) -> Draft:
    texts = [indexed.expression_of([place]) for place in places]
    frames = [indexed.frame_of([place]) for place in places]
    at = frames[-1 if is_loop else 1]
    named = "" if name else ", unnamed"
    if is_loop:
        what = sentence(f"key-reuse, loop{named}", name=name, expression=texts[0])
    elif len(set(frames)) == 1:
        what = sentence(
            f"key-reuse, line{named}", name=name, expression=texts[0], times=len(places)
        )
    else:
        line = str(frames[0].line if frames[0] else 0)
        what = sentence(
            f"key-reuse{named}", name=name, first=texts[0], line=line, expression=texts[1]
        )
    fix = sentence("key-reuse fix, loop" if is_loop else "key-reuse fix")
    return Draft(what, fix=fix, places=places, names=[name] if name else [], at=at)
