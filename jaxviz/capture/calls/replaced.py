"""Finds the results of a call that replace one of its arguments, such as updated parameters.

A result replaces an argument if it has the same keys and types, and the return statement calls it
by the argument's name, or its values are the argument's with something added, subtracted or
selected. Gradients have the keys and types of the parameters too, but are made by products. A
difference of two arguments replaces neither. If a program has no other input than the argument,
its result is no update.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from jax.extend.core import Jaxpr, JaxprEqn, Literal, Var

from jaxviz.capture.jaxprs.structure import CARRY, BodyOf, bodies_of, roles_of
from jaxviz.capture.jaxprs.walk import jaxprs_in
from jaxviz.schema import Leaf

RESULT = "result"
_SAYS_NOTHING = re.compile(r"(?:new|updated?|next|out(?:put)?s?|res(?:ult)?s?|ret)_?\d*")
"""Names of variables that do not say what a result is."""
_MOST_NESTED = 20
"""The most calls within each other through which a value is followed."""
_MOST_STEPS = 20_000
"""The most eqns through which the values of one program are followed."""
_CHANGED_IN_PLACE = (
    *("convert_element_type", "copy", "copy_p", "reshard", "sharding_constraint"),
    *("dynamic_update_slice", "scatter", "scatter-add"),
)
"""Primitives that change their first operand, or a part of it."""

Tree = dict[str, tuple[int, str]]
"""The leaves below a path by the rest of their paths: the index of each, and its type."""


def replaced_arguments(
    inputs: Sequence[Leaf], results: Sequence[Leaf], names: Mapping[str, str], jaxpr: Jaxpr
) -> dict[str, str]:
    """The arguments that results replace, by the results' paths. `names` has the names that the
    return statement gives, by path."""
    arguments = _trees(inputs, r"[^.\[]+")
    updates = _Updates(jaxpr)
    found: dict[str, str] = {}
    # All results together may be one argument, such as a list of layers.
    for path, made in (_trees(results, RESULT) | _trees(results, rf"{RESULT}\[\d+\]")).items():
        if not _SAYS_NOTHING.fullmatch(names.get(path, "new")) or len(made) < 2:
            continue
        alike = [one for one, tree in arguments.items() if _types(tree) == _types(made)]
        sure = [one for one in alike if updates.are_between(arguments[one], made)]
        if len(sure) == 1 and len(inputs) > len(made):
            found[path] = sure[0]
    for path, named in names.items():
        made, tree = _below(results, path), _below(inputs, named)
        if made and _types(made) == _types(tree) and not updates.are_none(tree, made):
            found[path] = named
    return found


def _trees(leaves: Sequence[Leaf], root: str) -> dict[str, Tree]:
    """The trees of leaves, by the part of their paths that `root` matches."""
    found: dict[str, Tree] = {}
    for at, leaf in enumerate(leaves):
        begin = re.match(root, leaf.path)
        if begin is not None:
            rest = leaf.path[begin.end() :]
            found.setdefault(begin[0], {})[rest] = at, leaf.aval.text
    return found


def _below(leaves: Sequence[Leaf], path: str) -> Tree:
    rests = [(at, leaf.path.removeprefix(path), leaf) for at, leaf in enumerate(leaves)]
    return {
        rest: (at, leaf.aval.text)
        for at, rest, leaf in rests
        if leaf.path.startswith(path) and rest[:1] in ("", "[", ".")
    }


def _types(tree: Tree) -> dict[str, str]:
    return {rest: text for rest, (_, text) in tree.items()}


class _Updates:
    """The inputs of a jaxpr that its results are updates of."""

    def __init__(self, jaxpr: Jaxpr) -> None:
        self._jaxpr = jaxpr
        self._inputs: dict[Jaxpr, dict[Var, int]] = {}
        self._makers: dict[Jaxpr, dict[Var, JaxprEqn]] = {}
        self._steps_left = _MOST_STEPS

    def are_between(self, argument: Tree, made: Tree) -> bool:
        """True if a leaf of a result is an update of the same leaf of an argument."""
        outs = self._jaxpr.outvars
        return any(
            argument[rest][0] in self._sources(self._jaxpr, outs[at], 0)
            for rest, (at, _) in made.items()
            if outs[at] is not self._jaxpr.invars[argument[rest][0]]
        )

    def are_none(self, argument: Tree, made: Tree) -> bool:
        """True if all leaves of a result are those of an argument."""
        outs, ins = self._jaxpr.outvars, self._jaxpr.invars
        return all(outs[at] is ins[argument[rest][0]] for rest, (at, _) in made.items())

    def _sources(self, jaxpr: Jaxpr, made: Any, nested: int) -> set[int]:
        """The inputs of a jaxpr that one of its values is an update of, by index."""
        if jaxpr not in self._makers:
            self._inputs[jaxpr] = {var: at for at, var in enumerate(jaxpr.invars)}
            self._makers[jaxpr] = {var: eqn for eqn in jaxpr.eqns for var in eqn.outvars}
        inputs, makers = self._inputs[jaxpr], self._makers[jaxpr]
        waiting = [] if isinstance(made, Literal) else [made]
        found, seen = set[int](), {*waiting}
        for var in waiting:
            self._steps_left -= 1
            if var in inputs:
                found.add(inputs[var])
            elif var in makers and nested < _MOST_NESTED and self._steps_left > 0:
                for operand in self._updated(makers[var], var, nested):
                    if isinstance(operand, Literal) or operand in seen:
                        continue
                    if getattr(operand.aval, "shape", None) == var.aval.shape:
                        seen.add(operand)
                        waiting.append(operand)
        return found

    def _updated(self, eqn: JaxprEqn, made: Var, nested: int) -> Iterator[Any]:
        """The operands of an eqn that its result is an update of."""
        op, operands = eqn.primitive.name, eqn.invars
        at = eqn.outvars.index(made)
        if op in ("add", "add_any", "sub", "max", "min"):
            yield from operands
        elif op in _CHANGED_IN_PLACE:
            yield operands[0]
        elif op in ("select_n", "clamp"):
            yield from operands[1 : None if op == "select_n" else 2]
        elif op in ("scan", "while"):
            carried = [at for at, role in enumerate(roles_of(eqn)) if role == CARRY]
            yield from [operands[one] for one in carried[at : at + 1]]
        else:
            for body in bodies_of(eqn, [*jaxprs_in(eqn.params)]):
                yield from self._updated_inside(body, operands, at, nested)

    def _updated_inside(
        self, body: BodyOf, operands: Sequence[Any], at: int, nested: int
    ) -> Iterator[Any]:
        if at in body.outputs:
            made = body.jaxpr.outvars[body.outputs.index(at)]
            places = [body.inputs[one] for one in self._sources(body.jaxpr, made, nested + 1)]
            yield from (operands[place] for place in places if place >= 0)
