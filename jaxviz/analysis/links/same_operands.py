"""Guesses for computing instructions without a name: the one eqn of the program that computes the
same from the same operands, or for the same user."""

from __future__ import annotations

from collections import defaultdict

from jaxviz.analysis.links.becomes import PRODUCTS, is_divided_by, is_plain, may_become, may_compute
from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import Origin
from jaxviz.analysis.links.linked_around import MOVES, LinkedAround
from jaxviz.ops import row_of


def guess_by_operands(around: LinkedAround) -> None:
    """Adds a guess for each computing eqn without a link, if only one eqn of the jaxpr has the same
    operands, moved or cast, may become it, and has no other computing instruction."""
    waiting = set(unlinked(around))
    jaxpr = around.jaxpr
    by_operands: dict[str, list[int]] = defaultdict(list)
    for number, op in enumerate(jaxpr.ops):
        if jaxpr.is_contraction(number) or is_plain(op):
            by_operands[_key(jaxpr.bases(number))].append(number)
    for number in around.flow.order if waiting else ():
        named = _named_by_moves(around, number) if number in waiting else set()
        if named:
            waiting.discard(number)
            if len(named) == 1 and named.isdisjoint(around.computed):
                around.add(number, named.pop())
        key = (
            _key([around.base(*source) for source in around.flow.sources(number)])
            if number in waiting
            else None
        )
        if key or (key is not None and around.ops[number] in PRODUCTS):
            alike = [one for one in by_operands[key] if may_become(around, one, {number})]
            left = {jaxpr.chain(one, ()) for one in alike} - around.computed
            if len(left) == 1:
                around.add(number, left.pop())


def guess_by_users(around: LinkedAround) -> None:
    """Adds a guess for each computing eqn without a link and with one user, if only one operand of
    that user is computed so, and by nothing else."""
    jaxpr = around.jaxpr
    known = set(around.origins)
    for number in reversed(unlinked(around, rest=True)):
        users = around.users(number)
        ends = {around.origins[user] for user in users.eqns}
        if len(ends) != 1 or users.at_border or not users.all_linked:
            continue
        end = ends.pop()
        graph = jaxpr.flow.graph_of[end[-1]]
        bases = {one for one in jaxpr.bases(end[-1]) if isinstance(one, int)}
        fit = {one for one in bases if may_compute(around, one, number)}
        origin = (*end[:-1], *fit)
        if len(fit) == 1 and origin not in known and jaxpr.flow.graph_of[origin[-1]] == graph:
            around.add(number, origin)


def unlinked(around: LinkedAround, *, rest: bool = False) -> list[int]:
    """The computing eqns without a link; with `rest`, those on which `_named_by_moves` has no
    result."""
    flow = around.flow
    return [
        number
        for number, origin in enumerate(around.origins)
        if not origin
        and not flow.through[number]
        and not row_of(flow.eqns[number].op).idle
        and not around.is_passed(number)
        and not around.is_applied(number)
        and not (rest and _named_by_moves(around, number))
    ]


def _named_by_moves(around: LinkedAround, number: int) -> set[Origin]:
    """The candidates for an eqn: other instructions made for them only move or repeat an operand of
    this eqn, only for it. The eqn may compute one of these and no other."""
    flow = around.flow
    if is_divided_by(around, number):
        return set()
    moves = [
        made
        for made in flow.makers(number)
        if made != OUTSIDE and around.ops[made] in MOVES and flow.users(made) == [number]
    ]
    named = {around.origins[made] for made in moves if around.origins[made]}
    return {one for one in named if may_become(around, one[-1], {number})}


def _key(operands: list[int | str]) -> str:
    """A key that is equal for operands in any order, and for all products with an unknown operand:
    the only such product in the program is linked, too."""
    return "" if "" in operands else " ".join(sorted(map(str, operands)))
