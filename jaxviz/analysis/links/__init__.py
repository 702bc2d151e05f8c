"""Links: the eqn of the jaxpr that each eqn of a later stage was made for.

JAX and XLA name most origins (`Eqn.origin`, read in `capture/`). Wrong ones are removed
(`xla_origins`), and origins that follow from the linked eqns around an eqn are added:

- A constant, and its broadcast, was made for an eqn that uses it and has a literal, or for one that
  JAX lowers with a constant (`data_movement`).
- A cast between floating-point types was made for the eqn whose operand it widens or whose result
  it rounds, or for the cast of the program at this place (`data_movement`).
- A move of elements was made for the one move of the program between its maker and its users.
  If there is none, it was made for the eqn that uses the elements (`data_movement`).
- A tuple around a loop or a branch was made for that loop or branch. The function that a reduction,
  a scatter or a sort applies to elements was made for that one (`data_movement`).
- A computation was made for the one eqn of the program that computes the same from the same
  operands, or for the same user, and that has no other instruction (`computations`).
- Several computations between linked eqns were made for the one eqn of the program between these,
  or for their only user, if XLA may compute that eqn in these steps (`computations`).
- XLA merges equal instructions. An instruction that serves several eqns gets the first as origin.

`dataflow` has the makers and users of values; fusions and calls are transparent. `jaxpr_eqns` has
the eqns of the jaxpr, numbered from 0 through all graphs in their order, and `linked_stage` the
origins of the stage. The StableHLO of a program that JAX lowered before replaces its jaxpr.
"""

from __future__ import annotations

from itertools import islice

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links.computations import guess_by_operands, guess_by_users, guess_expansions
from jaxviz.analysis.links.data_movement import guess_calls, guess_tuples, movement_origin
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns
from jaxviz.analysis.links.linked_stage import LinkedStage
from jaxviz.analysis.links.xla_origins import insertion_reasons, without_wrong_origins


def guess_origins(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """Returns the stage with a guessed origin for each eqn of unknown origin, if one is certain
    enough. The jaxpr itself, and a stage with an error, is returned unchanged. Takes time linear in
    the eqns of both stages."""
    if stage.kind == "jaxpr" or jaxpr is None or stage.error or jaxpr.error:
        return stage
    eqns = JaxprEqns(jaxpr)
    if stage.kind == "hlo":
        stage = without_wrong_origins(stage, eqns)
    linked = LinkedStage(stage, eqns)
    only = eqns.only_eqn()
    if only:
        for number in range(len(linked.origins)):
            linked.add(number, only)
        return _with_origins(linked)
    guess_tuples(linked)
    ops = linked.flow.ops
    left = [one for one in linked.flow.order if not linked.origins[one] or ops[one] == "constant"]
    left = _guess_movement(linked, left)
    guess_by_operands(linked)
    left = _guess_movement(linked, left)
    guess_by_users(linked)
    guess_expansions(linked)
    _guess_movement(linked, left)
    guess_calls(linked)
    return _with_origins(linked)


def _guess_movement(linked: LinkedStage, numbers: list[int]) -> list[int]:
    """Guesses constants, casts and moves: from the last eqn to the first, as most guesses follow
    from users, then forwards. Returns the eqns without a link."""
    for one in reversed(numbers):
        _guess_one(linked, one)
    left = [one for one in numbers if not linked.origins[one]]
    for one in left:
        _guess_one(linked, one)
    return [one for one in left if not linked.origins[one]]


def _guess_one(linked: LinkedStage, number: int) -> None:
    """Guesses the origin of one eqn, unless nothing was linked since its last visit."""
    if linked.visited.get(number, -1) >= linked.added:
        return
    linked.visited[number] = linked.added
    origin = movement_origin(linked, number)
    if origin:
        linked.add(number, origin)


def _with_origins(linked: LinkedStage) -> schema.Stage:
    stage, origins = linked.flow.stage, linked.origins
    owns = insertion_reasons(linked) if stage.kind == "hlo" else [""] * len(origins)
    eqns = [*linked.flow.eqns]
    for number, (eqn, origin, own) in enumerate(zip(linked.flow.eqns, origins, owns, strict=True)):
        if origin and origin != eqn.origin:
            eqns[number] = replace(eqn, origin=origin, guess=True, own=own)
        elif own != eqn.own:
            eqns[number] = replace(eqn, own=own)
    rest = iter(eqns)
    graphs = [replace(graph, eqns=[*islice(rest, len(graph.eqns))]) for graph in stage.graphs]
    return replace(stage, graphs=graphs)
