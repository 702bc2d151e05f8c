"""Which of a program's inputs are its parameters: those that it differentiates and returns anew.

An input is one where the forward pass reads it, and where a result of the same place in its pytree
and the same type is made from what runs backward: its gradient, or its new value. So running means
are none, though they come back too, and neither is an optimizer's state, which forward never reads.
Arrays that are arguments themselves, as in `step(w, b, x)`, have no place in a pytree: of these a
result stands for the one that it is changed from by a gradient, element by element.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence

from jaxviz import schema
from jaxviz.analysis.groups.name_stacks import BACKWARD, FORWARD, Names
from jaxviz.schema.graph import outside_in

Reads = dict[int, Names]
"""For each input that is read, as an index, the names of the scope that reads it first."""
Place = tuple[str, Names, int]
"""An argument's name, the keys below it, and the aval of what is there."""
Changed = dict[int, tuple[frozenset[int], bool]]
"""For a value the inputs that it is changed from element by element, and whether by a gradient."""
CASTS = frozenset({"convert_element_type", "reshape", "copy", "squeeze"})
"""Ops whose result stands for their operand: a parameter in another precision is read as well."""
MULTIPLIES = frozenset({"dot_general", "conv_general_dilated"})


def reads_of(
    stage: schema.Stage, roles: list[list[str]], scopes: Callable[[schema.Eqn], Names], by: str
) -> Reads:
    """The program's inputs that an eqn with the role `by` reads, in a body too."""
    inputs: list[dict[int, int]] = [{} for _ in stage.graphs]
    inputs[0] = {var: index for index, var in enumerate(stage.graphs[0].invars)}
    reads: Reads = {}
    for index in outside_in(stage.graphs):
        here = inputs[index]
        if not here:
            continue
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            found = [here[var] for var in eqn.invars if var in here]
            if not found:
                continue
            if eqn.op in CASTS:
                here[eqn.outvars[0]] = found[0]
            elif role == by:
                for leaf in found:
                    reads[leaf] = reads.get(leaf) or scopes(eqn)
            for body in eqn.bodies:
                given = zip(stage.graphs[body.graph].invars, body.inputs, strict=True)
                for var, at in given:
                    if at >= 0 and eqn.invars[at] in here:
                        inputs[body.graph].setdefault(var, here[eqn.invars[at]])
    return reads


def made_backward(stage: schema.Stage, roles: list[list[str]]) -> list[set[int]]:
    """For each graph its variables that are made from what runs backward."""
    made: list[set[int]] = [set() for _ in stage.graphs]
    for index in reversed(outside_in(stage.graphs)):
        here = made[index]
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            if role == BACKWARD or (here and not here.isdisjoint(eqn.invars)):
                here.update(eqn.outvars)
            for body in eqn.bodies:
                inner = made[body.graph]
                if inner:
                    outputs = zip(stage.graphs[body.graph].outvars, body.outputs, strict=True)
                    here.update(eqn.outvars[at] for var, at in outputs if at >= 0 and var in inner)
    return made


def pair_results(args: Sequence[Place], results: Sequence[Place]) -> dict[int, int]:
    """For each of `args` that one of `results` stands for, that result: the first of its type whose
    path ends as it does, and which stands for no other. A result below a name that the argument
    has not (`mu`) comes last."""
    ends: dict[tuple[Names, int], list[int]] = {}
    for at, (_, path, aval) in enumerate(results):
        for start in range(len(path) + 1):
            ends.setdefault((path[start:], aval), []).append(at)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for named in (False, True):
        for index, (name, path, aval) in enumerate(args):
            for start in range(len(path)):
                end = path[start:]
                if index in pairs or (start > 0 and is_position(end)):
                    break
                for at in ends.get((end, aval), ()):
                    above = results[at][1][: len(results[at][1]) - len(end)]
                    if at not in taken and (named or is_position(above, name)):
                        pairs[index] = at
                        taken.add(at)
                        break
        if pairs:
            break
    return pairs


