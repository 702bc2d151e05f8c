"""Evaluates a jaxpr with marks beside its values, and beside them how many eqns ran so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.extend.core import JaxprEqn

from jaxviz.capture.births.flaws import (
    births_in,
    chosen_of,
    is_finite_number,
    is_inexact,
    of_each_element,
)
from jaxviz.capture.births.marks import (
    CLEAN,
    CLEAN_MARK,
    CONSTANT_MARK,
    NOT_BORN,
    RESULT,
    WHEN,
    earliest,
    flawed_by,
    kept,
    library_of,
    lost,
    marked,
    met,
    on_all_devices,
    row_of,
    written,
)
from jaxviz.capture.births.meetings import PARTS, PLACES, SUMS, is_elementwise
from jaxviz.capture.rerun.interpreter import Around, Carried, Interpreter, Step

_YES, _NO = np.array([True, True]), np.array([False, False])


class Sites:
    """Each eqn that was met, by the way to it."""

    def __init__(self) -> None:
        self.paths: list[tuple[Step, ...]] = []
        self._numbers: dict[Any, int] = {}

    def number(self, path: tuple[Step, ...]) -> int:
        key = tuple((id(step.jaxpr), step.eqn, step.branch) for step in path)
        if key not in self._numbers:
            self._numbers[key] = len(self.paths)
            self.paths.append(path)
        return self._numbers[key]


class Marking(Interpreter):
    """Within a jit, as the interpreter is."""

    def __init__(self, sites: Sites) -> None:
        self.sites = sites

    def computed(self, fun: Callable[..., Any], *given: Any) -> Any:
        """What a function of arrays gives."""
        return fun(*given)

    def told(self, fun: Callable[..., Any], *given: Any) -> Any:
        """What one of the functions of `flaws.py` gives."""
        return self.computed(fun, *given)

    def mark_of_constant(self, value: Any) -> Any:
        return CLEAN_MARK if is_finite_number(value) else self.mark_of_part(value, CONSTANT_MARK)

    def mark_of_part(self, value: Any, mark: Any) -> Any:
        if mark is CLEAN_MARK or not is_inexact(value):
            return CLEAN_MARK
        flawed = flawed_by(self.told(births_in, value))
        return kept(lost(mark), flawed, flawed)

    def mark_of_all(self, marks: Sequence[Any]) -> Any:
        return lost(earliest(marks))

    def marks_of_eqn(
        self, eqn: JaxprEqn, given: Carried, values: list[Any], here: Around
    ) -> Carried:
        when = given.known
        operands, marks = given.values, given.marks
        if eqn.primitive.name == "select_n":
            operands, marks = operands[1:], self._chosen(operands[0], operands[1:], marks[1:])
        inputs = earliest(marks)
        axes = _mesh_axes(eqn)
        if axes and not isinstance(here.device, int):
            inputs = on_all_devices(inputs, axes)
        born = row_of(when, self.sites.number(here.path), here.device, here.turns)
        if all(0 in getattr(value, "shape", ()) for value in given.values) and given.values:
            born = CONSTANT_MARK[1]
        found = []
        for number, value in enumerate(values):
            if is_inexact(value):
                taken = self._taken(eqn, operands, marks, inputs, value)
                taken = self.followed(eqn, given, taken, value)
                of_this = written(born, RESULT, number)
                found.append(marked(self.told(births_in, value), taken, of_this))
            else:
                found.append(CLEAN_MARK)
        return Carried(values, found, library_of(when).minimum(when + 1, NOT_BORN - 1))

    def followed(self, eqn: JaxprEqn, given: Carried, mark: Any, value: Any) -> Any:
        """The mark of a result, with the place of the first element in it."""
        return lost(mark)

    def _chosen(self, which: Any, cases: Sequence[Any], marks: Sequence[Any]) -> Sequence[Any]:
        """The marks of the cases of a `select_n`, clean where no flawed element is chosen."""
        if not is_inexact(cases[0]) or all(mark is CLEAN_MARK for mark in marks):
            return marks
        told = self.told(chosen_of, which, cases)
        return [kept(mark, *told[number]) for number, mark in enumerate(marks)]

    def _taken(
        self, eqn: JaxprEqn, operands: Sequence[Any], marks: Sequence[Any], inputs: Any, value: Any
    ) -> Any:
        """The mark `inputs` that a result takes from its eqn's operands, with what it met there."""
        name = eqn.primitive.name
        pairs = [one for one in zip(operands, marks, strict=True) if is_inexact(one[0])]
        if inputs is CLEAN_MARK or not pairs or name in PLACES:
            return inputs
        if name in PARTS:
            return met(inputs, _NO, _YES)
        inexact, of_inexact = zip(*pairs, strict=True)
        if name in SUMS:
            births = [self.told(births_in, one)[1] for one in inexact]
            library = library_of(*births)
            infinite = library.stack(births).min() < CLEAN
            return met(inputs, library.stack([infinite, library.asarray(True)]), _NO)
        if name == "gather":
            filled = self.results(eqn, [self.computed(jnp.ones_like, operands[0]), *operands[1:]])
            return met(inputs, self.told(births_in, filled[0])[:2] < CLEAN, _YES)
        shapes = {jnp.shape(operand) for operand in inexact} - {()}
        if not is_elementwise(name) or shapes - {jnp.shape(value)}:
            return met(inputs, _YES, _YES)
        library = library_of(*of_inexact)
        known = library.stack([mark[:, WHEN] < CLEAN for mark in of_inexact])
        return met(inputs, *self.told(of_each_element, inexact, known, value))


def _mesh_axes(eqn: JaxprEqn) -> tuple[str, ...]:
    """The axes of the mesh that an eqn's values cross."""
    named = eqn.params.get("axes", eqn.params.get("axis_name", ()))
    named = named if isinstance(named, tuple | list) else (named,)
    return tuple(axis for axis in named if isinstance(axis, str))
