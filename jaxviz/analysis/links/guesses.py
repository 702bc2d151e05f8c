"""Guesses of the eqn that an eqn of a later stage was made for, if neither JAX nor XLA names it.

Each guess follows from the linked eqns around it. Fusions and calls are transparent.

- A constant, and its broadcast, was made for an eqn that uses it and has a literal, or is one
  that JAX lowers with a constant.
- A cast between floating-point types was made for the eqn whose operand it widens or whose result
  it rounds, or for the cast of the program at this place (`casts`).
- A move of elements was made for the one move of the program between its maker and its users.
  If there is none, it was made for the eqn that uses the elements (`moves`).
- A computation was made for the one eqn of the program that computes the same (`becomes`) from
  the same operands, or for the same user, and that has no other instruction (`same_operands`).
- Other eqns between linked eqns were made for the one eqn of the program between these, or for
  their only user, if XLA may compute that eqn so (`expansions`).
- Tuples around a loop or a branch were made for that loop or branch. The function that a
  reduction, a scatter or a sort applies to elements was made for that one (`plumbing`).
- XLA merges equal instructions. If one instruction serves several eqns, the first is named.
"""

from __future__ import annotations

from itertools import islice

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.expansions import guess_expansions
from jaxviz.analysis.links.inserted import reasons
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns, Origin
from jaxviz.analysis.links.linked_around import LinkedAround
from jaxviz.analysis.links.moves import guess_of_move
from jaxviz.analysis.links.plumbing import Plumbing
from jaxviz.analysis.links.same_operands import guess_by_operands, guess_by_users


def with_guesses(stage: schema.Stage, jaxpr: JaxprEqns) -> schema.Stage:
    around = LinkedAround(stage, jaxpr)
    only = jaxpr.only_eqn()
    if only:
        for number in range(len(around.origins)):
            around.add(number, only)
        return _replaced(around, around.origins)
    plumbing = Plumbing(around)
    plumbing.guess_parts()
    ops = around.flow.ops
    left = [one for one in around.flow.order if not around.origins[one] or ops[one] == "constant"]
    left = _guess_moves(around, left)
    guess_by_operands(around)
    left = _guess_moves(around, left)
    guess_by_users(around)
    guess_expansions(around)
    _guess_moves(around, left)
    plumbing.guess_nested()
    return _replaced(around, around.origins)


def _guess_moves(around: LinkedAround, numbers: list[int]) -> list[int]:
    """Guesses from the last eqn to the first, as most guesses follow from users; then forwards.
    Returns the eqns without a link."""
    for one in reversed(numbers):
        _guess_move(around, one)
    left = [one for one in numbers if not around.origins[one]]
    for one in left:
        _guess_move(around, one)
    return [one for one in left if not around.origins[one]]


def _guess_move(around: LinkedAround, number: int) -> None:
    """Guesses one move. Skips it until there is another link, since guesses follow from links."""
    if around.visited.get(number, -1) >= around.added:
        return
    around.visited[number] = around.added
    origin = guess_of_move(around, number)
    if origin:
        around.add(number, origin)


def _replaced(around: LinkedAround, origins: list[Origin]) -> schema.Stage:
    stage = around.flow.stage
    owns = reasons(around) if stage.kind == "hlo" else [""] * len(origins)
    eqns = [*around.flow.eqns]
    for number, (eqn, origin, own) in enumerate(zip(around.flow.eqns, origins, owns, strict=True)):
        if origin and origin != eqn.origin:
            eqns[number] = replace(eqn, origin=origin, guess=True, own=own)
        elif own != eqn.own:
            eqns[number] = replace(eqn, own=own)
    rest = iter(eqns)
    graphs = [replace(graph, eqns=[*islice(rest, len(graph.eqns))]) for graph in stage.graphs]
    return replace(stage, graphs=graphs)
