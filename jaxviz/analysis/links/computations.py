"""Guesses for computing instructions without a name: by their operands, by their only user, or as
steps of one eqn of the jaxpr."""

from __future__ import annotations

from collections import defaultdict

from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import Origin
from jaxviz.analysis.links.linked_stage import MOVES, LinkedStage
from jaxviz.ops import RUN, row_of

PRODUCTS = frozenset(("dot", "convolution"))
_COMPUTES = {
    "add": "add_any sub",
    "clamp": "max min",
    "compare": "eq ne lt le gt ge eq_to lt_to le_to not",
    "cosine": "cos",
    "divide": "div integer_pow",
    "exponential": "exp",
    "exponential_minus_one": "expm1",
    "log_plus_one": "log1p",
    "maximum": "max clamp",
    "minimum": "min clamp",
    "multiply": "mul div square integer_pow pow",
    "negate": "neg",
    "power": "pow",
    "remainder": "rem",
    "reverse": "rev",
    "select": "select_n",
    "sine": "sin",
    "sqrt": "pow",
    "subtract": "sub",
}
"""The plain primitives that XLA computes with an instruction, besides the one of the same name."""
_SUMS = PRODUCTS | {"reduce"}
_PRODUCT_OPS = _SUMS | {"multiply", "convert"}
"""The instructions with which XLA computes a small product of arrays. It needs at least one of
`_SUMS`."""
_INDEX_OPS = frozenset(("add", "and", "clamp", "compare", "select"))
"""The instructions that check indices."""
_PLAIN_COSTS = ("elementwise", "transcendental", "integer_pow", "selected", "free")
_PLAIN_MOVES = frozenset(("concatenate", "iota", "pad", "rev", "reverse", "slice"))
"""With `_PLAIN_COSTS`, the plain primitives: XLA computes each with one instruction, or several
that are alike."""


def may_compute(linked: LinkedStage, eqn: int, number: int) -> bool:
    """True if an instruction may be a step of a plain primitive: XLA uses it for this primitive,
    and its result has the same kind of numbers."""
    instruction, op = linked.ops[number], linked.jaxpr.ops[eqn]
    made, wanted = linked.flow.result(number).dtype, linked.jaxpr.flow.result(eqn).dtype
    is_alike = made.lstrip("bu")[:3] == wanted.lstrip("bu")[:3]
    return is_alike and (instruction == op or op in _COMPUTES.get(instruction, "").split())


def is_plain(op: str) -> bool:
    """True if XLA computes a primitive with one instruction, or with several that are alike."""
    return row_of(op).cost in _PLAIN_COSTS or op in _PLAIN_MOVES


def is_complete(linked: LinkedStage, origin: Origin, part: set[int]) -> bool:
    """True if one instruction computes an eqn of the jaxpr, and the eqn has one outside `part`. XLA
    turns quotients into products: `a / b / c` becomes `a / (b * c)`."""
    op = linked.jaxpr.ops[origin[-1]]
    if op == "div" and all(linked.ops[number] == "multiply" for number in part):
        return False
    return is_plain(op) and origin in linked.computed


def may_become(linked: LinkedStage, eqn: int, part: set[int]) -> bool:
    """True if XLA may compute an eqn of the jaxpr with these instructions."""
    jaxpr = linked.jaxpr
    ops = {linked.ops[number] for number in part}
    op = jaxpr.ops[eqn]
    if jaxpr.is_contraction(eqn):
        return ops <= _PRODUCT_OPS and (bool(ops & _SUMS) or _is_summed_for(linked, eqn, part))
    if ops & PRODUCTS or jaxpr.is_movement(eqn) or row_of(op).bodies in RUN:
        return False
    if is_plain(op):
        return all(
            may_compute(linked, eqn, number)
            and (linked.ops[number] != "multiply" or _may_multiply(linked, eqn, number, part))
            for number in part
        )
    if row_of(op).cost == "reduction":
        return ops <= {"reduce", "reduce_window"}
    if not is_elementwise(linked, part):
        return row_of(op).family != "elementwise"
    if uses_indices(op):
        return ops <= _INDEX_OPS
    return row_of(op).family not in ("movement", "other")


def uses_indices(op: str) -> bool:
    """True if a primitive reads elements at indices, or writes to some."""
    return op.startswith(("gather", "scatter", "dynamic_"))


def _may_multiply(linked: LinkedStage, eqn: int, number: int, part: set[int]) -> bool:
    """True if a product may be a step of an eqn. A step of a quotient is a product with a broadcast
    inverse. A step of a power is a product with a power of the same value."""
    op = linked.jaxpr.ops[eqn]
    factors = set(linked.flow.makers(number))
    if op == "div":
        repeated = any(made != OUTSIDE and linked.ops[made] in MOVES for made in factors)
        return repeated or is_divided_by(linked, number)
    if op in ("square", "integer_pow", "pow"):
        own = any(made != OUTSIDE and eqn in linked.origins[made][-1:] for made in factors)
        return len(factors) == 1 or own or bool(factors & part)
    return True


