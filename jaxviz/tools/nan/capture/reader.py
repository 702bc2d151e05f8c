"""Reads marks: beside each value, the origin of its NaN and of its infinity."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax.extend.core import Jaxpr, JaxprEqn, Literal

from jaxviz.capture.jaxprs.jaxpr import stack_text
from jaxviz.capture.rerun.interpreter import Carried, Interpreter, Location, Reader, Step
from jaxviz.capture.rerun.stepping import Stepping
from jaxviz.tools.nan.capture.flaws import (
    PARTS,
    PLACES,
    SUMS,
    any_flaw,
    chosen_of,
    first_flaws,
    flaws_of,
    is_elementwise,
    is_finite_number,
    is_inexact,
    of_each_element,
)
from jaxviz.tools.nan.capture.marks import (
    CLEAN,
    CLEAN_MARK,
    CONSTANT_MARK,
    HERE,
    LOST,
    OF_CONSTANT,
    WHEN,
    earliest,
    flawed_by,
    library_of,
    lost,
    marked,
    on_all_devices,
    part_of,
    passed_on,
    returned,
    row_of,
)
from jaxviz.tools.nan.capture.unchosen import Unchosen

_YES, _NO = np.array([True, True]), np.array([False, False])


class Origins(Reader):
    """Reads marks, and counts the eqns that ran."""

    unmarked = CLEAN_MARK

    def __init__(self) -> None:
        self.paths: list[tuple[Step, ...]] = []
        """The path to each site: an eqn that was read, or one whose body returned a constant."""
        self.unchosen = Unchosen()
        self._sites: dict[Any, int] = {}

    def mark_of_constant(self, run: Interpreter, value: Any) -> Any:
        if is_finite_number(value) or not is_inexact(value):
            return CLEAN_MARK
        flawed = flawed_by(run.numbers(first_flaws, value))
        return part_of(CONSTANT_MARK, flawed, np.False_)

    def mark_of_part(self, run: Interpreter, value: Any, mark: Any) -> Any:
        if mark is CLEAN_MARK or not is_inexact(value):
            return CLEAN_MARK
        flawed = flawed_by(run.numbers(first_flaws, value))
        return part_of(lost(mark), flawed, flawed)

    def mark_of_all(self, marks: Sequence[Any]) -> Any:
        return lost(earliest(marks))

    def reads_into(self, values: Sequence[Any]) -> Any:
        return any_flaw(values)

    def eqn(
        self, run: Interpreter, eqn: JaxprEqn, inputs: Carried, values: list[Any], here: Location
    ) -> Carried:
        when = inputs.gathered
        operands, marks = inputs.values, inputs.marks
        if eqn.primitive.name == "select_n":
            operands, marks = operands[1:], _chosen(run, operands[0], operands[1:], marks[1:])
        first = earliest(marks)
        axes = _mesh_axes(eqn)
        if axes and not isinstance(here.device, int):
            first = on_all_devices(first, axes)
        is_empty = all(0 in getattr(value, "shape", ()) for value in inputs.values)
        site = self._site(here.path)
        found = []
        for number, value in enumerate(values):
            if is_inexact(value):
                mark = _from_operands(run, eqn, operands, marks, first, value)
                mark = _followed(run, eqn, inputs, mark, value)
                own = row_of(when, site, number, here)
                own = CONSTANT_MARK[1] if is_empty and inputs.values else own
                found.append(marked(run.numbers(first_flaws, value), mark, own))
            else:
                found.append(CLEAN_MARK)
        made = Carried(values, found, library_of(when).minimum(when + 1, OF_CONSTANT - 1))
        if isinstance(run, Stepping) and any(map(_is_backward, here.path)):
            with suppress(Exception):  # the NaN's origin is reported without it
                self.unchosen.follow(run, eqn, inputs, made, here.path)
        return made

    def evaluated(
        self,
        run: Interpreter,
        jaxpr: Jaxpr,
        values: dict[Any, Any],
        out: Carried,
        location: Location,
    ) -> Carried:
        """Sets the origin of a constant's NaN that a body returns to the eqn of the body."""
        inputs = {*jaxpr.constvars, *jaxpr.invars}
        marks = [
            returned(mark, row_of(out.gathered, self._site(location.path), number, location, 1))
            if mark is not CLEAN_MARK and (isinstance(var, Literal) or var in inputs)
            else mark
            for number, (var, mark) in enumerate(zip(jaxpr.outvars, out.marks, strict=True))
        ]
        return out._replace(marks=marks)

    def _site(self, path: tuple[Step, ...]) -> int:
        key = tuple((id(step.jaxpr), step.eqn, step.branch) for step in path)
        if key not in self._sites:
            self._sites[key] = len(self.paths)
            self.paths.append(path)
        return self._sites[key]


