"""The table of what to write instead, for each error of JAX that a line of the user's may raise.

Of loops whose carry changes its type, and branches that return different types, the message says
what both sides are: the mend is read off that.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import jax.numpy as jnp

from jaxviz.capture import rewrites
from jaxviz.capture.rewrites import RefusedTrace

Rule = Callable[[RefusedTrace, re.Match[str]], str]


def mend(refused: RefusedTrace) -> str:
    """What to do about the exception, as part of a sentence; empty if no advice is known."""
    for pattern, rule in _BY_MESSAGE:
        found = pattern.search(refused.text)
        if found is not None:
            return rule(refused, found)
    kinds = (kind.__name__ for kind in type(refused.error).__mro__)
    return next((_BY_CLASS[kind](refused) for kind in kinds if kind in _BY_CLASS), "")


def _says(text: str) -> Rule:
    return lambda refused, found: text


_BY_MESSAGE: list[tuple[re.Pattern[str], Rule]] = [
    (re.compile(pattern), rule)
    for pattern, rule in [
        (r"truth value of an array with more than one element", rewrites.many),
        (r"(?:The|for the) (size) argument(?: of jnp\.\w+ must be|, which)", rewrites.sized),
        (r"static `(length)` argument|`(total_repeat_length)`", rewrites.sized),
        (r"Shapes must be 1D sequences of concrete values", rewrites.shape),
        (r"It arose in the jnp\.arange argument", rewrites.arange),
        (r"JAX arrays are immutable", rewrites.assigned),
        (r"[Ii]ncompatible shapes for broadcasting", rewrites.broadcast),
        (r"Cannot concatenate arrays .* for shapes \((.*)\)", rewrites.concatenated),
        (r"lax\.(\w+) requires arguments to have the same dtypes", rewrites.promoted),
        (r"(\w+): arrays must have the same number of dimensions", rewrites.promoted),
        (r"axis -?\d+ is out of bounds for array of dimension (\d+)", rewrites.axis),
        (
            r"cannot reshape array",
            _says("give a shape of as many elements; one size may be -1, and is worked out"),
        ),
        (r"invalid PRNG key", _says("pass a key: jax.random.key(0)")),
        (
            r"pytree structure error|Dict key mismatch|[Mm]ismatch.* tree",
            _says("pass trees of one structure: the same keys and lengths"),
        ),
        (
            r"(?:[Ss]lice entries|slice indices) must (?:be|have) static",
            lambda refused, _: rewrites.either(
                refused.static,
                "take a slice of fixed length: jax.lax.dynamic_slice_in_dim(x, start, length)",
            ),
        ),
        (
            r"unsupported format string passed to \w*Tracer",
            _says("print values with jax.debug.print('{}', x)"),
        ),
        (
            r"contracting dimensions to have the same shape",
            _says("make these sizes equal, with .T or .reshape, or name the axes: jnp.einsum"),
        ),
        (
            r"Pred must be a scalar",
            _says(
                "choose for each element with jnp.where, or make the condition one truth value "
                "with .all() or .any()"
            ),
        ),
        (
            r"Gradient only defined for scalar-output functions",
            _says(
                "return a scalar, such as a sum or a mean; jax.jacobian has the derivatives of all "
                "outputs"
            ),
        ),
        (
            r"grad requires real- or complex-valued inputs",
            _says("pass a float: 3.0 in place of 3, x.astype(float) for an array"),
        ),
        (
            r"inconsistent sizes for array axes to be mapped",
            _says(
                "pass arrays of one size along the mapped axis, or leave one out of the mapping: "
                "jax.vmap(f, in_axes=(0, None))"
            ),
        ),
        (
            r"Reverse-mode differentiation does not work",
            _says(
                "fix the number of steps (a Python number as bound, a static argument), or write "
                "the loop as jax.lax.scan"
            ),
        ),
        (
            r"of type <class '[\w.]*\b(ClosedJaxpr|Traced|Lowered|Compiled|Exported)'>, which is",
            lambda _, found: (
                f"give what it returns a name, made = …, and show that {found[1]}: %jaxviz made"
            ),
        ),
        (
            r"which is not a valid JAX type",
            _says("return arrays and numbers alone"),
        ),
        (
            r"unhashable type: '\w*Tracer'",
            _says(
                "a traced array can be no key of a dict or set: look it up in an array, or make "
                "the argument static"
            ),
        ),
        (
            r"iteration over a 0-d array",
            _says("pass an array of at least one dimension, or leave the loop out"),
        ),
        (
            r"unsupported operand type\(s\) for .*Tracer.*NoneType|NoneType.*Tracer",
            _says("one side is None: let the function that made it return a value"),
        ),
        (
            r"Tracer has no attribute (\w+)|Tracer' object has no attribute '(\w+)'",
            _says(
                "a traced array has what a jax.Array has (.shape, .dtype, .sum()): use these, or "
                "a function of jax.numpy"
            ),
        ),
        (
            r"overflow was encountered|Python int(?:eger)? .*too large",
            _says(
                "pass a float in its place, or turn on 64 bits: "
                "jax.config.update('jax_enable_x64', True)"
            ),
        ),
        (
            r"carry input and carry output|branches must have|branch outputs must have",
            lambda refused, _: _carry_mend(refused.text),
        ),
        (
            r"Error interpreting argument to [\s\S]*at path (\w+)",
            lambda _, found: f"make it static where it is jitted: static_argnames={found[1]!r}",
        ),
        (r"argnums", _says("number the arguments from 0 on, as they are passed by position")),
        (r"scan body output must be a pair", _says("end the body with return carry, y")),
        (
            r"cond_fun must return a boolean scalar",
            _says("let it return one truth value: .all() or .any() of an array"),
        ),
        (
            r"different leading axis sizes",
            _says("let all arrays that it goes through have the same first dimension"),
        ),
    ]
]
_BY_CLASS: dict[str, Callable[[RefusedTrace], str]] = {
    "TracerBoolConversionError": rewrites.truth,
    "TracerIntegerConversionError": rewrites.index,
    "TracerArrayConversionError": rewrites.numpy,
    "NonConcreteBooleanIndexError": rewrites.mask,
    "ConcretizationTypeError": rewrites.number,
    "KeyReuseError": lambda _: "make new keys first: key, other = jax.random.split(key)",
    "TraceContextError": lambda _: (
        "pass the module to the function as an argument: one that it closes over cannot be changed"
    ),
    "RecursionError": lambda _: "write the nesting as a jax.lax.scan",
}


_TYPES = re.compile(
    r"The (?:output of )?(?P<one>.+?) has type (?P<before>\w+)\[.*? corresponding output"
    r"(?: of (?P<other>.+?)| carry component) has type (?P<after>\w+)\[.* "
    r"so the (?P<what>dtypes|shapes) do not match"
)
_CARRY = "carry input and carry output"


def reason(text: str) -> str:
    """The first line of JAX's message, completed by the line further down that says what
    differs."""
    named = re.sub(r"<class '(?:jax\._src\.core\.)?([\w.]+)'>", r"\1", text)
    first, *more = named.strip().splitlines() or [""]
    about = re.sub(r",? but they differ[.:]$", "", first.strip())
    if about == first.strip():
        listed = [line.strip().removeprefix("* ") for line in more if line.strip()[:2] == "* "]
        return about.rstrip(".:") + (f": {' '.join(listed)}" if listed else "")
    details = next((line for line in more if " so the" in line), "")
    details = details.strip().rstrip(".")
    return f"{about}: {details[:1].lower()}{details[1:]}" if details else about


def _carry_mend(text: str) -> str:
    """What to change in a loop's body, or in branches, from JAX's message."""
    found = _TYPES.search(text)
    if found is None:
        return _structure(text)
    if found["what"] == "dtypes":
        return _cast(found["one"], found["before"], found["other"], found["after"])
    if found["other"] is None:
        return "let the body return it in the shape that it gets, or start with the other shape"
    return "let each branch return arrays of one shape"


def _cast(one: str, before: str, other: str | None, after: str) -> str:
    """Which cast makes the dtypes equal without losing precision."""
    wider = str(jnp.promote_types(before, after))
    if other is None:
        if wider == after:
            return f"start with that dtype, as .astype(jnp.{after}) or jnp.{after}(…) makes it"
        return f"cast what the body returns: .astype(jnp.{before})"
    narrow = [name for name, dtype in ((one, before), (other, after)) if dtype != wider]
    return f"cast what {' and '.join(narrow)} returns: .astype(jnp.{wider})"


def _structure(text: str) -> str:
    if "PyTreeDef(None)" in text or "carry output is a <class 'NoneType'>" in text:
        return "the body returns None there: end it with return and the new state"
    if _CARRY in text:
        return "let the body return the same structure that it gets: the same keys and lengths"
    return "let each branch return the same structure: the same keys and lengths"