def is_divided_by(linked: LinkedStage, number: int) -> bool:
    """True if an eqn makes `b * c` in `a / (b * c)`, which XLA computes for `a / b / c`."""
    users = linked.flow.users(number)
    is_product = linked.ops[number] == "multiply" and bool(users)
    return is_product and all(linked.ops[user] == "divide" for user in users)


def _is_summed_for(linked: LinkedStage, eqn: int, part: set[int]) -> bool:
    """True if a reduction that has the eqn as origin sums results of some instructions."""
    users = [user for one in part for user in linked.flow.users(one)]
    return any(linked.ops[one] == "reduce" and eqn in linked.origins[one] for one in users)


def is_elementwise(linked: LinkedStage, part: set[int]) -> bool:
    return all(row_of(linked.flow.eqns[one].op).family == "elementwise" for one in part)


def guess_by_operands(linked: LinkedStage) -> None:
    """Guesses each computing eqn without a link, if only one eqn of the jaxpr has the same operands
    (perhaps moved or cast), may become it, and has no other computing instruction."""
    waiting = set(unlinked(linked))
    jaxpr = linked.jaxpr
    by_operands: dict[str, list[int]] = defaultdict(list)
    for number, op in enumerate(jaxpr.ops):
        if jaxpr.is_contraction(number) or is_plain(op):
            by_operands[_key(jaxpr.bases(number))].append(number)
    for number in linked.flow.order if waiting else ():
        named = _operand_origins(linked, number) if number in waiting else set()
        if named:
            waiting.discard(number)
            if len(named) == 1 and named.isdisjoint(linked.computed):
                linked.add(number, named.pop())
        if number not in waiting:
            continue
        key = _key([linked.base(*source) for source in linked.flow.sources(number)])
        if key or linked.ops[number] in PRODUCTS:
            alike = [one for one in by_operands[key] if may_become(linked, one, {number})]
            left = {jaxpr.origin_of(one, ()) for one in alike} - linked.computed
            if len(left) == 1:
                linked.add(number, left.pop())


def guess_by_users(linked: LinkedStage) -> None:
    """Guesses each computing eqn without a link and with one user, if XLA may compute only one
    operand of that user with it, and this operand has no other instruction."""
    jaxpr = linked.jaxpr
    origins = set(linked.origins)
    for number in reversed(unlinked(linked, rest=True)):
        users = linked.users(number)
        ends = {linked.origins[user] for user in users.eqns}
        if len(ends) != 1 or users.at_border or not users.all_linked:
            continue
        end = ends.pop()
        graph = jaxpr.flow.graph_of[end[-1]]
        bases = {one for one in jaxpr.bases(end[-1]) if isinstance(one, int)}
        fit = {one for one in bases if may_compute(linked, one, number)}
        origin = (*end[:-1], *fit)
        if len(fit) == 1 and origin not in origins and jaxpr.flow.graph_of[origin[-1]] == graph:
            linked.add(number, origin)


def unlinked(linked: LinkedStage, *, rest: bool = False) -> list[int]:
    """The computing eqns without a link; with `rest`, only those without `_operand_origins`."""
    flow = linked.flow
    return [
        number
        for number, origin in enumerate(linked.origins)
        if not origin
        and not flow.transparent[number]
        and not row_of(flow.eqns[number].op).idle
        and not linked.is_movement(number)
        and not linked.is_applied(number)
        and not (rest and _operand_origins(linked, number))
    ]


def _operand_origins(linked: LinkedStage, number: int) -> set[Origin]:
    """The candidates for an eqn: the origins of instructions that only move or repeat an operand
    for it. The eqn computes one of these, and no other."""
    flow = linked.flow
    if is_divided_by(linked, number):
        return set()
    moves = [
        made
        for made in flow.makers(number)
        if made != OUTSIDE and linked.ops[made] in MOVES and flow.users(made) == [number]
    ]
    named = {linked.origins[made] for made in moves if linked.origins[made]}
    return {one for one in named if may_become(linked, one[-1], {number})}


def _key(operands: list[int | str]) -> str:
    """A key of operands in any order. It is empty if one is unknown: then a product is linked if
    the program has only one such product."""
    return "" if "" in operands else " ".join(sorted(map(str, operands)))


_PART_LIMIT = 256
"""A part of more eqns is not divided again."""


