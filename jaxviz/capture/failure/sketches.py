"""What to do about an error whose mend is no edit of one place: by JAX's message, and by its
kind."""

from __future__ import annotations

import re

from jaxviz.capture.failure.edits import sketch
from jaxviz.schema import Mend

BY_MESSAGE = {
    r"got len\(in_axes\)=": "give in_axes an entry for each argument",
    r"vmap was requested to map its argument along axis [1-9]": (
        "let in_axes name axes that the arguments have"
    ),
    r"context mesh .* should match the": "lay all arrays out over one mesh: that of jax.set_mesh",
    r"contracting dimensions to have the same shape": (
        "make these sizes equal, with .T or .reshape, or name the axes: jnp.einsum"
    ),
    r"[Ii]ncompatible shapes for broadcasting|add got incompatible shapes": (
        "put in an axis of size 1 where one is missing, as in b[:, None]: shapes are matched from "
        "the last axis"
    ),
    r"Cannot concatenate arrays": "make all other axes equal first",
    r"out of bounds for array of dimension 0": "leave the axis out: a scalar has none",
    r"axis -?\d+ is out of bounds": "name an axis that is there: -1 is the last",
    r"cannot reshape array": (
        "give a shape of as many elements; one size may be -1, and is worked out"
    ),
    r"All input arrays must have the same shape": "give all of them one shape first",
    r"same dtypes|same number of dimensions": (
        "cast or reshape one of them, with .astype or .reshape"
    ),
    r"invalid PRNG key|unexpected PRNG key": "pass a key: jax.random.key(0)",
    r"total_repeat_length": "say how many there are at most: total_repeat_length=n",
    r"pytree structure error|Dict key mismatch|[Mm]ismatch.* tree": (
        "pass trees of one structure: the same keys and lengths"
    ),
    r"carry output is a <class 'NoneType'>|PyTreeDef\(None\)": (
        "end the body with return and the new state: it returns None there"
    ),
    r"carry .*so their Python types differ": (
        "return the same types: a tuple for a tuple, a list for a list"
    ),
    r"carry (?:input and carry )?output must have the same pytree|carry .*structure": (
        "let the body return the structure that it gets: the same keys and lengths"
    ),
    r"carry .*so the dtypes do not match": (
        "cast what the body returns with .astype, or start with the other dtype"
    ),
    r"carry .*so the shapes do not match": (
        "let the body return the shape that it gets, or start with the other shape"
    ),
    r"body output must be a pair": "end the body with return carry, y",
    r"cond_fun must return a boolean": (
        "let the condition return one truth value: .all() or .any() of an array"
    ),
    r"branch.*same pytree structure": (
        "let each branch return the same structure: the same keys and lengths"
    ),
    r"branches must have.*so the dtypes do not match": (
        "cast what the branches return to one dtype, with .astype"
    ),
    r"branches must have": "let each branch return arrays of one shape",
    r"Pred must be a scalar": (
        "choose by element with jnp.where, or make it one truth value: .all() or .any()"
    ),
    r"different leading axis sizes": (
        "let all arrays that it goes through have one size along their first axis"
    ),
    r"scalar-output": "return a scalar, such as .sum() or .mean(), or use jax.jacobian",
    r"real- or complex-valued": "pass floats: x.astype(float)",
    r"argnums=": "number the arguments from 0 on, as they are passed by position",
    r"unsupported format string passed to \w*Tracer": (
        "print values with jax.debug.print('{}', x)"
    ),
    r"of type <class '[\w.]*\b(?:ClosedJaxpr|Traced|Lowered|Compiled|Exported)'>": (
        "give what it returns a name, made = …, and show that: %jaxviz made"
    ),
    r"^Argument .* is not a valid JAX type": (
        "pass arrays and numbers alone, and keep the rest outside"
    ),
    r"not a valid JAX type": "return arrays and numbers alone, and keep the rest outside",
    r"Error interpreting argument.* at path \w+(?:\.\w|\[)": (
        "make it a static part of what holds it, or jit with what leaves it out: eqx.filter_jit"
    ),
    r"Error interpreting argument.* of type <class '__main__\.": (
        "make its class a pytree: jax.tree_util.register_dataclass, or pass its arrays"
    ),
    r"(?:ndarray or scalar arguments, got|of type) <class 'NoneType'>": (
        "it is None there: pass an array, or let the function that made it return one"
    ),
    r"(?:ndarray or scalar arguments, got|of type) <class 'dict'>": (
        "compute with each of its arrays: jax.tree.map, or jax.tree.leaves for a list of them"
    ),
    r"(?:ndarray or scalar arguments, got|of type) <class '(?:list|tuple|set|range|generator)'>": (
        "make it one array first: jnp.array([*x])"
    ),
    r"Error interpreting argument": "make it static where it is jitted: static_argnames",
    r"unhashable type: '\w*Tracer'": (
        "look it up in an array: a traced value can be no key of a dict or set"
    ),
    r"iteration over a 0-d array": "pass an array of at least one axis, or leave the loop out",
    r"operand type.*NoneType": (
        "one side is None there: pass a value, or let the function that made it return one"
    ),
    r"needs PRNG for": "pass a key: apply(variables, x, rngs={'dropout': key})",
    r"must pass a non-None PRNGKey": "pass a key: apply(params, jax.random.key(0), x)",
    r"cannot assign to field": (
        "make a changed copy: dataclasses.replace(…), or eqx.tree_at(…) in Equinox"
    ),
    r"CpuCallback error": (
        "mend the Python function that the program calls: the end of the message says what failed"
    ),
    r"Tracer'? (?:object )?has no attribute": (
        "use what a jax.Array has (.shape, .dtype, .sum()), or a function of jax.numpy"
    ),
    r"overflow was encountered|Python int(?:eger)? .*too large": (
        "pass a float, or turn on 64 bits: jax.config.update('jax_enable_x64', True)"
    ),
    r"different trace level": "pass the module to the function as an argument",
    r"maximum recursion depth": "write the nesting as a jax.lax.scan",
}
"""By a pattern of the message; the first that fits."""
BY_KIND = {
    "condition": "choose with jnp.where, or branch with jax.lax.cond",
    "condition-of-many": "choose by element with jnp.where, or test .all() or .any()",
    "number": "keep it an array, or pass a Python number, such as one from x.shape",
    "integer": "keep it an array, and use jax.numpy in place of Python there",
    "numpy": "use jax.numpy there in place of numpy",
    "mask": "use jnp.where with three arguments, or jnp.nonzero with size=",
    "shape-by-value": "take sizes from shapes, such as x.shape[0]",
    "in-place": "write x = x.at[i].set(value) in place of x[i] = value",
    "static": "pass it as an ordinary argument, or pass a value that can be hashed",
    "reverse-mode": "write the loop as jax.lax.scan, or with a number of steps that is fixed",
    "batch": "pass arrays of one size, or None in in_axes for what all calls share",
    "donated": "go on with what was returned: w = step(w)",
    "key": "make new keys first: one, other = jax.random.split(key)",
    "leak": "return the value from the function",
    "memory": "use smaller shapes or dtypes, or compute it in parts",
    "sharding": "lay them out alike with jax.device_put(x, sharding)",
    "nan": "find where it was born: %jaxviz f(x) --find-nan, or jaxviz.find_nan(f)(x)",
}


def sketches(kind: str, text: str) -> list[Mend]:
    """What to do about an error of a kind and a message; empty where nothing is known."""
    told = [title for pattern, title in BY_MESSAGE.items() if re.search(pattern, text, re.DOTALL)]
    known = [BY_KIND[kind]] if kind in BY_KIND else []
    return [sketch(title) for title in [*told, *known][:1]]
