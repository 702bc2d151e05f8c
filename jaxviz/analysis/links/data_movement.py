"""Guesses for instructions that compute nothing: tuples and their parts, fusions, calls, constants,
casts, and moves of elements. The package's docstring has the rules."""

from __future__ import annotations

import math
from collections.abc import Iterable

from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns, Origin
from jaxviz.analysis.links.linked_stage import MOVES, LinkedStage, Neighbours

_MOVES_OF_INSTRUCTION = {
    "copy": {"transpose"},
    "transpose": {"transpose"},
    "broadcast": {"broadcast_in_dim"},
    "broadcast_in_dim": {"broadcast_in_dim"},
    "reshape": {"reshape", "squeeze", "expand_dims", "broadcast_in_dim"},
    "bitcast": {"reshape", "squeeze", "expand_dims", "broadcast_in_dim", "transpose"},
}
"""The moves of a jaxpr that an instruction may implement."""


def guess_tuples(linked: LinkedStage) -> None:
    """Guesses the origins of tuples and their parts. Those of a loop or a branch belong to it, and
    any other tuple to its user."""
    flow = linked.flow
    tuples = {number for number, op in enumerate(flow.ops) if op == "tuple"}
    graphs = {flow.graph_of[number] for number in tuples}
    users: dict[int, set[int]] = {}
    for number, graph in enumerate(flow.graph_of):
        for made in flow.direct_makers(number) if graph in graphs else ():
            if made in tuples:
                users.setdefault(made, set()).add(number)
    for number in reversed(users):
        if not linked.origins[number]:
            _add(linked, number, _common(linked, users[number]))
    for number, op in enumerate(flow.ops):
        if not linked.origins[number] and op in ("tuple", "get_tuple_element"):
            _add(linked, number, _part_origin(linked, number))


def guess_calls(linked: LinkedStage) -> None:
    """Guesses the origins of fusions and calls by their contents, then those of tuples, then those
    of functions applied to single elements by the eqn that applies them."""
    flow = linked.flow
    for number in reversed(range(len(flow.eqns))):
        if flow.transparent[number]:
            own, root = linked.origins[number], _root_origin(linked, number)
            if root[: len(own)] == own:
                _add(linked, number, root)
    guess_tuples(linked)
    for number in range(len(flow.eqns)):
        if not linked.origins[number] and linked.is_applied(number):
            _add(linked, number, _caller_origin(linked, number))


def _add(linked: LinkedStage, number: int, origin: Origin) -> None:
    if origin:
        linked.add(number, origin)


def _part_origin(linked: LinkedStage, number: int) -> Origin:
    """The origin of a part of a tuple, or of the tuple that is the result of a body."""
    flow = linked.flow
    made = set(flow.direct_makers(number))
    is_part = flow.ops[number] == "get_tuple_element"
    if is_part and OUTSIDE not in made:
        return _common(linked, made)
    results = flow.stage.graphs[flow.graph_of[number]].outvars
    is_border = is_part or not set(flow.eqns[number].outvars).isdisjoint(results)
    return _caller_origin(linked, number) if is_border else ()


def _caller_origin(linked: LinkedStage, number: int) -> Origin:
    """The origin of the one loop, branch or reduction that contains an eqn; empty in a fusion or a
    call."""
    callers = [caller for caller, _ in linked.flow.callers[linked.flow.graph_of[number]]]
    ops = {linked.flow.ops[caller] for caller in callers}
    if ops & {"fusion", "call", "custom_call", "async"}:
        return ()
    return _common(linked, callers)


def _root_origin(linked: LinkedStage, number: int) -> Origin:
    """The origin of the computation that makes the result of a fusion or call. If none is linked,
    the origin of an eqn that only moves or casts the result."""
    flow = linked.flow
    [body] = flow.eqns[number].bodies
    results = [flow.direct_maker(body.graph, var) for var in flow.stage.graphs[body.graph].outvars]
    waiting = [made for made in results if made != OUTSIDE]
    seen: set[int] = set()
    moved: Origin = ()
    for one in waiting:
        origin = linked.origins[one]
        if origin and not linked.is_movement(one):
            return origin
        moved = moved or origin
        for made in flow.direct_makers(one):
            if made != OUTSIDE and made not in seen:
                seen.add(made)
                waiting.append(made)
    return moved


def _common(linked: LinkedStage, numbers: Iterable[int]) -> Origin:
    """The common origin of some eqns; empty if one has none, or they differ."""
    origins = {linked.origins[number] for number in numbers}
    return origins.pop() if len(origins) == 1 else ()


def movement_origin(linked: LinkedStage, number: int) -> Origin:
    """The origin of a constant, a cast or a move; empty for others, and if it is uncertain."""
    if linked.is_of_constant(number):
        return _constant_origin(linked, number)
    if linked.is_cast(number):
        return _cast_origin(linked, number)
    return _move_origin(linked, number) if linked.ops[number] in MOVES else ()


def _constant_origin(linked: LinkedStage, number: int) -> Origin:
    own = linked.origins[number]
    type_ = _type(linked.flow.result(number).text)
    users = linked.users(number)
    if not users.all_linked or users.at_border:
        return ()
    origins = {linked.origins[user] for user in users.eqns}
    found: list[set[Origin]] = []
    for origin in origins:
        candidates = linked.jaxpr.constant_of(origin[-1], type_)
        found.append({linked.jaxpr.origin_of(one, origin) for one in candidates})
    common = set.intersection(*found) if found else set()
    first = linked.first(common or set().union(*found))
    if not first and len(origins) == 1 and linked.ops[number] != "constant":
        first = origins.pop()
    return first if first[: len(own)] == own else ()


