"""What to do about an error whose mend is no edit of one place: by JAX's message, and by its
kind."""

from __future__ import annotations

import re

from jaxviz.capture.failure.edits import sketch
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

BY_MESSAGE = {
    r"got len\(in_axes\)=": sentence("give in_axes an entry"),
    r"vmap was requested to map its argument along axis [1-9]": sentence("let in_axes name axes"),
    r"context mesh .* should match the": sentence("lay all arrays out"),
    r"contracting dimensions to have the same shape": sentence("make these sizes equal"),
    r"[Ii]ncompatible shapes for broadcasting|add got incompatible shapes": sentence(
        "put in an axis of size"
    ),
    r"Cannot concatenate arrays": sentence("make all other axes"),
    r"out of bounds for array of dimension 0": sentence("leave the axis out"),
    r"axis -?\d+ is out of bounds": sentence("name an axis that is there 1"),
    r"cannot reshape array": sentence("give a shape of as many"),
    r"All input arrays must have the same shape": sentence("give all of them"),
    r"same dtypes|same number of dimensions": sentence("cast or reshape one"),
    r"invalid PRNG key|unexpected PRNG key": sentence("pass a key jax.random.key"),
    r"total_repeat_length": sentence("say how many there are at most"),
    r"pytree structure error|Dict key mismatch|[Mm]ismatch.* tree": sentence("pass trees of one"),
    r"carry output is a <class 'NoneType'>|PyTreeDef\(None\)": sentence(
        "end the body with return and the new"
    ),
    r"carry .*so their Python types differ": sentence("return the same types"),
    r"carry (?:input and carry )?output must have the same pytree|carry .*structure": sentence(
        "let the body return"
    ),
    r"carry .*so the dtypes do not match": sentence("cast what the body"),
    r"carry .*so the shapes do not match": sentence("let the body return the shape"),
    r"body output must be a pair": sentence("end the body with return"),
    r"cond_fun must return a boolean": sentence("let the condition return"),
    r"branch.*same pytree structure": sentence("let each branch return"),
    r"branches must have.*so the dtypes do not match": sentence("cast what the branches"),
    r"branches must have": sentence("let each branch return arrays"),
    r"Pred must be a scalar": sentence("choose by element with jnp.where or make"),
    r"different leading axis sizes": sentence("let all arrays that it goes"),
    r"scalar-output": sentence("return a scalar such as sum"),
    r"real- or complex-valued": sentence("pass floats x.astype float"),
    r"argnums=": sentence("number the arguments from 0"),
    r"unsupported format string passed to \w*Tracer": sentence("print values with jax.debug.print"),
    r"of type <class '[\w.]*\b(?:ClosedJaxpr|Traced|Lowered|Compiled|Exported)'>": sentence(
        "give what it returns"
    ),
    r"^Argument .* is not a valid JAX type": sentence("pass arrays and numbers"),
    r"not a valid JAX type": sentence("return arrays and numbers"),
    r"Error interpreting argument.* at path \w+(?:\.\w|\[)": sentence("make it a static"),
    r"Error interpreting argument.* of type <class '__main__\.": sentence(
        "make its class a pytree"
    ),
    r"(?:ndarray or scalar arguments, got|of type) <class 'NoneType'>": sentence(
        "it is None there pass"
    ),
    r"(?:ndarray or scalar arguments, got|of type) <class 'dict'>": sentence(
        "compute with each of its arrays"
    ),
    r"(?:ndarray or scalar arguments, got|of type) <class '(?:list|tuple|set|range|generator)'>": (
        sentence("make it one array")
    ),
    r"Error interpreting argument": sentence("make it static where it is jitted"),
    r"unhashable type: '\w*Tracer'": sentence("look it up in an array"),
    r"iteration over a 0-d array": sentence("pass an array of at least"),
    r"operand type.*NoneType": sentence("one side is None"),
    r"needs PRNG for": sentence("pass a key apply variables x"),
    r"must pass a non-None PRNGKey": sentence("pass a key apply"),
    r"cannot assign to field": sentence("make a changed copy dataclasses.replace"),
    r"CpuCallback error": sentence("mend the Python function"),
    r"Tracer'? (?:object )?has no attribute": sentence("use what a jax.Array"),
    r"overflow was encountered|Python int(?:eger)? .*too large": sentence("pass a float or turn"),
    r"different trace level": sentence("pass the module to the function"),
    r"maximum recursion depth": sentence("write the nesting as a jax.lax.scan"),
}
"""By a pattern of the message; the first that fits."""
BY_KIND = {
    "condition": sentence("choose with jnp.where or branch"),
    "condition-of-many": sentence("choose by element with jnp.where"),
    "number": sentence("keep it an array"),
    "integer": sentence("keep it an array and use"),
    "numpy": sentence("use jax.numpy there in place"),
    "mask": sentence("use jnp.where with three"),
    "shape-by-value": sentence("take sizes from shapes"),
    "in-place": sentence("write x x.at i"),
    "static": sentence("pass it as an ordinary"),
    "reverse-mode": sentence("write the loop as jax.lax.scan"),
    "batch": sentence("pass arrays of one"),
    "donated": sentence("go on with what was"),
    "key": sentence("make new keys first"),
    "leak": sentence("return the value from the function"),
    "memory": sentence("use smaller shapes or dtypes"),
    "sharding": sentence("lay them out alike"),
    "nan": sentence("find where it was"),
}


def sketches(kind: str, text: str) -> list[Mend]:
    """What to do about an error of a kind and a message; empty where nothing is known."""
    told = [title for pattern, title in BY_MESSAGE.items() if re.search(pattern, text, re.DOTALL)]
    known = [BY_KIND[kind]] if kind in BY_KIND else []
    return [sketch(title) for title in [*told, *known][:1]]
