"""The instructions that XLA may use to compute an eqn of the jaxpr."""

from __future__ import annotations

from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import Origin
from jaxviz.analysis.links.linked_around import MOVES, LinkedAround
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
"""For an instruction, the plain primitives that XLA computes with it, besides the primitive of the
same name."""
_SUMS = PRODUCTS | {"reduce"}
_OF_PRODUCTS = _SUMS | {"multiply", "convert"}
"""The instructions with which XLA computes a small product of arrays. At least one of these sums is
needed."""
_OF_PLACES = frozenset(("add", "and", "clamp", "compare", "select"))
"""The instructions that check indices."""
_PLAIN_COSTS = ("elementwise", "transcendental", "integer_pow", "selected", "free")
_PLAIN_MOVES = frozenset(("concatenate", "iota", "pad", "rev", "reverse", "slice"))
"""The plain primitives: one instruction computes them, or several that are alike."""


def may_compute(around: LinkedAround, eqn: int, number: int) -> bool:
    """True if an instruction may be a step of a plain primitive: XLA uses it for this primitive,
    and its result has the same kind of numbers."""
    instruction, op = around.ops[number], around.jaxpr.ops[eqn]
    made, wanted = around.flow.result(number).dtype, around.jaxpr.flow.result(eqn).dtype
    is_alike = made.lstrip("bu")[:3] == wanted.lstrip("bu")[:3]
    return is_alike and (instruction == op or op in _COMPUTES.get(instruction, "").split())


def is_plain(op: str) -> bool:
    """True if XLA computes a primitive with one instruction, or with several that are alike."""
    return row_of(op).cost in _PLAIN_COSTS or op in _PLAIN_MOVES


def is_complete(around: LinkedAround, origin: Origin, part: set[int]) -> bool:
    """True if XLA computes an eqn of the jaxpr with one instruction, and has one besides these. XLA
    turns quotients into products: `a / b / c` becomes `a / (b * c)`."""
    op = around.jaxpr.ops[origin[-1]]
    if op == "div" and all(around.ops[number] == "multiply" for number in part):
        return False
    return is_plain(op) and origin in around.computed


def may_become(around: LinkedAround, eqn: int, part: set[int]) -> bool:
    """True if XLA may compute an eqn of the jaxpr with these instructions."""
    jaxpr = around.jaxpr
    ops = {around.ops[number] for number in part}
    op = jaxpr.ops[eqn]
    if jaxpr.is_contraction(eqn):
        return ops <= _OF_PRODUCTS and (bool(ops & _SUMS) or _is_summed_for(around, eqn, part))
    if ops & PRODUCTS or jaxpr.only_passes(eqn) or row_of(op).bodies in RUN:
        return False
    if is_plain(op):
        return all(
            may_compute(around, eqn, number)
            and (around.ops[number] != "multiply" or _may_multiply(around, eqn, number, part))
            for number in part
        )
    if row_of(op).cost == "reduction":
        return ops <= {"reduce", "reduce_window"}
    if not is_elementwise(around, part):
        return row_of(op).family != "elementwise"
    if finds_places(op):
        return ops <= _OF_PLACES
    return row_of(op).family not in ("movement", "other")


def finds_places(op: str) -> bool:
    """True if a primitive reads elements at indices, or writes to some."""
    return op.startswith(("gather", "scatter", "dynamic_"))


def _may_multiply(around: LinkedAround, eqn: int, number: int, part: set[int]) -> bool:
    """True if a product may be a step of an eqn. For a quotient, it is a product with a repeated
    inverse; for a power, a product with itself."""
    op = around.jaxpr.ops[eqn]
    factors = set(around.flow.makers(number))
    if op == "div":
        repeated = any(made != OUTSIDE and around.ops[made] in MOVES for made in factors)
        return repeated or is_divided_by(around, number)
    if op in ("square", "integer_pow", "pow"):
        own = any(made != OUTSIDE and eqn in around.origins[made][-1:] for made in factors)
        return len(factors) == 1 or own or bool(factors & part)
    return True


def is_divided_by(around: LinkedAround, number: int) -> bool:
    """True if an eqn makes the product that `a / b / c` is divided by: `a / (b * c)`."""
    users = around.flow.users(number)
    is_product = around.ops[number] == "multiply" and bool(users)
    return is_product and all(around.ops[user] == "divide" for user in users)


def _is_summed_for(around: LinkedAround, eqn: int, part: set[int]) -> bool:
    """True if results of some instructions are summed for an eqn."""
    users = [user for one in part for user in around.flow.users(one)]
    return any(around.ops[one] == "reduce" and eqn in around.origins[one] for one in users)


def is_elementwise(around: LinkedAround, part: set[int]) -> bool:
    return all(row_of(around.flow.eqns[one].op).family == "elementwise" for one in part)