def pair_bare(root: schema.Graph, args: Sequence[int], changed: Changed) -> dict[int, int]:
    """For each of some inputs that a result stands for, that result: a position that is moved by a
    velocity is no parameter, though that may have been changed by a gradient.

    Gradients are returned in the order of the inputs: they are paired where there are as many as
    inputs of their type."""
    pairs: dict[int, int] = {}
    gradients: dict[int, list[int]] = defaultdict(list)
    others = {var for var, name in zip(root.invars, root.args) if name.isidentifier()}  # noqa: B905
    others -= {root.invars[at] for at in args}
    for result, var in enumerate(root.outvars):
        inputs, by_gradient = changed.get(var, (frozenset[int](), False))
        aval = root.vars[var].aval
        old = [at for at in args if root.invars[at] in inputs]
        if by_gradient and len(old) == 1 and root.vars[root.invars[old[0]]].aval == aval:
            if others.isdisjoint(inputs):
                pairs.setdefault(old[0], result)
        elif by_gradient and not inputs:
            gradients[aval].append(result)
    for aval, results in gradients.items():
        left = [at for at in args if at not in pairs and root.vars[root.invars[at]].aval == aval]
        if len(left) == len(results):
            pairs |= dict(zip(left, results, strict=True))
    return pairs


def meets_data(stage: schema.Stage, roles: list[list[str]], args: Collection[int]) -> bool:
    """Whether the forward pass multiplies one of some inputs with data, as a layer does. An energy,
    whose gradient is a force, has no need to."""
    root = stage.graphs[0]
    held = [set[int]() for _ in stage.graphs]
    data = [set[int]() for _ in stage.graphs]
    held[0] = {root.invars[at] for at in args}
    arrays = {var for var in root.invars if stage.avals[root.vars[var].aval].shape}
    data[0] = arrays - held[0] | set(root.constvars)
    for index in outside_in(stage.graphs):
        mine, other = held[index], data[index]
        for eqn, role in zip(stage.graphs[index].eqns, roles[index], strict=True):
            known, read = not mine.isdisjoint(eqn.invars), not other.isdisjoint(eqn.invars)
            if known and read and role == FORWARD and eqn.op in MULTIPLIES:
                return True
            if known and eqn.op in CASTS:
                mine.update(eqn.outvars)
            elif read:
                other.update(eqn.outvars)
            for body in eqn.bodies:
                given = zip(stage.graphs[body.graph].invars, body.inputs, strict=True)
                passed = [(var, eqn.invars[at]) for var, at in given if at >= 0]
                held[body.graph].update(var for var, operand in passed if operand in mine)
                data[body.graph].update(var for var, operand in passed if operand in other)
    return False


def changed_inputs(stage: schema.Stage, roles: list[list[str]]) -> list[Changed]:
    """For each graph and value of it the inputs that it is changed from element by element, and
    whether by a gradient; only where no pass of a derivative made it."""
    of_graphs: list[Changed] = [{} for _ in stage.graphs]
    for index in reversed(outside_in(stage.graphs)):
        graph, here = stage.graphs[index], of_graphs[index]
        shapes = [stage.avals[var.aval].shape for var in graph.vars]
        here.update((var, (frozenset({var}), False)) for var in graph.invars)
        for eqn, role in zip(graph.eqns, roles[index], strict=True):
            for body in eqn.bodies:
                given = dict(zip(stage.graphs[body.graph].invars, body.inputs, strict=True))
                outputs = zip(stage.graphs[body.graph].outvars, body.outputs, strict=True)
                for var, at in outputs:
                    inputs, by_gradient = of_graphs[body.graph].get(var, (frozenset[int](), False))
                    passed = [eqn.invars[given[one]] for one in inputs if given[one] >= 0]
                    if at >= 0:
                        merge(here, eqn.outvars[at], passed, by_gradient)
            for var in eqn.outvars if not eqn.bodies and role in ("", BACKWARD) else ():
                alike = [one for one in eqn.invars if shapes[one] == shapes[var]]
                operands = [] if role or eqn.op in MULTIPLIES else alike
                merge(here, var, operands, role == BACKWARD)
    return of_graphs


def merge(here: Changed, var: int, operands: Sequence[int], by_gradient: bool) -> None:
    """Has a value be changed from what its operands are."""
    known = [here[one] for one in (var, *operands) if one in here]
    inputs = frozenset[int]().union(*(inputs for inputs, _ in known))
    here[var] = inputs, by_gradient or any(of_gradient for _, of_gradient in known)


def is_position(path: Names, but: str = "") -> bool:
    """Whether a path has positions alone, and no names but one."""
    return all(key.startswith("[") or key == but for key in path)
