"""The mends of a call that failed, the best one first."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from jaxviz.capture.failure import (
    call_mends,
    carry_mends,
    compiled_mends,
    donated_mends,
    field_mends,
    kernel_mends,
    map_mends,
    operation_mends,
    placed_mends,
    plain_mends,
    rule_mends,
    shape_mends,
    value_mends,
)
from jaxviz.capture.failure.choice_mends import choices
from jaxviz.capture.failure.edits import either
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.rules import is_library_call
from jaxviz.capture.failure.placing import asking_next, is_split
from jaxviz.capture.failure.sketches import sketches
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.guard import as_far, guarded
from jaxviz.schema import Mend

_RULES: dict[str, Callable[[FailedCall], Iterator[Mend]]] = {
    "condition": choices,
    "condition-of-many": partial(choices, of_many=True),
    "number": value_mends.number,
    "integer": value_mends.integer,
    "numpy": value_mends.numpy,
    "mask": value_mends.mask,
    "shape-by-value": value_mends.shape_by_value,
    "in-place": call_mends.in_place,
    "dtypes": shape_mends.promoted,
    "overflow": plain_mends.overflow,
    "checkify": plain_mends.checked,
    "shapes": shape_mends.fitted,
    "carry": carry_mends.carry,
    "branches": carry_mends.branches,
    "predicate": call_mends.predicate,
    "static": call_mends.static,
    "argument": call_mends.argument,
    "gradient": call_mends.gradient,
    "key": call_mends.key,
    "nan": call_mends.nan,
    "batch": partial(either, map_mends.batch),
    "axis-name": partial(either, map_mends.axis_name),
    "donated": partial(either, donated_mends.used_again),
    "donated-twice": partial(either, donated_mends.twice),
    "sharding": partial(either, placed_mends.placement),
    "sharding-type": partial(either, placed_mends.sharding_type),
    "specs": partial(either, placed_mends.specs),
    "custom-rule": partial(either, rule_mends.custom_rule),
    "policy": partial(either, rule_mends.policy),
    "pallas": partial(either, kernel_mends.pallas),
    "static-array": partial(either, field_mends.static_array),
    "static-names": partial(either, field_mends.static_names),
    "compiled": partial(either, compiled_mends.compiled),
    "symbolic": partial(either, compiled_mends.symbolic),
    "einsum": partial(either, operation_mends.einsum),
    "general": call_mends.general,
}


_OF_ARRAYS = ("shapes", "dtypes", "argument", "general")
"""Kinds whose fixes are for arrays that the reader's own line computes with."""
_PLACES = (
    *("carry", "branches", "sharding-type", "specs", "sharding", "axis-name"),
    *("donated", "donated-twice"),
)
"""Rules that say themselves how a result is split, or that change nothing of it."""


def mends(kind: str, call: FailedCall) -> list[Mend]:
    """The fixes; empty if none is known. A library's code is not edited, and its
    calls have fixes of their own."""
    found = [*call.of_library] or _of_rules(kind, call)
    if kind not in _PLACES and guarded(False, is_split, call):
        return [asking_next(edit) for edit in found]
    return found


def _of_rules(kind: str, call: FailedCall) -> list[Mend]:
    if kind in _OF_ARRAYS and is_library_call(call):
        return []
    rule = _RULES.get(kind) if call.own else None
    return (as_far(rule, call) if rule else []) or as_far(sketches, kind, message_of(call.error))