def guess_expansions(linked: LinkedStage) -> None:
    """Guesses computing eqns without a link that use one another. They are steps of the one eqn of
    the jaxpr between the linked eqns around them; if there is none, of their only user."""
    waiting = set(unlinked(linked, rest=True))
    while waiting:
        part = _connected(linked, waiting.pop(), waiting)
        waiting -= part
        if not _guess_part(linked, part):
            for alone in _split_by_users(linked, part):
                _guess_part(linked, alone)


def _guess_part(linked: LinkedStage, part: set[int]) -> bool:
    """Adds the origin of some eqns, and returns True, if it is clear."""
    origin = _origin_of(linked, part)
    for number in part if origin else ():
        linked.add(number, origin)
    return bool(origin)


def _split_by_users(linked: LinkedStage, part: set[int]) -> list[set[int]]:
    """The eqns of a part, divided by the linked eqns that they lead to."""
    found: dict[frozenset[Origin], set[int]] = defaultdict(set)
    for one in part if len(part) <= _PART_LIMIT else ():
        found[_linked_users(linked, one)].add(one)
    return [alone for alone in found.values() if len(alone) < len(part)]


def _linked_users(linked: LinkedStage, number: int) -> frozenset[Origin]:
    """The origins of the nearest linked eqns that an eqn leads to, through eqns without a link."""
    seen: set[int] = set()
    waiting = [number]
    while waiting:
        one = waiting.pop()
        if not linked.origins[one]:
            new = set(linked.flow.users(one)) - seen
            seen |= new
            waiting += new
    return frozenset(linked.origins[one] for one in seen if linked.origins[one])


def _connected(linked: LinkedStage, number: int, others: set[int]) -> set[int]:
    """The eqns without a link that use one another's values, moved or cast."""
    part = {number}
    waiting = [number]
    seen = {number}
    while waiting:
        one = waiting.pop()
        near = set(linked.flow.makers(one)) | set(linked.flow.users(one))
        for other in near - seen - {OUTSIDE}:
            seen.add(other)
            if linked.origins[other] or linked.is_of_constant(other):
                continue
            if other in others:
                part.add(other)
                waiting.append(other)
            elif linked.is_movement(other) and linked.ops[other] != "tuple":
                waiting.append(other)
    return part


def _only_user(linked: LinkedStage, ends: set[Origin], part: set[int]) -> Origin:
    """The only user of some eqns. Of several users that all check the same indices, the first: XLA
    checks an index once."""
    if len(ends) > 1 and (
        len(part) > _PART_LIMIT
        or not all(uses_indices(linked.jaxpr.ops[end[-1]]) for end in ends)
        or any(_linked_users(linked, one) != ends for one in part)
    ):
        return ()
    return linked.first(ends)


def _has_operands(linked: LinkedStage, end: Origin, makers: set[int], part: set[int]) -> bool:
    """True if some eqns use only an eqn's own operands, which are all computed elsewhere."""
    bases = {one for one in linked.jaxpr.bases(end[-1]) if isinstance(one, int)}
    others = {linked.jaxpr.origin_of(one, end) for one in bases - makers}
    is_known = makers <= bases and others <= linked.computed
    return bool(makers) and is_known and not is_elementwise(linked, part)


def _origin_of(linked: LinkedStage, part: set[int]) -> Origin:
    jaxpr = linked.jaxpr
    makers = linked.eqns(maker for one in part for maker in linked.makers(one).eqns)
    users = [user for one in part for user in linked.users(one).eqns]
    ends = {linked.origins[user] for user in users}
    at_border = any(linked.users(one).at_border for one in part)
    only = () if at_border else _only_user(linked, ends, part)
    if only and (not may_become(linked, only[-1], part) or is_complete(linked, only, part)):
        only = ()
    if only and jaxpr.is_contraction(only[-1]) and only not in linked.computed:
        return only
    between = jaxpr.between(makers, linked.eqns(users))
    if between is None:
        return only if only and _has_operands(linked, only, makers, part) else ()
    near = linked.origins[users[0]] if users else ()
    between = {one for one in between if not jaxpr.is_movement(one)}
    fit = {one for one in between if may_become(linked, one, part)}
    left = {one for one in fit if jaxpr.origin_of(one, near) not in linked.computed}
    if not left and not only and len(fit) == 1:
        left = {one for one in fit if not is_plain(jaxpr.ops[one])}
    if len(left) == 1:
        return jaxpr.origin_of(left.pop(), near)
    if fit and only:
        alone = makers and makers <= set(jaxpr.bases(only[-1]))
        return only if alone and not is_elementwise(linked, part) else ()
    steps = any(may_become(linked, one, {number}) for one in between for number in part)
    return () if steps and is_elementwise(linked, part) else only
