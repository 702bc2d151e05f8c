"""Chooses the fixes of a call that failed, the best one first. The kind of the error decides. If it
has no fix, the advice comes from JAX's message, or is general for the kind.

A library's code is not edited, and its calls have their own fixes (`libraries/`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from jaxviz.capture.failure.failed_call import FailedCall, either, sketch
from jaxviz.capture.failure.fixes import (
    arrays,
    calls,
    donated,
    loops,
    placed,
    shapes,
    statics,
    transforms,
    values,
)
from jaxviz.capture.failure.fixes.choices import choices
from jaxviz.capture.failure.libraries.rules import is_library_call
from jaxviz.capture.failure.types import asking_next, is_split
from jaxviz.safety.guard import as_far, guarded
from jaxviz.schema import Fix

_RULES: dict[str, Callable[[FailedCall], Iterator[Fix]]] = {
    "condition": choices,
    "condition-of-many": partial(choices, of_many=True),
    "number": values.number,
    "integer": values.integer,
    "numpy": values.numpy,
    "mask": values.mask,
    "shape-by-value": values.shape_by_value,
    "in-place": arrays.in_place,
    "dtypes": shapes.promoted,
    "overflow": calls.overflow,
    "checkify": calls.checked,
    "shapes": shapes.fitted,
    "carry": loops.carry,
    "branches": loops.branches,
    "predicate": calls.predicate,
    "static": calls.static,
    "argument": calls.argument,
    "gradient": calls.gradient,
    "key": calls.key,
    "nan": calls.nan,
    "batch": partial(either, transforms.batch),
    "axis-name": partial(either, transforms.axis_name),
    "donated": partial(either, donated.used_after_donation),
    "donated-twice": partial(either, donated.twice),
    "sharding": partial(either, placed.placement),
    "sharding-type": partial(either, placed.sharding_type),
    "specs": partial(either, placed.specs),
    "custom-rule": partial(either, transforms.custom_rule),
    "policy": partial(either, transforms.policy),
    "pallas": partial(either, transforms.pallas),
    "static-array": partial(either, statics.static_array),
    "static-names": partial(either, statics.static_names),
    "compiled": partial(either, transforms.compiled),
    "symbolic": partial(either, transforms.symbolic),
    "einsum": partial(either, shapes.einsum),
    "general": calls.general,
}


_OF_ARRAYS = ("shapes", "dtypes", "argument", "general")
"""Kinds whose fixes are for arrays that the user's own line computes with."""
_PLACES = (
    *("carry", "branches", "sharding-type", "specs", "sharding", "axis-name"),
    *("donated", "donated-twice"),
)
"""Kinds whose rules state how a result is split, or do not change it."""


def fixes_of(kind: str, call: FailedCall) -> list[Fix]:
    """The fixes; empty if there are none."""
    found = [*call.of_library] or _of_rules(kind, call)
    if kind not in _PLACES and guarded(False, is_split, call):
        return [asking_next(edit) for edit in found]
    return found


def _of_rules(kind: str, call: FailedCall) -> list[Fix]:
    if kind in _OF_ARRAYS and is_library_call(call):
        return []
    rule = _RULES.get(kind) if call.is_own else None
    return (as_far(rule, call) if rule else []) or as_far(sketches, kind, call.message)


