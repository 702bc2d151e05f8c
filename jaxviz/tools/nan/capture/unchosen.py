"""Finds NaNs of a branch that `where` does not choose.

In the forward pass the choice hides the other branch. In the backward pass this branch gets a
cotangent of 0, and 0 times an infinite derivative is NaN. So for each value of the backward pass,
the elements are followed that are 0 because of a choice.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import ref

import jax.numpy as jnp
import numpy as np
from jax.extend.core import JaxprEqn

from jaxviz.capture.rerun.interpreter import Carried, Interpreter, Step
from jaxviz.tools.nan.capture.flaws import PARTS, PLACES, is_inexact
from jaxviz.tools.nan.capture.marks import OF_CONSTANT, SITE, WHEN

Path = tuple[Step, ...]


class NotChosen(NamedTuple):
    """The elements of a value that are 0 because a choice did not take them."""

    elements: Any
    choice: Path
    """The path to the eqn that chose."""


class Trap(NamedTuple):
    """The place where a 0 of a choice is combined with a value that is not finite."""

    choice: Path
    place: Path


class Unchosen:
    """The traps of one run, by the time and the site of the origin of their NaN."""

    def __init__(self) -> None:
        self.traps: dict[tuple[int, int], Trap] = {}
        self._marked: dict[int, tuple[Any, NotChosen]] = {}

    def follow(
        self, run: Interpreter, eqn: JaxprEqn, given: Carried, made: Carried, path: Path
    ) -> None:
        """Follows one eqn of the backward pass."""
        if not all(map(is_inexact, made.values)):
            return
        marked = [self._of(one) for one in given.values]
        if eqn.primitive.name == "select_n":
            found = [_chosen(given.values, marked, path)]
        elif not any(marked):
            return
        else:
            found = _passed(run, eqn, given.values, marked)
            self._record_trap(run, eqn, given, marked, made, path)
        for value, one in zip(made.values, found, strict=False):
            if one.elements.any():
                self._marked[id(value)] = ref(value), one

    def _of(self, value: Any) -> NotChosen | None:
        value_of, found = self._marked.get(id(value), (lambda: None, None))
        return found if value_of() is value else None

    def _record_trap(
        self,
        run: Interpreter,
        eqn: JaxprEqn,
        given: Carried,
        marked: list[NotChosen | None],
        made: Carried,
        path: Path,
    ) -> None:
        """Records the eqn if all its NaNs are in elements that were not chosen."""
        nans, name = np.isnan(_wide(made.values[0])), eqn.primitive.name
        if not nans.any() or name not in _PRODUCTS | _BILINEAR:
            return
        meets = _meets_in_sums if name in _BILINEAR else _meets
        for at, one in enumerate(marked):
            if one is not None and meets(run, eqn, given, at, one.elements, nans):
                mark = made.marks[0]
                key = int(mark[0, WHEN]), int(mark[0, SITE])
                self.traps[key] = Trap(one.choice, path)


def _passed(
    run: Interpreter, eqn: JaxprEqn, given: list[Any], marked: list[NotChosen | None]
) -> list[NotChosen]:
    """The elements that stay marked in each result of an eqn that is linear in its operands; empty
    for any other eqn."""
    name = eqn.primitive.name
    first = next(one for one in marked if one)
    shape = eqn.outvars[0].aval.shape  # pyright: ignore[reportAttributeAccessIssue]
    if name in _ANY or (name == "div" and marked[0]):
        elements = [np.broadcast_to(one.elements, shape) for one in marked if one]
        return [NotChosen(np.any(elements, axis=0), first.choice)]
    if name in _LINEAR:
        blank = jnp.ones_like if name in _BILINEAR else _nonzero
        reached = [blank(of) if is_inexact(of) else of for of in given]
        left = list(reached)
        for at, one in enumerate(marked):
            if one:
                reached[at] = jnp.ones_like(given[at])
                left[at] = _as(given[at], ~one.elements)
        pairs = zip(run.results(eqn, reached), run.results(eqn, left), strict=True)
        each = [(_wide(whole) != 0) & (_wide(still) == 0) for whole, still in pairs]
        return [NotChosen(elements, first.choice) for elements in each]
    return []


def _meets_in_sums(
    run: Interpreter, eqn: JaxprEqn, given: Carried, at: int, elements: Any, nans: Any
) -> bool:
    """True if each NaN of a `dot_general` is a sum in which elements that were not chosen meet
    values that are not finite, and no other elements do. Such values from outside do not count."""
    other = 1 - at
    if not any(0 <= int(row[WHEN]) < OF_CONSTANT for row in np.asarray(given.marks[other])):
        return False
    bad = _as(given.values[other], ~np.isfinite(_wide(given.values[other])))

    def counted(left: Any, right: Any) -> Any:
        both = [left, right] if at == 0 else [right, left]
        return _wide(run.results(eqn, both)[0]) != 0

    own = given.values[at]
    own_nans = counted(_as(own, np.isnan(_wide(own))), jnp.ones_like(bad))
    rest = counted(_as(own, ~elements), bad) | own_nans
    return not (nans & (rest | ~counted(_as(own, elements), bad))).any()


def _meets(
    run: Interpreter, eqn: JaxprEqn, given: Carried, at: int, elements: Any, nans: Any
) -> bool:
    """True if all NaNs of an elementwise product are at elements that were not chosen, and another
    operand is not finite at one of them."""
    if elements.shape != nans.shape or (nans & ~elements).any():
        return False
    values, name = given.values, eqn.primitive.name
    rest = (of for of in (*values[:at], *values[at + 1 :]) if is_inexact(of))
    return any((nans & np.broadcast_to(_spoils(name, of), nans.shape)).any() for of in rest)


def _spoils(name: str, operand: Any) -> Any:
    """The elements that turn a 0 into NaN: those that are not finite, and 0 in a quotient."""
    wide = _wide(operand)
    return ~np.isfinite(wide) | (wide == 0) if name == "div" else ~np.isfinite(wide)


def _chosen(given: list[Any], marked: list[NotChosen | None], path: Path) -> NotChosen:
    """The elements that a choice sets to 0, because it takes an all-zero case instead of another
    one."""
    which, cases = np.asarray(given[0]).astype(np.int32), [_wide(case) for case in given[1:]]
    zero = [not case.any() for case in cases]
    found = passed = np.zeros(cases[0].shape, bool)
    earlier = None
    for number, (case, before) in enumerate(zip(cases, marked[1:], strict=True)):
        taken = np.broadcast_to(which == number, case.shape)
        if zero[number] and not all(zero):
            found = found | taken
        elif before is not None:
            earlier = before
            passed = passed | (taken & before.elements)
    return NotChosen(found | passed, path if found.any() or earlier is None else earlier.choice)


def _wide(value: Any) -> Any:
    """A value as a NumPy array of a float type that NumPy can compare."""
    array = np.asarray(value)
    return array if array.dtype.kind in "fcbiu" else array.astype(np.float32)


def _as(value: Any, elements: Any) -> Any:
    return elements.astype(value.dtype)


def _nonzero(value: Any) -> Any:
    return _as(value, _wide(value) != 0)


_PRODUCTS = {"mul", "div"}
_ANY = {"mul", "neg", "convert_element_type", "copy", "copy_p", "real", "imag"}
"""Ops whose result is 0 if any operand is 0."""
_BILINEAR = {"dot_general", "conv_general_dilated"}
_LINEAR = PLACES | PARTS | _BILINEAR | {"reduce_sum", "cumsum", "reduce_window_sum", "scatter-add"}
_LINEAR |= {"add", "add_any", "gather"}
"""Ops whose result is a sum of elements of their operands: 0 if each of them is 0."""