def _type(text: str) -> str:
    """A type of XLA as a jaxpr writes it: `i32[4]` for `s32[4]`."""
    return f"i{text[1:]}" if text[0] == "s" else text.replace("pred", "bool")


def _cast_origin(linked: LinkedStage, number: int) -> Origin:
    from_, to = linked.flow.operand(number), linked.flow.result(number)
    if _bits(to.dtype) >= _bits(from_.dtype):
        users = linked.users(number)
        found = [_cast_for_user(linked, number, user) for user in users.eqns]
        return linked.first(found) if users.all_linked and all(found) else ()
    makers = linked.makers(number)
    if len(makers.eqns) != 1 or not makers.all_linked:
        return ()
    origin = linked.origins[makers.eqns[0]]
    made_for = linked.jaxpr.cast_after(origin[-1], from_.dtype, to.dtype)
    return () if made_for is None else linked.jaxpr.origin_of(made_for, origin)


def _cast_for_user(linked: LinkedStage, number: int, user: int) -> Origin:
    from_, to = linked.flow.operand(number).dtype, linked.flow.result(number).dtype
    origin, base = linked.origins[user], linked.base(*linked.flow.sources(number)[0])
    made_for = linked.jaxpr.cast_before(origin[-1], from_, to, base)
    return () if made_for is None else linked.jaxpr.origin_of(made_for, origin)


def _bits(dtype: str) -> int:
    return int(
        "".join(filter(str.isdigit, dtype.partition("_")[0].removeprefix("float8")[:9])) or 8
    )


def _move_origin(linked: LinkedStage, number: int) -> Origin:
    before = linked.flow.makers(number)[0]
    if linked.ops[number] == "copy" and before != OUTSIDE and linked.ops[before] == "transpose":
        return linked.origins[before]
    after = {linked.origins[user] for user in linked.flow.users(number)}
    if len(after) == 1 and linked.ops[number] == "transpose":
        [origin] = after
        if origin and linked.jaxpr.is_move(origin[-1]):
            return origin
    users = linked.users(number)
    if not users.all_linked:
        return ()
    makers = linked.makers(number)
    if makers.all_linked and not makers.passes_unlinked and not users.passes_unlinked:
        linked.visited[number] = math.inf
    both = {linked.origins[one] for one in users.eqns + makers.eqns}
    is_cast = any(map(linked.is_cast, makers.eqns))
    if len(both) == 1 and users.eqns and makers.eqns and not users.at_border and not is_cast:
        return both.pop()
    if linked.ops[number] == "copy":
        return _copy_origin(linked, makers, users)
    if len(makers.eqns) > 1 or not makers.all_linked:
        return ()
    start: Origin | str = (
        linked.origins[makers.eqns[0]] if makers.eqns else linked.input_path(number)
    )
    ends = [_computing_origin(linked, user) for user in users.eqns]
    found = [_move_between(linked, number, start, end) for end in ends + [()] * users.at_border]
    return linked.first(found) if all(found) else ()


def _computing_origin(linked: LinkedStage, number: int) -> Origin:
    """The origin of an instruction; if XLA gave it that of a move of its result, the eqn before the
    move."""
    origin = linked.origins[number]
    base = linked.jaxpr.base(origin[-1])
    if isinstance(base, str) or linked.is_movement(number):
        return origin
    return linked.jaxpr.origin_of(base, origin)


def _copy_origin(linked: LinkedStage, makers: Neighbours, users: Neighbours) -> Origin:
    """The origin of a copy into another layout or into new memory: that of the eqn that uses the
    copy, or of the maker of the value."""
    if users.eqns:
        return linked.first(linked.origins[user] for user in users.eqns)
    alone = len(makers.eqns) == 1 and makers.all_linked
    return linked.origins[makers.eqns[0]] if alone else ()


def _move_between(linked: LinkedStage, number: int, start: Origin | str, end: Origin) -> Origin:
    """The origin of a move between the instructions of two eqns. `start` may be an input's path; an
    empty `end` is a result of the program."""
    jaxpr, op = linked.jaxpr, linked.ops[number]
    made = () if isinstance(start, str) else start
    left = jaxpr.moves_between(start, end) - linked.moved
    if not left:
        if op == "bitcast":
            return ()
        left = jaxpr.moves_near(made[-1:], end[-1:])
    fit = {one for one in left if jaxpr.ops[one] in _MOVES_OF_INSTRUCTION.get(op, ())}
    shape = linked.flow.result(number).shape
    of_shape = {one for one in fit if jaxpr.flow.result(one).shape == shape}
    if op == "broadcast" and end and not of_shape and jaxpr.broadcasts(end[-1]):
        return end
    fit = of_shape or fit
    if fit:
        return jaxpr.origin_of(fit.pop(), end or made) if len(fit) == 1 else ()
    return () if op == "bitcast" else _non_elementwise(jaxpr, made, end)


def _non_elementwise(jaxpr: JaxprEqns, start: Origin, end: Origin) -> Origin:
    """The one of two eqns for which XLA moves elements: the one that is not elementwise, since XLA
    may swap moves and elementwise eqns. After a convolution, the move restores its result."""
    if end and not jaxpr.is_elementwise(end[-1]):
        return start if start and jaxpr.is_convolution(start[-1]) else end
    return start if start and not jaxpr.is_elementwise(start[-1]) else ()