_CLASS = "(?:ndarray or scalar arguments, got|of type) <class"
BY_MESSAGE = {
    r"got len\(in_axes\)=": "give in_axes an entry",
    r"vmap was requested to map its argument along axis [1-9]": "let in_axes name axes",
    r"context mesh .* should match the": "lay all arrays out",
    r"contracting dimensions to have the same shape": "make these sizes equal",
    r"[Ii]ncompatible shapes for broadcasting|add got incompatible": "put in an axis of size",
    r"Cannot concatenate arrays": "make all other axes",
    r"out of bounds for array of dimension 0": "leave the axis out",
    r"axis -?\d+ is out of bounds": "name an axis that is there 1",
    r"cannot reshape array": "give a shape of as many",
    r"All input arrays must have the same shape": "give all of them",
    r"same dtypes|same number of dimensions": "cast or reshape one",
    r"invalid PRNG key|unexpected PRNG key": "pass a key jax.random.key",
    r"total_repeat_length": "say how many there are at most",
    r"pytree structure error|Dict key mismatch|[Mm]ismatch.* tree": "pass trees of one",
    r"carry output is a <class 'NoneType'>|PyTreeDef\(None\)": (
        "end the body with return and the new"
    ),
    r"carry .*so their Python types differ": "return the same types",
    r"carry .*output must have the same pytree|carry .*structure": "let the body return",
    r"carry .*so the dtypes do not match": "cast what the body",
    r"carry .*so the shapes do not match": "let the body return the shape",
    r"body output must be a pair": "end the body with return",
    r"cond_fun must return a boolean": "let the condition return",
    r"branch.*same pytree structure": "let each branch return",
    r"branches must have.*so the dtypes do not match": "cast what the branches",
    r"branches must have": "let each branch return arrays",
    r"Pred must be a scalar": "choose by element with jnp.where or make",
    r"different leading axis sizes": "let all arrays that it goes",
    r"scalar-output": "return a scalar such as sum",
    r"real- or complex-valued": "pass floats x.astype float",
    r"argnums=": "number the arguments from 0",
    r"unsupported format string passed to \w*Tracer": "print values with jax.debug.print",
    r"of type <class '[\w.]*\b(?:(?:Closed)?Jaxpr|Traced|Lowered|Compiled|Exported)'>": (
        "give what it returns"
    ),
    r"^Argument .* is not a valid JAX type": "pass arrays and numbers",
    r"not a valid JAX type": "return arrays and numbers",
    r"Error interpreting argument.* at path \w+(?:\.\w|\[)": "make it a static",
    r"Error interpreting argument.* of type <class '__main__\.": "make its class a pytree",
    rf"{_CLASS} 'NoneType'>": "it is None there pass",
    rf"{_CLASS} 'dict'>": "compute with each of its arrays",
    rf"{_CLASS} '(?:list|tuple|set|range|generator)'>": "make it one array",
    r"Error interpreting argument": "make it static where it is jitted",
    r"unhashable type: '\w*Tracer'": "look it up in an array",
    r"iteration over a 0-d array": "pass an array of at least",
    r"operand type.*NoneType": "one side is None",
    r"needs PRNG for": "pass a key apply variables x",
    r"must pass a non-None PRNGKey": "pass a key apply",
    r"cannot assign to field": "make a changed copy dataclasses.replace",
    r"CpuCallback error": "fix the Python function",
    r"Tracer'? (?:object )?has no attribute": "use what a jax.Array",
    r"overflow was encountered|Python int(?:eger)? .*too large": "pass a float or turn",
    r"different trace level": "pass the module to the function",
    r"maximum recursion depth": "write the nesting as a jax.lax.scan",
}
"""Advice by a pattern of the message; the first one that matches."""
BY_KIND = {
    "condition": "choose with jnp.where or branch",
    "condition-of-many": "choose by element with jnp.where",
    "number": "keep it an array",
    "integer": "keep it an array and use",
    "numpy": "use jax.numpy there in place",
    "mask": "use jnp.where with three",
    "shape-by-value": "take sizes from shapes",
    "in-place": "write x x.at i",
    "static": "pass it as an ordinary",
    "reverse-mode": "write the loop as jax.lax.scan",
    "batch": "pass arrays of one",
    "donated": "go on with what was",
    "key": "make new keys first",
    "leak": "return the value from the function",
    "memory": "use smaller shapes or dtypes",
    "sharding": "lay them out alike",
    "nan": "find where it was",
}


def sketches(kind: str, text: str) -> list[Fix]:
    """Advice on an error of a kind and a message; empty if there is none."""
    found = [key for pattern, key in BY_MESSAGE.items() if re.search(pattern, text, re.DOTALL)]
    by_kind = [BY_KIND[kind]] if kind in BY_KIND else []
    return [sketch(key) for key in [*found, *by_kind][:1]]
