"""Findings on donation: arguments that are not donated, or donated for nothing, and values that are
read after an inner jit donated them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache

from jaxviz.analysis.findings.indexed_program import Draft, IndexedProgram, Place, root_of
from jaxviz.schema import Eqn, Graph
from jaxviz.schema.params import param_of
from jaxviz.sentences import sentence
from jaxviz.sentences.amounts import bytes_text

# Donation: arguments whose memory results could take, and arguments donated for nothing.
#
# XLA writes a result into a donated argument of the same type. A training step returns new values
# for all of its state, so donation halves the memory of the state. Reported from 64 MiB of state.
# The caller of another function may need the argument again, so that is not reported. A donated
# argument that fits no result is reported from 1 MiB, and so is one that JAX does not donate.

LEAST_STATE = 64 << 20
LEAST_WASTE = 1 << 20
PASSES = ("forward", "backward", "recompute", "metrics")


def donations(indexed: IndexedProgram) -> Iterator[Draft]:
    graph, call = indexed.graphs[0], indexed.jaxpr.call
    if call is None:
        return
    donated, lost = {*call.donated}, {*call.lost}
    for key, wasted in (
        ("donated in vain", unusable_donations(indexed, donated - lost)),
        ("donated, unused", sizes_of(indexed, donated & lost)),
        ("donated, lost", sizes_of(indexed, lost - donated)),
    ):
        if sum(wasted.values()) >= LEAST_WASTE:
            yield donation_finding(indexed, key, wasted)
    passed = indexed.size(graph, graph.invars)
    if passed >= LEAST_STATE and any(group.role == "backward" for group in graph.groups):
        state = updated_arguments(indexed, donated | lost)
        if sum(state.values()) >= LEAST_STATE:
            yield donation_finding(indexed, "not donated", state)


def unusable_donations(indexed: IndexedProgram, donated: set[int]) -> dict[str, int]:
    """The donated arguments, each with its bytes, that fit no result."""
    graph = indexed.graphs[0]
    results = Counter(type_of(indexed, var) for var in graph.outvars) if donated else {}
    wasted: list[int] = []
    for at in sorted(donated):
        kind = type_of(indexed, graph.invars[at])
        if results[kind] > 0:
            results[kind] -= 1
        else:
            wasted.append(at)
    return sizes_of(indexed, wasted)


def sizes_of(indexed: IndexedProgram, arguments: Iterable[int]) -> dict[str, int]:
    """The arguments by the user's paths, each with its bytes on one device."""
    paths = indexed.graphs[0].args
    return {paths[at]: bytes_on_device(indexed, at) for at in sorted(arguments)}


def type_of(indexed: IndexedProgram, var: int) -> tuple[str, str | None]:
    """The properties that two values must share to use the same memory."""
    aval = indexed.aval(indexed.graphs[0], var)
    return aval.text, aval.sharding


def updated_arguments(indexed: IndexedProgram, donated: set[int]) -> dict[str, int]:
    """The arguments, each with its bytes, that a training step updates: eqns of the update use them
    and make a result of the type of each leaf. Without the first condition, gradients would count
    as new parameters."""
    graph = indexed.graphs[0]
    update = update_eqns(graph)
    made = {var for eqn in update for var in eqn.outvars}
    used = {var for eqn in update for var in eqn.invars}
    results = Counter(type_of(indexed, var) for var in graph.outvars if var in made)
    leaves: dict[str, list[int]] = {}
    for at, (path, var) in enumerate(zip(graph.args, graph.invars, strict=False)):
        if at in donated:
            results[type_of(indexed, var)] -= 1
        else:
            leaves.setdefault(root_of(path), []).append(at)
    found: dict[str, int] = {}
    for root, places in leaves.items():
        variables = [graph.invars[at] for at in places]
        needed = Counter(type_of(indexed, var) for var in variables)
        if root and needed <= results and used.issuperset(variables):
            results -= needed
            found[root] = sum(bytes_on_device(indexed, at) for at in places)
    return found


