"""The kinds of errors that have a card of their own, and how each is known.

An exception is of the first kind of the table whose class and message fit it. What is said of a
kind stands on its page (`jaxviz/pages`).
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of error."""

    name: str
    """Its name in `%jaxviz explain NAME`."""
    classes: str
    """Names of exceptions, one of which the exception or a class that it derives from has; empty
    for any."""
    message: str = ""
    """A pattern that its message has."""


_VALUE = "TracerBoolConversionError|ConcretizationTypeError|TracerIntegerConversionError"
KINDS = (
    Kind("condition-of-many", "ValueError", "truth value of an array with more than one element"),
    Kind(
        "shape-by-value",
        "",
        r"size argument of jnp\.|value for the size argument|static `length`|`total_repeat_length`"
        r"|Shapes must be 1D sequences of concrete"
        r"|arose in (?:the jnp\.arange|jax\.nn\.one_hot) argument"
        r"|(?:[Ss]lice entries|slice indices) must (?:be|have) static|arange requires concrete",
    ),
    Kind(
        "number",
        "ConcretizationTypeError|TracerBoolConversionError",
        "problem arose with the `(?:int|float|complex|bool)` function",
    ),
    Kind("condition", "TracerBoolConversionError"),
    Kind("integer", "TracerIntegerConversionError"),
    Kind("mask", "NonConcreteBooleanIndexError"),
    Kind("numpy", "TracerArrayConversionError"),
    Kind("number", _VALUE),
    Kind("in-place", "TypeError", "JAX arrays are immutable"),
    Kind("dtypes", "TypeError", "requires arguments to have the same dtypes"),
    Kind("carry", "TypeError", "carry|body output must be a pair|body_fun output|while_loop body"),
    Kind("predicate", "TypeError", "Pred must be a scalar|Pred type must be|cond_fun must return"),
    Kind(
        "branches",
        "TypeError",
        "branches must have|branch outputs must have|true_fun and false_fun",
    ),
    Kind(
        "static",
        "ValueError|TypeError",
        "Non-hashable static arg|static args must be hashable|Static argument .* hashable",
    ),
    Kind("leak", "UnexpectedTracerError"),
    Kind(
        "gradient",
        "TypeError",
        "Gradient only defined for scalar-output|grad requires real- or complex-valued"
        "|has_aux|requires real-valued outputs",
    ),
    Kind("reverse-mode", "ValueError", "Reverse-mode differentiation does not work"),
    Kind(
        "batch",
        "ValueError",
        "vmap (?:got inconsistent sizes|was requested to map|in_axes)|vmap must have|inconsistent "
        "sizes for array axes to be mapped",
    ),
    Kind(
        "key",
        "KeyReuseError|TypeError",
        "[Kk]ey reuse|[Pp]reviously-consumed|already consumed|invalid PRNG key|key.*must be|"
        "unexpected PRNG key|Argument .*PRNG key",
    ),
    Kind(
        "donated",
        "RuntimeError|ValueError",
        "Array has been deleted|been donated|deleted or donated",
    ),
    Kind("memory", "", "RESOURCE_EXHAUSTED|Out of memory"),
    Kind(
        "sharding",
        "ValueError|TypeError",
        "incompatible devices|[Ss]harding|evenly divide|divisible by",
    ),
    Kind("nan", "FloatingPointError"),
    Kind("argument", "TypeError", "not a valid JAX type|Error interpreting argument"),
    Kind(
        "shapes",
        "TypeError|ValueError|ScopeParamShapeError",
        "[Ii]ncompatible shapes|contracting dimensions|same shape|same number of dimensions"
        "|concatenate|reshape|out of bounds|inconsistent size|[Ss]ize of label|broadcast"
        "|[Ss]hape mismatch|to generate shape|with retrieved shape",
    ),
)
GENERAL = Kind("general", "")
"""Of errors while JAX traces that none of the table fits."""
OTHER = Kind("other", "")
"""Of errors at any other time."""


def kind_of(error: BaseException) -> Kind:
    """Which kind an exception is of; `GENERAL` where none fits."""
    text = str(error)
    names = {cls.__name__ for cls in type(error).__mro__}
    for kind in KINDS:
        if (not kind.classes or names & set(kind.classes.split("|"))) and re.search(
            kind.message, text
        ):
            return kind
    return GENERAL
