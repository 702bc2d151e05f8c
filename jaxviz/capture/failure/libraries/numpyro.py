"""Fixes of NumPyro."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from jaxviz.capture.failure.code import option
from jaxviz.capture.failure.failed_call import SAME, FailedCall, otherwise, sketch
from jaxviz.capture.failure.fixes.calls import key_of_number
from jaxviz.capture.failure.libraries import SAME_NUMBERS, Rule, advice, key_of
from jaxviz.capture.failure.types import tuples_in
from jaxviz.capture.shown.objects import attribute
from jaxviz.schema import Fix
from jaxviz.sentences import sentence


@otherwise("call the model with a seed")
def seeded(call: FailedCall) -> Iterator[Fix]:
    """A model that is called outside of inference, without a seed."""
    seed = call.spelled("numpyro.handlers", "seed")
    outer = call.lines()[1:2]
    match outer[0].node if outer else None:
        case ast.Call(func=ast.Name() as model) if seed:
            key, differs = key_of(outer[0])
            text = f"{seed}({call.text(model)}, {key})"
            yield call.fix("give the model a seed", (model, text), differs=differs)


def plate(call: FailedCall) -> Iterator[Fix]:
    """A plate whose size is not that of the distribution in it."""
    shapes = tuples_in(call.message)
    plates = [
        item.context_expr
        for node in call.nodes
        if isinstance(node, ast.With)
        for item in node.items
        if isinstance(item.context_expr, ast.Call)
        and ast.unparse(item.context_expr.func).endswith("plate")
    ]
    if len(plates) != 1 or len(shapes) != 2 or not isinstance(call.node, ast.Call):
        return
    ndim = attribute(call.value(option(call.node, "obs")), "ndim")
    size = plates[0].args[1] if len(plates[0].args) > 1 else None
    if ndim == 2 and len(call.node.args) == 2:
        node = call.node.args[1]
        text = f"{call.operand(node)}.to_event(1)"
        title = sentence("make its last axis")
        yield call.fix(title, (node, text), differs="Its last axis is one", promise=SAME)
    elif isinstance(size, ast.Constant) and shapes[0] == (size.value,) and len(shapes[1]) == 1:
        change = (size, str(shapes[1][0]))
        yield call.fix("a plate of the data", change, differs="The plate is larger")
    else:
        yield sketch("let the plate have")


def twice(call: FailedCall) -> Iterator[Fix]:
    found = re.search("`(.+?)`", call.message)
    title = found and sentence("give this site another", found=repr(found[1]))
    yield sketch(title or sentence("another name"))


@otherwise("pass a key first jax.random.key")
def run(call: FailedCall) -> Iterator[Fix]:
    """Inference without a key, or with a number in its place."""
    match call.node:
        case ast.Call(args=[ast.Constant(value=int()) as seed, *_]):
            yield key_of_number(call, seed, "It gets a key")
        case ast.Call(args=[first, *_]) if attribute(call.value(first), "dtype") is not None:
            text = f"jax.random.key(0), {call.text(first)}"
            yield call.fix("pass a key first", (first, text), differs=SAME_NUMBERS)


def shape(call: FailedCall) -> Iterator[Fix]:
    """A number as the shape of a sample."""
    match call.node:
        case ast.Call(args=[_, ast.Constant(value=int()) as size]):
            yield call.fix("a shape is a tuple", (size, f"({call.text(size)},)"))


_SAMPLE = r"numpyro\.distributions.*\.sample"
RULES = (
    Rule(
        "leak",
        advice("loop with scan of numpyro.contrib.control_flow.scan"),
        "UnexpectedTracerError",
        "traced for scan",
        r"numpyro\.infer",
    ),
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