def bytes_on_device(indexed: IndexedProgram, at: int) -> int:
    """The bytes of an argument on one device."""
    graph, call = indexed.graphs[0], indexed.jaxpr.call
    aval = indexed.aval(graph, graph.invars[at])
    spec = aval.sharding or (call.shardings[at] if call and call.shardings else "")
    sizes = {axis.name: axis.size for axis in call.mesh} if call else {}
    parts = math.prod(size for axis, size in sizes.items() if f"'{axis}'" in spec)
    return -(-(aval.bytes or 0) // parts)


def update_eqns(graph: Graph) -> list[Eqn]:
    """The eqns that are neither forward nor backward."""
    passes = [group for group in graph.groups if group.role in PASSES]
    inside = {index for group in passes for index in range(group.start, group.stop)}
    return [eqn for index, eqn in enumerate(graph.eqns) if index not in inside]


def donation_finding(indexed: IndexedProgram, key: str, sizes: dict[str, int]) -> Draft:
    total = sum(sizes.values())
    names = "`, `".join([*sizes][:3])
    more = "" if len(sizes) <= 3 else f" (+{len(sizes) - 3})"
    call = indexed.jaxpr.call
    many = ", devices" if call and math.prod(axis.size for axis in call.mesh) > 1 else ""
    return Draft(
        what=sentence(f"{key}{many}", names=f"`{names}`{more}", bytes=bytes_text(total)),
        cost=sentence(f"not donated cost{many}", bytes=bytes_text(total))
        if key == "not donated"
        else sentence(f"{key} cost"),
        fix=sentence(f"{key} fix"),
        names=[*sizes],
        bytes=total,
        at=indexed.definition,
    )


# Inner donation: an inner jit donates a value that is read again.
#
# JAX ignores the donation of a jit within another jit, and raises an error at the second read if
# there is no outer one. So it is reported at any size. In derivatives it is not: there JAX passes
# the value on itself, even if the reader goes on with the result.

DERIVATIVES = ("jvp(", "transpose(")
FLAG = re.compile(r"(True|False)(?: × (\d+))?")
MOST_NAMES = 3


def inner_donations(indexed: IndexedProgram) -> Iterator[Draft]:
    seen = set[int | None]()
    for place in indexed.places("jit", "pjit"):
        eqn = indexed.eqn(place)
        donated = donated_operands(eqn)
        if not donated or eqn.frame in seen or indexed.line_of(place) is None:
            continue
        if is_derivative(indexed, eqn):
            continue
        reads = later_reads(indexed, place, donated)
        if reads:
            seen.add(eqn.frame)
            yield inner_donation_finding(indexed, place, reads)


def donated_operands(eqn: Eqn) -> dict[int, int]:
    """The values that an inner jit donates, each with its place among the operands."""
    flags = flags_of(param_of(eqn.params, "donated_invars"))
    if len(flags) != len(eqn.invars):
        return {}
    return {var: at for at, var in enumerate(eqn.invars) if flags[at]}


@lru_cache(maxsize=16)
def flags_of(text: str) -> list[bool]:
    """The flags of `(True × 12, False)`."""
    return [flag == "True" for flag, times in FLAG.findall(text) for _ in range(int(times or 1))]


def later_reads(
    indexed: IndexedProgram, place: Place, donated: dict[int, int]
) -> dict[int, Eqn | None]:
    """The donated operands that are read after a call, by their place, each with the first eqn that
    reads it; None if the program returns it."""
    graph, users = indexed.graphs[place[0]], indexed.flow(place[0]).users
    found: dict[int, Eqn | None] = {}
    for var, at in donated.items():
        later = (graph.eqns[index] for index in users[var] if index > place[1])
        read = next((eqn for eqn in later if not is_derivative(indexed, eqn)), None)
        is_value = not graph.vars[var].literal
        if is_value and (read is not None or (place[0] == 0 and var in graph.outvars)):
            found[at] = read
    return found


def is_derivative(indexed: IndexedProgram, eqn: Eqn) -> bool:
    return any(text in indexed.jaxpr.scopes[eqn.scope] for text in DERIVATIVES)


def inner_donation_finding(
    indexed: IndexedProgram, place: Place, reads: dict[int, Eqn | None]
) -> Draft:
    graph, eqn = indexed.graphs[place[0]], indexed.eqn(place)
    called = indexed.graphs[eqn.bodies[0].graph]
    variables = [eqn.invars[at] for at in reads]
    paths = [called.args[at] or indexed.aval(graph, eqn.invars[at]).text for at in reads]
    names = list(dict.fromkeys(map(root_of, paths)))[:MOST_NAMES]
    read = next((one for one in reads.values() if one is not None and one.frame is not None), None)
    key = "inner-donation" if read is not None else "inner-donation, returned"
    line = indexed.jaxpr.frames[read.frame].line if read and read.frame is not None else 0
    return Draft(
        what=sentence(
            key,
            expression=indexed.expression_of([place]),
            names="`, `".join(names),
            **({"line": str(line)} if read is not None else {}),
        ),
        places=[place],
        names=[name for var in variables if place[0] == 0 and (name := indexed.name_of(var))],
        bytes=indexed.size(graph, variables),
    )
