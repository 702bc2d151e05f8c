"""Guesses for instructions that compute nothing: constants, casts, and moves of elements.

A constant, and its broadcast, was made for an eqn that uses it and has a literal, or is one that
JAX lowers with a constant. A cast between floating-point types was made for the eqn whose operand
it widens or whose result it rounds, unless it is a cast of the program. A move of elements was made
for the one move of the program at its place, else for the eqn that uses the elements, or returns
them.
"""

from __future__ import annotations

import math

from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns, Origin
from jaxviz.analysis.links.linked_around import MOVES, Around, LinkedAround

_FIT = {
    "copy": {"transpose"},
    "transpose": {"transpose"},
    "broadcast": {"broadcast_in_dim"},
    "broadcast_in_dim": {"broadcast_in_dim"},
    "reshape": {"reshape", "squeeze", "expand_dims", "broadcast_in_dim"},
    "bitcast": {"reshape", "squeeze", "expand_dims", "broadcast_in_dim", "transpose"},
}
"""The moves of a jaxpr that an instruction may implement."""


def guess_of_move(around: LinkedAround, number: int) -> Origin:
    """The origin of a constant, a cast or a move; empty for others, and if it is uncertain."""
    if around.is_of_constant(number):
        return _of_constant(around, number)
    if around.is_cast(number):
        return _of_cast(around, number)
    return _of_move(around, number) if around.ops[number] in MOVES else ()


def _of_constant(around: LinkedAround, number: int) -> Origin:
    known = around.origins[number]
    type_ = _type(around.flow.result(number).text)
    users = around.users(number)
    if not users.all_linked or users.at_border:
        return ()
    origins = {around.origins[user] for user in users.eqns}
    found: list[set[Origin]] = []
    for origin in origins:
        candidates = around.jaxpr.constant_of(origin[-1], type_)
        found.append({around.jaxpr.chain(one, origin) for one in candidates})
    common = set.intersection(*found) if found else set()
    first = around.first(common or set().union(*found))
    if not first and len(origins) == 1 and around.ops[number] != "constant":
        first = origins.pop()
    return first if first[: len(known)] == known else ()


def _type(text: str) -> str:
    """A type of XLA as a jaxpr writes it: `i32[4]` for `s32[4]`."""
    return f"i{text[1:]}" if text[0] == "s" else text.replace("pred", "bool")


def _of_cast(around: LinkedAround, number: int) -> Origin:
    from_, to = around.flow.operand(number), around.flow.result(number)
    if _bits(to.dtype) >= _bits(from_.dtype):
        users = around.users(number)
        found = [_cast_for_user(around, number, user) for user in users.eqns]
        return around.first(found) if users.all_linked and all(found) else ()
    makers = around.makers(number)
    if len(makers.eqns) != 1 or not makers.all_linked:
        return ()
    origin = around.origins[makers.eqns[0]]
    made_for = around.jaxpr.cast_after(origin[-1], from_.dtype, to.dtype)
    return () if made_for is None else around.jaxpr.chain(made_for, origin)


def _cast_for_user(around: LinkedAround, number: int, user: int) -> Origin:
    from_, to = around.flow.operand(number).dtype, around.flow.result(number).dtype
    origin, base = around.origins[user], around.base(*around.flow.sources(number)[0])
    made_for = around.jaxpr.cast_before(origin[-1], from_, to, base)
    return () if made_for is None else around.jaxpr.chain(made_for, origin)


def _bits(dtype: str) -> int:
    return int(
        "".join(filter(str.isdigit, dtype.partition("_")[0].removeprefix("float8")[:9])) or 8
    )


def _of_move(around: LinkedAround, number: int) -> Origin:
    before = around.flow.makers(number)[0]
    if around.ops[number] == "copy" and before != OUTSIDE and around.ops[before] == "transpose":
        return around.origins[before]
    after = {around.origins[user] for user in around.flow.users(number)}
    if len(after) == 1 and around.ops[number] == "transpose" and _are_moves(around, after):
        return after.pop()
    users = around.users(number)
    if not users.all_linked:
        return ()
    makers = around.makers(number)
    if makers.all_linked and not makers.passed and not users.passed:
        around.visited[number] = math.inf
    both = {around.origins[one] for one in users.eqns + makers.eqns}
    is_cast = any(map(around.is_cast, makers.eqns))
    if len(both) == 1 and users.eqns and makers.eqns and not users.at_border and not is_cast:
        return both.pop()
    if around.ops[number] == "copy":
        return _for_order(around, makers, users)
    if len(makers.eqns) > 1 or not makers.all_linked:
        return ()
    start: Origin | str = (
        around.origins[makers.eqns[0]] if makers.eqns else around.input_path(number)
    )
    ends = [_computed(around, user) for user in users.eqns]
    found = [_between(around, number, start, end) for end in ends + [()] * users.at_border]
    return around.first(found) if all(found) else ()


def _computed(around: LinkedAround, number: int) -> Origin:
    """The computing eqn of an instruction that XLA names after a move of its result."""
    origin = around.origins[number]
    base = around.jaxpr.base(origin[-1])
    if isinstance(base, str) or around.is_passed(number):
        return origin
    return around.jaxpr.chain(base, origin)


def _are_moves(around: LinkedAround, origins: set[Origin]) -> bool:
    return all(origin and around.jaxpr.is_move(origin[-1]) for origin in origins)


def _for_order(around: LinkedAround, makers: Around, users: Around) -> Origin:
    """The origin of a copy that gives a value another layout, or memory of its own: that of the eqn
    that uses it, or of its maker."""
    if users.eqns:
        return around.first(around.origins[user] for user in users.eqns)
    alone = len(makers.eqns) == 1 and makers.all_linked
    return around.origins[makers.eqns[0]] if alone else ()


def _between(around: LinkedAround, number: int, start: Origin | str, end: Origin) -> Origin:
    """The origin of a move between the instructions of two eqns. `start` may be an input's path; an
    empty `end` is a result of the program."""
    jaxpr, op = around.jaxpr, around.ops[number]
    made = () if isinstance(start, str) else start
    left = jaxpr.moves_between(start, end) - around.moved
    if not left:
        if op == "bitcast":
            return ()
        left = jaxpr.moves_near(made[-1:], end[-1:])
    fit = {one for one in left if jaxpr.ops[one] in _FIT.get(op, ())}
    shape = around.flow.result(number).shape
    of_shape = {one for one in fit if jaxpr.flow.result(one).shape == shape}
    if op == "broadcast" and end and not of_shape and jaxpr.broadcasts(end[-1]):
        return end
    fit = of_shape or fit
    if fit:
        return jaxpr.chain(fit.pop(), end or made) if len(fit) == 1 else ()
    return () if op == "bitcast" else _for_one_of(jaxpr, made, end)


def _for_one_of(jaxpr: JaxprEqns, start: Origin, end: Origin) -> Origin:
    """The one of two eqns for which XLA moves elements: the one that is not elementwise, as moves
    and elementwise eqns commute. A convolution moves its result back."""
    if end and not jaxpr.is_elementwise(end[-1]):
        return start if start and jaxpr.is_convolution(start[-1]) else end
    return start if start and not jaxpr.is_elementwise(start[-1]) else ()
