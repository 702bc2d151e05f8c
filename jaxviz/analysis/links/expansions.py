"""Guesses for instructions that XLA makes from one eqn in several steps, and that have no name."""

from __future__ import annotations

from collections import defaultdict

from jaxviz.analysis.links.becomes import (
    finds_places,
    is_complete,
    is_elementwise,
    is_plain,
    may_become,
)
from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import Origin
from jaxviz.analysis.links.linked_around import LinkedAround
from jaxviz.analysis.links.same_operands import unlinked

_PART_LIMIT = 256
"""The most eqns of a part that is divided again."""


def guess_expansions(around: LinkedAround) -> None:
    """Adds a guess for computing eqns without a link. The part between the linked eqns around them
    is one eqn of the jaxpr, or none: then they are steps of their only user."""
    waiting = set(unlinked(around, rest=True))
    while waiting:
        part = _connected(around, waiting.pop(), waiting)
        waiting -= part
        if not _added(around, part):
            for alone in _by_ends(around, part):
                _added(around, alone)


def _added(around: LinkedAround, part: set[int]) -> bool:
    """True if the origin of some eqns was clear, and is added."""
    origin = _origin_of(around, part)
    for number in part if origin else ():
        around.add(number, origin)
    return bool(origin)


def _by_ends(around: LinkedAround, part: set[int]) -> list[set[int]]:
    """The subsets of some eqns that lead to the same linked eqns."""
    found: dict[frozenset[Origin], set[int]] = defaultdict(set)
    for one in part if len(part) <= _PART_LIMIT else ():
        found[_ends(around, one)].add(one)
    return [alone for alone in found.values() if len(alone) < len(part)]


def _ends(around: LinkedAround, number: int) -> frozenset[Origin]:
    """The origins of the nearest linked eqns that an eqn leads to, through eqns without a link."""
    seen: set[int] = set()
    waiting = [number]
    while waiting:
        one = waiting.pop()
        if not around.origins[one]:
            new = set(around.flow.users(one)) - seen
            seen |= new
            waiting += new
    return frozenset(around.origins[one] for one in seen if around.origins[one])


def _connected(around: LinkedAround, number: int, others: set[int]) -> set[int]:
    """The eqns without a link that use one another's values, moved or cast."""
    part = {number}
    waiting = [number]
    seen = {number}
    while waiting:
        one = waiting.pop()
        near = set(around.flow.makers(one)) | set(around.flow.users(one))
        for other in near - seen - {OUTSIDE}:
            seen.add(other)
            if around.origins[other] or around.is_of_constant(other):
                continue
            if other in others:
                part.add(other)
                waiting.append(other)
            elif around.is_passed(other) and around.ops[other] != "tuple":
                waiting.append(other)
    return part


def _only(around: LinkedAround, ends: set[Origin], part: set[int]) -> Origin:
    """The only user of some eqns. If several eqns that check indices all use each of them, the
    first one: XLA checks an index once."""
    if len(ends) > 1 and (
        len(part) > _PART_LIMIT
        or not all(finds_places(around.jaxpr.ops[end[-1]]) for end in ends)
        or any(_ends(around, one) != ends for one in part)
    ):
        return ()
    return around.first(ends)


def _has_operands(around: LinkedAround, end: Origin, makers: set[int], part: set[int]) -> bool:
    """True if some eqns use only an eqn's own operands, which are all computed elsewhere."""
    bases = {one for one in around.jaxpr.bases(end[-1]) if isinstance(one, int)}
    others = {around.jaxpr.chain(one, end) for one in bases - makers}
    is_known = makers <= bases and others <= around.computed
    return bool(makers) and is_known and not is_elementwise(around, part)


def _origin_of(around: LinkedAround, part: set[int]) -> Origin:
    jaxpr = around.jaxpr
    makers = around.eqns(maker for one in part for maker in around.makers(one).eqns)
    users = [user for one in part for user in around.users(one).eqns]
    ends = {around.origins[user] for user in users}
    at_border = any(around.users(one).at_border for one in part)
    only = () if at_border else _only(around, ends, part)
    if only and (not may_become(around, only[-1], part) or is_complete(around, only, part)):
        only = ()
    if only and jaxpr.is_contraction(only[-1]) and only not in around.computed:
        return only
    between = jaxpr.between(makers, around.eqns(users))
    if between is None:
        return only if only and _has_operands(around, only, makers, part) else ()
    near = around.origins[users[0]] if users else ()
    between = {one for one in between if not jaxpr.only_passes(one)}
    fit = {one for one in between if may_become(around, one, part)}
    left = {one for one in fit if jaxpr.chain(one, near) not in around.computed}
    if not left and not only and len(fit) == 1:
        left = {one for one in fit if not is_plain(jaxpr.ops[one])}
    if len(left) == 1:
        return jaxpr.chain(left.pop(), near)
    if fit and only:
        alone = makers and makers <= set(jaxpr.bases(only[-1]))
        return only if alone and not is_elementwise(around, part) else ()
    steps = any(may_become(around, one, {number}) for one in between for number in part)
    return () if steps and is_elementwise(around, part) else only
