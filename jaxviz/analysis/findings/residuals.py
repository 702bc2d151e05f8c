"""What the turns of a loop make and keep for the backward pass, and `jax.checkpoint` would not.

Told of `lax.scan`, and of what is one (`fori_loop`, `lax.map`): there what is kept is stacked over
all turns, so that XLA has to make it. Of values that are kept in between without a loop the records
know too little: XLA computes many of them again, or undoes `jax.checkpoint` (on CPU, seen until
0.10). Told from 256 MiB on, if that is 4 times all arguments; and not where a program has a
`jax.checkpoint` already.
"""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.amounts import bytes_text
from jaxviz.analysis.findings.searched import Found, Place, Searched
from jaxviz.sentences import sentence

LEAST_BYTES = 256 << 20
TIMES = 4
RECOMPUTED = ("checkpoint", "remat2", "remat", "remat_opt")


def residuals(searched: Searched) -> Iterator[Found]:
    if any(op in searched.by_op for op in RECOMPUTED):
        return
    root = searched.graphs[0]
    arguments = searched.size(root, (*root.invars, *root.constvars))
    for place in searched.places("scan"):
        is_backward = searched.eqn(place).scope in searched.backward
        if searched.line_of(place) is not None and not is_backward:
            kept = kept_within(searched, place)
            if kept >= max(LEAST_BYTES, TIMES * arguments):
                yield told(searched, place, kept, arguments)


def kept_within(searched: Searched, place: Place) -> int:
    """Bytes of what the turns of a loop make and only the backward pass uses, less what
    `jax.checkpoint` keeps in its place: what each turn is given, and all of one turn."""
    eqn = searched.eqn(place)
    turns, [body] = eqn.trips or 0, eqn.bodies
    inner = searched.graphs[body.graph]
    made, given = set[int](), set[int]()
    for var, at in zip(inner.outvars, body.outputs, strict=True):
        if at >= eqn.roles.count("carry") and is_for_backward(searched, place[0], eqn.outvars[at]):
            (given if var in inner.invars else made).add(var)
    carried = [var for var, role in zip(inner.invars, eqn.roles, strict=False) if role == "carry"]
    each = searched.size(inner, made) * (turns - 1)
    return each - searched.size(inner, {*carried} - given) * turns


def is_for_backward(searched: Searched, number: int, var: int) -> bool:
    """Whether a value is used, and that by the backward pass alone."""
    graph = searched.graphs[number]
    users = [graph.eqns[index] for index in searched.flow(number).users.get(var, ())]
    is_used = bool(users) and all(user.scope in searched.backward for user in users)
    return is_used and var not in graph.outvars


def told(searched: Searched, place: Place, kept: int, arguments: int) -> Found:
    return Found(
        what=sentence(
            "residual",
            turns=searched.eqn(place).trips or 0,
            expression=searched.expression_of([place]),
            bytes=bytes_text(kept),
            arguments=bytes_text(arguments),
        ),
        places=[place],
        bytes=kept,
    )
