"""The kinds of errors that have a card of their own: how each is known, its heading, and why it is
so, in plain words.

An exception is of the first kind of the table whose class and message fit it.
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
    message: str
    """A pattern that its message has."""
    title: str
    why: str


_VALUE = "TracerBoolConversionError|ConcretizationTypeError|TracerIntegerConversionError"
KINDS = (
    Kind(
        "condition-of-many",
        "ValueError",
        "truth value of an array with more than one element",
        "An array of several truth values cannot decide",
        "Python wants one yes or no there, and the array has one for each of its elements.",
    ),
    Kind(
        "shape-by-value",
        "",
        r"size argument of jnp\.|value for the size argument|static `length`|`total_repeat_length`"
        r"|Shapes must be 1D sequences of concrete|arose in the jnp\.arange argument"
        r"|(?:[Ss]lice entries|slice indices) must (?:be|have) static|arange requires concrete",
        "The shape of a result depends on a value",
        "While JAX traces, shapes have to be known and values are not. A size that is computed "
        "from values is known only when the program runs.",
    ),
    Kind(
        "number",
        "ConcretizationTypeError|TracerBoolConversionError",
        "problem arose with the `(?:int|float|complex|bool)` function",
        "A traced value cannot become a Python number",
        "While JAX traces, a value has a shape and a dtype but no number yet.",
    ),
    Kind(
        "condition",
        "TracerBoolConversionError",
        "",
        "A traced value cannot decide for Python",
        "While JAX traces, a value has a shape and a dtype but is neither true nor false yet. "
        "Python has to choose now; JAX has to keep both ways.",
    ),
    Kind(
        "integer",
        "TracerIntegerConversionError",
        "",
        "A traced value cannot be a Python integer",
        "While JAX traces, a value has a shape and a dtype but no number yet. Python needs the "
        "integer now, to count or to look something up.",
    ),
    Kind(
        "mask",
        "NonConcreteBooleanIndexError",
        "",
        "A mask would decide the shape of the result",
        "How many elements a mask keeps depends on its values, so the result's shape would too. "
        "While JAX traces, shapes have to be known and values are not.",
    ),
    Kind(
        "numpy",
        "TracerArrayConversionError",
        "",
        "NumPy cannot compute with a traced value",
        "NumPy computes at once and needs the numbers. While JAX traces there are none: a function "
        "of jax.numpy is recorded in the program instead.",
    ),
    Kind(
        "number",
        _VALUE,
        "",
        "A traced value cannot become a Python number",
        "While JAX traces, a value has a shape and a dtype but no number yet.",
    ),
    Kind(
        "in-place",
        "TypeError",
        "JAX arrays are immutable",
        "A JAX array cannot be changed in place",
        "x.at[…] gives a new array with the elements changed. Within jit, XLA reuses the memory "
        "where it can.",
    ),
    Kind(
        "dtypes",
        "TypeError",
        "requires arguments to have the same dtypes",
        "These arrays have other dtypes",
        "Functions of jax.lax take their operands as they are. Those of jax.numpy convert them to "
        "one dtype first.",
    ),
    Kind(
        "carry",
        "TypeError",
        "carry|body output must be a pair|body_fun output|while_loop body",
        "A loop must return what it gets",
        "The body of a loop is traced once for all its iterations: what it returns as carry must "
        "have the structure, shapes and dtypes of what it was given.",
    ),
    Kind(
        "predicate",
        "TypeError",
        "Pred must be a scalar|Pred type must be|cond_fun must return",
        "A condition must be one truth value",
        "lax.cond runs one of its branches, so one truth value has to say which.",
    ),
    Kind(
        "branches",
        "TypeError",
        "branches must have|branch outputs must have|true_fun and false_fun",
        "All branches must return the same types",
        "The program goes on with whichever branch was run, so results of all of them must have "
        "the same structure, shapes and dtypes.",
    ),
    Kind(
        "static",
        "ValueError|TypeError",
        "Non-hashable static arg|static args must be hashable|Static argument .* hashable",
        "A static argument cannot be hashed",
        "JAX keeps one compiled program for each value of a static argument. To find it again, "
        "the value must have a hash that never changes.",
    ),
    Kind(
        "leak",
        "UnexpectedTracerError",
        "",
        "A traced value was used after its trace had ended",
        "The value was stored outside of the function while JAX traced it. It never had a number, "
        "and the trace that it belongs to is over.",
    ),
    Kind(
        "gradient",
        "TypeError",
        "Gradient only defined for scalar-output|grad requires real- or complex-valued"
        "|has_aux|requires real-valued outputs",
        "This has no gradient",
        "jax.grad gives the derivative of one real number with respect to arrays of floats.",
    ),
    Kind(
        "reverse-mode",
        "ValueError",
        "Reverse-mode differentiation does not work",
        "This loop cannot be gone through backwards",
        "The backward pass needs the values of each iteration, and memory for them is set aside "
        "before the loop runs. How often this loop runs is known only then.",
    ),
    Kind(
        "batch",
        "ValueError",
        "vmap (?:got inconsistent sizes|was requested to map|in_axes)|vmap must have|inconsistent "
        "sizes for array axes to be mapped",
        "vmap cannot go through these arrays together",
        "vmap takes one slice of each array that it maps, so all of them need the same size along "
        "the mapped axis.",
    ),
    Kind(
        "key",
        "KeyReuseError|TypeError",
        "[Kk]ey reuse|[Pp]reviously-consumed|already consumed|invalid PRNG key|key.*must be|"
        "unexpected PRNG key|Argument .*PRNG key",
        "A random key is not as it has to be",
        "A key gives the same numbers each time, so each use needs a key of its own.",
    ),
    Kind(
        "donated",
        "RuntimeError|ValueError",
        "Array has been deleted|been donated|deleted or donated",
        "This array was given away",
        "An argument that is donated lends its memory to the results. The old array holds nothing "
        "any more.",
    ),
    Kind(
        "memory",
        "",
        "RESOURCE_EXHAUSTED|Out of memory",
        "There is not enough memory",
        "XLA could not get as much memory as this needs at once.",
    ),
    Kind(
        "sharding",
        "ValueError|TypeError",
        "incompatible devices|[Ss]harding|evenly divide|divisible by",
        "These arrays are not laid out over the devices alike",
        "What is computed together must lie on the same devices, and a mesh divides an axis into "
        "parts of one size.",
    ),
    Kind(
        "nan",
        "FloatingPointError",
        "",
        "A NaN was computed",
        "jax_debug_nans ends the run at the first result that is not a number.",
    ),
    Kind(
        "argument",
        "TypeError",
        "not a valid JAX type|Error interpreting argument",
        "JAX takes arrays and numbers alone",
        "What goes into a program and what comes out of it are arrays. Anything else is fixed "
        "when the function is traced: it has to be static, or stay outside.",
    ),
    Kind(
        "shapes",
        "TypeError|ValueError",
        "[Ii]ncompatible shapes|contracting dimensions|same shape|same number of dimensions"
        "|concatenate|reshape|out of bounds|inconsistent size|[Ss]ize of label|broadcast",
        "These shapes do not fit together",
        "JAX knows all shapes while it traces, and compares them at once.",
    ),
)
GENERAL = Kind(
    "general",
    "",
    "",
    "The function failed while JAX traced it",
    "JAX runs the function once with traced values in place of arrays, to record what it does.",
)


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
