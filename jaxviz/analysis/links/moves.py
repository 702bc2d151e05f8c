"""Guesses for what computes nothing: constants, casts, and what moves elements.

A constant, and what broadcasts it, was made for an eqn that uses it and has a literal, or is one
that JAX lowers with a constant. A cast between floating-point types was made for the eqn whose
operand it widens or whose result it rounds, unless a cast of the program stands there. What moves
elements was made for the one move of the program that stands there, else for the eqn that uses the
elements so, or that returns them.
"""

from __future__ import annotations

from jaxviz.analysis.links.jaxpr_eqns import Origin
from jaxviz.analysis.links.linked_around import MOVES, Around, LinkedAround

_FIT = {
    "copy": {"transpose"},
    "transpose": {"transpose"},
    "broadcast": {"broadcast_in_dim"},
    "broadcast_in_dim": {"broadcast_in_dim"},
    "reshape": {"reshape", "squeeze", "expand_dims", "broadcast_in_dim"},
    "bitcast": {"reshape", "squeeze", "expand_dims", "broadcast_in_dim", "transpose"},
}
"""Which moves of a jaxpr an instruction may stand for."""


def guess_of_move(around: LinkedAround, number: int) -> Origin:
    """The origin of a constant, a cast or a move; empty for others, and where it is not clear."""
    if around.is_of_constant(number):
        return _of_constant(around, number)
    if around.is_cast(number):
        return _of_cast(around, number)
    return _of_move(around, number) if around.ops[number] in MOVES else ()


def _of_constant(around: LinkedAround, number: int) -> Origin:
    known = around.origins[number]
    users = around.users(number)
    if not users.all_linked or users.at_border:
        return ()
    found: list[set[Origin]] = []
    for user in users.eqns:
        origin = around.origins[user]
        candidates = around.jaxpr.constant_of(origin[-1])
        found.append({around.jaxpr.chain(one, origin) for one in candidates})
    common = set.intersection(*found) if found else set()
    first = around.first(common or set().union(*found))
    if not first and len(users.eqns) == 1 and around.ops[number] != "constant":
        first = around.origins[users.eqns[0]]
    return first if first[: len(known)] == known else ()


def _of_cast(around: LinkedAround, number: int) -> Origin:
    from_, to = around.flow.operand(number), around.flow.result(number)
    if _bits(to.dtype) >= _bits(from_.dtype):
        users = around.users(number)
        found = [_cast_for_user(around, user, from_.dtype, to.dtype) for user in users.eqns]
        return around.first(found) if users.all_linked and all(found) else ()
    makers = around.makers(number)
    if len(makers.eqns) != 1 or not makers.all_linked:
        return ()
    origin = around.origins[makers.eqns[0]]
    made_for = around.jaxpr.cast_after(origin[-1], from_.dtype, to.dtype)
    return () if made_for is None else around.jaxpr.chain(made_for, origin)


def _cast_for_user(around: LinkedAround, user: int, from_: str, to: str) -> Origin:
    origin = around.origins[user]
    made_for = around.jaxpr.cast_before(origin[-1], from_, to)
    return () if made_for is None else around.jaxpr.chain(made_for, origin)


def _bits(dtype: str) -> int:
    return int(
        "".join(filter(str.isdigit, dtype.partition("_")[0].removeprefix("float8")[:9])) or 8
    )


def _of_move(around: LinkedAround, number: int) -> Origin:
    users, makers = around.users(number), around.makers(number)
    if not users.all_linked:
        return ()
    if around.ops[number] == "copy" and not users.moved and not makers.moved:
        return _for_order(around, makers, users)
    if len(makers.eqns) > 1 or not makers.all_linked:
        return ()
    made = around.eqns(makers.eqns)
    start = made.pop() if made else None
    ends: list[int | None] = [*users.eqns]
    if users.at_border:
        ends.append(None)
    found = [_between(around, number, start, end, makers) for end in ends]
    return around.first(found) if found and all(found) else ()


def _for_order(around: LinkedAround, makers: Around, users: Around) -> Origin:
    """The origin of a copy that gives a value another layout, or memory of its own: that of the
    eqn that uses it, or of the one whose result it is."""
    if users.eqns:
        return around.first(around.origins[user] for user in users.eqns)
    alone = len(makers.eqns) == 1 and makers.all_linked
    return around.origins[makers.eqns[0]] if alone else ()


def _between(
    around: LinkedAround, number: int, start: int | None, end: int | None, makers: Around
) -> Origin:
    """The origin of a move between the eqn `start` of the jaxpr and the eqn `end` of the stage."""
    near = around.origins[end] if end is not None else ()
    moves = around.jaxpr.moves_between(start, near[-1] if near else None)
    fit = _FIT.get(around.ops[number], set())
    left = [one for one in moves - around.moved if around.jaxpr.flow.eqns[one].op in fit]
    if len(left) == 1:
        return around.jaxpr.chain(left[0], near or _of_first(around, makers))
    if left or around.ops[number] == "bitcast":
        return ()
    return _moved_past(around, number, near or _of_first(around, makers), makers)


def _moved_past(around: LinkedAround, number: int, near: Origin, makers: Around) -> Origin:
    """The origin of a move where no move of the program stands: that of the one nearby that XLA has
    moved past an elementwise eqn, else of the eqn that it serves."""
    fit = _FIT.get(around.ops[number], set())
    others = around.jaxpr.moves_near(around.eqns(makers.eqns), near[-1:]) - around.moved
    left = [one for one in others if around.jaxpr.flow.eqns[one].op in fit]
    if left:
        return around.jaxpr.chain(left[0], near) if len(left) == 1 else ()
    return near


def _of_first(around: LinkedAround, makers: Around) -> Origin:
    return around.origins[makers.eqns[0]] if makers.eqns else ()
