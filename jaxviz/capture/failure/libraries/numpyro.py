"""Fixes of NumPyro."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.reading import (
    SAME_NUMBERS,
    key_of,
    lines,
    spelled,
    tuples,
    value,
)
from jaxviz.capture.failure.libraries.rule import Rule, advice
from jaxviz.capture.shown.objects import attribute
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

SCAN = sentence("loop with scan of numpyro.contrib.control_flow.scan")
_SEED = sentence("call the model with a seed")
_KEY = sentence("It gets a key")


def seeded(call: FailedCall) -> Iterator[Mend]:
    """A model that is called outside of inference, without a seed."""
    seed = spelled(call, "numpyro.handlers", "seed")
    outer = lines(call)[1:2]
    match outer[0].node if outer else None:
        case ast.Call(func=ast.Name() as model) if seed:
            key, differs = key_of(outer[0])
            text = f"{seed}({call.text(model)}, {key})"
            yield edited(call, sentence("give the model a seed"), (model, text), differs=differs)
        case _:
            yield sketch(_SEED)


def plate(call: FailedCall) -> Iterator[Mend]:
    """A plate whose size is not that of the distribution in it."""
    shapes = tuples(message_of(call.error))
    plates = [
        item.context_expr
        for node in call.failed.known.nodes
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        and ast.unparse(item.context_expr.func).endswith("plate")
    ]
    if len(plates) != 1 or len(shapes) != 2 or not isinstance(call.node, ast.Call):
        return
    observed = next((word.value for word in call.node.keywords if word.arg == "obs"), None)
    ndim = attribute(value(observed, call), "ndim")
    size = plates[0].args[1] if len(plates[0].args) > 1 else None
    if ndim == 2 and len(call.node.args) == 2:
        node = call.node.args[1]
        text = f"{call.operand(node)}.to_event(1)"
        differs = sentence("Its last axis is one")
        yield edited(
            call,
            sentence("make its last axis"),
            (node, text),
            differs=differs,
            promise="same result",
        )
    elif isinstance(size, ast.Constant) and shapes[0] == (size.value,) and len(shapes[1]) == 1:
        text = str(shapes[1][0])
        yield edited(
            call,
            sentence("a plate of the data"),
            (size, text),
            differs=sentence("The plate is larger"),
        )
    else:
        yield sketch(sentence("let the plate have"))


def twice(call: FailedCall) -> Iterator[Mend]:
    found = re.search("`(.+?)`", message_of(call.error))
    yield sketch(
        sentence("give this site another", found=repr(found[1]))
        if found
        else sentence("another name")
    )


def run(call: FailedCall) -> Iterator[Mend]:
    """Inference without a key, or with a number in its place."""
    match call.node:
        case ast.Call(args=[ast.Constant(value=int()) as seed, *_]):
            text = f"jax.random.key({call.text(seed)})"
            yield edited(call, sentence("a key made of the number"), (seed, text), differs=_KEY)
        case ast.Call(args=[first, *_]) if attribute(value(first, call), "dtype") is not None:
            text = f"jax.random.key(0), {call.text(first)}"
            yield edited(call, sentence("pass a key first"), (first, text), differs=SAME_NUMBERS)
        case _:
            yield sketch(sentence("pass a key first jax.random.key"))


def shape(call: FailedCall) -> Iterator[Mend]:
    """A number as the shape of a sample."""
    match call.node:
        case ast.Call(args=[_, ast.Constant(value=int()) as size]):
            yield edited(call, sentence("a shape is a tuple"), (size, f"({call.text(size)},)"))


_SAMPLE = r"numpyro\.distributions.*\.sample"
RULES = (
    Rule("leak", advice(SCAN), "UnexpectedTracerError", "traced for scan", r"numpyro\.infer"),
    Rule("library-call", twice, "AssertionError", "must have unique names"),
    Rule(
        "module-key", seeded, "AssertionError", "", r"numpyro\.primitives.*sample|numpyro\.sample"
    ),
    Rule("key", run, "AssertionError", "", _SAMPLE),
    Rule("key", run, "TypeError", "PRNG key", r"numpyro\.infer"),
    Rule("key", run, "ValueError", "vmap was requested to map", r"numpyro\.infer\.mcmc"),
    Rule("library-call", shape, "TypeError", "'int' and 'tuple'", _SAMPLE),
    Rule("shapes", plate, "ValueError", "Incompatible shapes", r"numpyro\.(?:primitives|sample)"),
)
