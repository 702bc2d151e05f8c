"""Evaluates a jaxpr with marks beside its values, and beside them how many eqns ran so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax.extend.core import JaxprEqn

from jaxviz.capture.births.marks import (
    CLEAN_MARK,
    CONSTANT_MARK,
    NOT_BORN,
    RESULT,
    chosen,
    earliest,
    is_finite_number,
    kept,
    marked,
    on_all_devices,
    row_of,
    written,
)
from jaxviz.capture.births.meetings import met
from jaxviz.capture.rerun.interpreter import Around, Carried, Interpreter, Step


class Marking(Interpreter):
    """Remembers each eqn that was met, by the way to it."""

    def __init__(self) -> None:
        self.sites: list[tuple[Step, ...]] = []
        self._numbers: dict[Any, int] = {}

    def mark_of_constant(self, value: Any) -> Any:
        return CLEAN_MARK if is_finite_number(value) else kept(value, CONSTANT_MARK)

    def mark_of_part(self, value: Any, mark: Any) -> Any:
        return kept(value, mark)

    def mark_of_all(self, marks: Sequence[Any]) -> Any:
        return earliest(marks)

    def known_of_devices(self, known: Any, of_devices: Any) -> Any:
        return of_devices.max()

    def marks_of_eqn(
        self, eqn: JaxprEqn, given: Carried, values: list[Any], here: Around
    ) -> Carried:
        when = given.known
        operands, marks = given.values, given.marks
        if eqn.primitive.name == "select_n":
            operands, marks = operands[1:], chosen(operands[0], operands[1:], marks[1:])
        inputs = earliest(marks)
        axes = _mesh_axes(eqn)
        if axes and not isinstance(here.device, int):
            inputs = on_all_devices(inputs, axes)
        born = row_of(when, self._site(here.path), here.device, here.turns)
        if all(0 in getattr(value, "shape", ()) for value in given.values) and given.values:
            born = CONSTANT_MARK[1]
        of_each = [written(born, RESULT, number) for number in range(len(values))]
        taken = [met(eqn, operands, marks, inputs, value) for value in values]
        found = [marked(*each) for each in zip(values, taken, of_each, strict=True)]
        return Carried(values, found, jnp.minimum(when + 1, NOT_BORN - 1))

    def _site(self, path: tuple[Step, ...]) -> int:
        key = tuple((id(step.jaxpr), step.eqn, step.branch) for step in path)
        if key not in self._numbers:
            self._numbers[key] = len(self.sites)
            self.sites.append(path)
        return self._numbers[key]


def _mesh_axes(eqn: JaxprEqn) -> tuple[str, ...]:
    """The axes of the mesh that an eqn's values cross."""
    named = eqn.params.get("axes", eqn.params.get("axis_name", ()))
    named = named if isinstance(named, tuple | list) else (named,)
    return tuple(axis for axis in named if isinstance(axis, str))
