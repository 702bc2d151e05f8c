"""Guesses for what computes, and has lost its name: products of arrays, and what XLA makes of one
eqn in several steps."""

from __future__ import annotations

from collections import defaultdict

from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import ELEMENTWISE_COSTS, Origin
from jaxviz.analysis.links.linked_around import LinkedAround
from jaxviz.ops import row_of

_PRODUCTS = frozenset(("dot", "convolution"))
_PLAIN = frozenset(
    (
        "add",
        "add_any",
        "and",
        "div",
        "eq",
        "ge",
        "gt",
        "le",
        "lt",
        "max",
        "min",
        "mul",
        "ne",
        "neg",
        "not",
        "or",
        "select_n",
        "sub",
        "xor",
    )
)
"""Primitives that XLA computes by instructions as plain as they are."""
_PLAIN_INSTRUCTIONS = frozenset(
    (
        "add",
        "and",
        "compare",
        "divide",
        "maximum",
        "minimum",
        "multiply",
        "negate",
        "not",
        "or",
        "select",
        "subtract",
        "xor",
    )
)


def guess_products(around: LinkedAround) -> None:
    """Adds a guess for each product of arrays without a link, if one product of the jaxpr alone has
    the same operands, moved or cast, and no other instruction was made for it."""
    waiting = _unlinked(around, _PRODUCTS)
    if not waiting:
        return
    jaxpr = around.jaxpr
    by_operands: dict[str, list[int]] = defaultdict(list)
    for number in range(len(jaxpr.flow.eqns)):
        if jaxpr.is_contraction(number) and number not in around.computed:
            by_operands[_key(jaxpr.bases(number))].append(number)
    for number in waiting:
        found = by_operands.get(_key(_operands(around, number)), [])
        if len(found) == 1 and found[0] not in around.computed:
            around.add(number, jaxpr.chain(found[0], ()))


def guess_expansions(around: LinkedAround) -> None:
    """Adds a guess for eqns without a link that compute something, where what lies between the
    linked eqns around them is one eqn of the jaxpr, or none: then they are steps of the eqn that
    alone uses them."""
    waiting = set(_unlinked(around))
    while waiting:
        part = _connected(around, waiting.pop(), waiting)
        waiting -= part
        origin = _origin_of(around, part)
        for number in part if origin else ():
            around.add(number, origin)


def _unlinked(around: LinkedAround, ops: frozenset[str] | None = None) -> list[int]:
    """The eqns without a link that compute, of some ops or of all."""
    flow = around.flow
    return [
        number
        for number, origin in enumerate(around.origins)
        if not origin
        and not flow.through[number]
        and (flow.ops[number] in ops if ops else not row_of(flow.eqns[number].op).idle)
        and not around.is_passed(number)
        and not is_applied(around, number)
    ]


def is_applied(around: LinkedAround, number: int) -> bool:
    """Whether an eqn lies in a body that is applied to single elements."""
    holders = around.flow.held_by[around.flow.graph_of[number]]
    return any(
        _applies(around.flow.ops[holder], around.flow.eqns[holder].op) for holder, _ in holders
    )


def _applies(name: str, op: str) -> bool:
    return name not in ("fusion", "custom_call") and row_of(op).bodies in ("", "applied")


def _connected(around: LinkedAround, number: int, others: set[int]) -> set[int]:
    """The eqns without a link that use one another's values, moved or cast."""
    part = {number}
    waiting = [number]
    seen = {number}
    while waiting:
        one = waiting.pop()
        near = {made for made, _ in around.flow.sources[one]} | set(around.flow.users[one])
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


def _origin_of(around: LinkedAround, part: set[int]) -> Origin:
    jaxpr = around.jaxpr
    makers = around.eqns(maker for one in part for maker in around.makers(one).eqns)
    users = [user for one in part for user in around.users(one).eqns]
    ends = {around.origins[user] for user in users}
    at_border = any(around.users(one).at_border for one in part)
    only = ends.pop() if len(ends) == 1 and not at_border else ()
    if only and (not _may_become(around, only[-1], part) or _is_complete(around, only[-1], part)):
        only = ()
    if only and jaxpr.is_contraction(only[-1]) and only[-1] not in around.computed:
        return only
    between = jaxpr.between(makers, around.eqns(users))
    if between is None:
        return ()
    fit = {one for one in between if not jaxpr.only_passes(one) and _may_become(around, one, part)}
    left = fit - around.computed
    if len(left) == 1:
        return jaxpr.chain(left.pop(), around.origins[users[0]] if users else ())
    if fit and only:
        alone = makers and makers <= set(jaxpr.bases(only[-1]))
        return only if alone and not _is_elementwise(around, part) else ()
    return only


def _is_complete(around: LinkedAround, eqn: int, part: set[int]) -> bool:
    """Whether XLA computes an eqn of the jaxpr by one instruction, which is there without these.
    Of quotients it makes products: `a / b / c` becomes `a / (b * c)`."""
    op = around.jaxpr.flow.eqns[eqn].op
    if op == "div" and all(around.ops[number] == "multiply" for number in part):
        return False
    return op in _PLAIN and eqn in around.computed


def _may_become(around: LinkedAround, eqn: int, part: set[int]) -> bool:
    """Whether XLA may compute an eqn of the jaxpr by these instructions."""
    ops = {around.ops[number] for number in part}
    if ops & _PRODUCTS:
        return around.jaxpr.is_contraction(eqn)
    if around.jaxpr.is_contraction(eqn) and not ops <= {"multiply", "reduce", "convert"}:
        return False
    if around.jaxpr.flow.eqns[eqn].op in _PLAIN and not ops <= _PLAIN_INSTRUCTIONS:
        return False
    if _is_elementwise(around, part):
        return True
    return row_of(around.jaxpr.flow.eqns[eqn].op).cost not in ELEMENTWISE_COSTS


def _is_elementwise(around: LinkedAround, part: set[int]) -> bool:
    rows = [row_of(around.flow.eqns[number].op) for number in part]
    return all(row.cost in ELEMENTWISE_COSTS for row in rows)


def _operands(around: LinkedAround, number: int) -> list[int | str]:
    """What the operands of a product come from, as eqns of the jaxpr or paths of inputs."""
    found: list[int | str] = []
    for source in around.flow.sources[number]:
        made, value = around.moved_from(*source)
        if made == OUTSIDE:
            found.append(around.path_of_input(value))
        else:
            origin = around.origins[made]
            found.append(around.jaxpr.base(origin[-1]) if origin else "")
    return found


def _key(operands: list[int | str]) -> str:
    """The same for operands in any order, and for all products with an operand that is not known:
    the only one of these in the program is linked, too."""
    return "" if "" in operands else " ".join(sorted(map(str, operands)))
