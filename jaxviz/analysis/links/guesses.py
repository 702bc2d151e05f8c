"""Guesses at what an eqn of a later stage was made for, where neither JAX nor XLA says so.

Each follows from the eqns around it that are linked, with fusions and calls looked through:

- A constant, and what broadcasts it, was made for an eqn that uses it and has a literal, or is one
  that JAX lowers with a constant.
- A cast between floating-point types was made for the eqn whose operand it widens or whose result
  it rounds, or for the cast of the program that stands there (`casts`).
- What only moves elements was made for the one move of the program between what made them and what
  uses them; where there is none for the eqn that uses them so (`moves`).
- What computes was made for the one eqn of the program that computes so (`becomes`) of the same
  operands, or for the same user, and that no other instruction was made for (`same_operands`).
- What else lies between linked eqns was made for the one eqn of the program between these, or for
  the one that alone uses it, if XLA may compute that eqn so (`expansions`).
- What hands on a loop's or a branch's values was made for that loop or branch, and what a
  reduction, a scatter or a sort applies to elements for that one (`plumbing`).
- XLA makes one of instructions that are alike: of several eqns that one is for the first is named.
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
    """The stage with its guesses."""
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
    plumbing.guess_held()
    return _replaced(around, around.origins)


def _guess_moves(around: LinkedAround, numbers: list[int]) -> list[int]:
    """From the last to the first, as most follows from what uses a value; then forwards. Returns
    those that have no link yet."""
    for one in reversed(numbers):
        _guess_move(around, one)
    left = [one for one in numbers if not around.origins[one]]
    for one in left:
        _guess_move(around, one)
    return [one for one in left if not around.origins[one]]


def _guess_move(around: LinkedAround, number: int) -> None:
    """Not again before there is another link: all follows from these."""
    if around.looked_at.get(number, -1) >= around.added:
        return
    around.looked_at[number] = around.added
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