def _chosen(
    run: Interpreter, which: Any, cases: Sequence[Any], marks: Sequence[Any]
) -> Sequence[Any]:
    """The marks of the cases of a `select_n`, clean if no flawed element is chosen."""
    if not is_inexact(cases[0]) or all(mark is CLEAN_MARK for mark in marks):
        return marks
    chosen = run.numbers(chosen_of, which, cases)
    return [part_of(mark, *chosen[number]) for number, mark in enumerate(marks)]


def _from_operands(
    run: Interpreter,
    eqn: JaxprEqn,
    operands: Sequence[Any],
    marks: Sequence[Any],
    inputs: Any,
    value: Any,
) -> Any:
    """The mark `inputs` that a result takes from its eqn's operands, with the marks that joined
    it there."""
    name = eqn.primitive.name
    pairs = [one for one in zip(operands, marks, strict=True) if is_inexact(one[0])]
    if inputs is CLEAN_MARK or not pairs or name in PLACES:
        return inputs
    if name in PARTS:
        return passed_on(inputs, _NO, _YES)
    inexact, of_inexact = zip(*pairs, strict=True)
    if name in SUMS:
        first = [run.numbers(first_flaws, one)[1] for one in inexact]
        library = library_of(*first)
        infinite = library.stack(first).min() < CLEAN
        return passed_on(inputs, library.stack([infinite, library.asarray(True)]), _NO)
    if name == "gather":
        filled = run.results(eqn, [run.computed(jnp.ones_like, operands[0]), *operands[1:]])
        return passed_on(inputs, run.numbers(first_flaws, filled[0])[:2] < CLEAN, _YES)
    shapes = {jnp.shape(operand) for operand in inexact} - {()}
    if not is_elementwise(name) or shapes - {jnp.shape(value)}:
        return passed_on(inputs, _YES, _YES)
    library = library_of(*of_inexact)
    flawed = library.stack([mark[:, WHEN] < CLEAN for mark in of_inexact])
    return passed_on(inputs, *run.numbers(of_each_element, inexact, flawed, value))


def _followed(run: Interpreter, eqn: JaxprEqn, given: Carried, mark: Any, value: Any) -> Any:
    """The mark of a result, with the place of the first element in it. The place is known only if
    the program runs eqn by eqn."""
    if mark is CLEAN_MARK or not isinstance(run, Stepping):
        return lost(mark)
    found = np.array(mark)
    for kind in range(2):
        if mark[kind, WHEN] < OF_CONSTANT and mark[kind, HERE] != LOST:
            found[kind, HERE] = _place_after(run, eqn, given, kind, mark[kind, HERE], value)
    return found


def _place_after(
    run: Interpreter, eqn: JaxprEqn, given: Carried, kind: int, place: int, value: Any
) -> int:
    """The place in a result of the first marked element of the operand; `LOST` if unknown. An op
    that only places, chooses or sums is run on an array that is 1 at this element."""
    name = eqn.primitive.name
    first = int(np.argmin([mark[kind, WHEN] for mark in given.marks]))
    shape = jnp.shape(given.values[first])
    if is_elementwise(name) and shape == jnp.shape(value):
        places = np.array([place])
    elif name in PLACES | PARTS | SUMS | {"gather", "select_n"}:
        others = jnp.ones_like if name in _PRODUCTS else jnp.zeros_like
        asked = [run.computed(others, one) if is_inexact(one) else one for one in given.values]
        asked[first] = run.computed(_one_at, given.values[first], place)
        places = np.flatnonzero(np.asarray(run.results(eqn, asked)[0]))
    else:
        return LOST
    flawed = np.asarray(run.computed(flaws_of, value)[kind]).reshape(-1)
    places = places[flawed[places]]
    return int(places[0]) if places.size else LOST


_PRODUCTS = {"dot_general", "conv_general_dilated"}


def _one_at(value: Any, place: Any) -> Any:
    """Zeros like a value, with 1 at one element."""
    places = jnp.arange(value.size, dtype=np.int32).reshape(value.shape)
    return (places == place).astype(value.dtype)


def _is_backward(step: Step) -> bool:
    """True for an eqn of the backward pass, by its name stack."""
    return "transpose(" in stack_text(step.jaxpr.eqns[step.eqn].source_info.name_stack)


def _mesh_axes(eqn: JaxprEqn) -> tuple[str, ...]:
    """The axes of the mesh that an eqn's values cross."""
    named = eqn.params.get("axes", eqn.params.get("axis_name", ()))
    named = named if isinstance(named, tuple | list) else (named,)
    return tuple(axis for axis in named if isinstance(axis, str))
