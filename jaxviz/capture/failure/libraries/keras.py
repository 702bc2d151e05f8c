"""Fixes of Keras with JAX as its backend."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from types import ModuleType

import jax.numpy as jnp
import numpy as np
from msgspec.structs import replace

from jaxviz.capture.failure.choice_mends import choices
from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries.haiku import constructor
from jaxviz.capture.failure.libraries.reading import (
    SAME_NUMBERS,
    swapped,
    tuples,
    value,
    whole,
    with_argument,
)
from jaxviz.capture.failure.libraries.rule import Rule, advice
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

STATELESS = sentence("pass the variables and take")
_POOL = sentence("give the axis a size")
_FITS = sentence("let the targets have")


def incompatible(call: FailedCall) -> Iterator[Mend]:
    """An input of other features or another rank than the layer takes."""
    text = message_of(call.error)
    rank = re.search(r"expected (?:min_)?ndim=(\d+), found ndim=(\d+)", text)
    axis = re.search(r"expected axis -?\d+ of input shape to have value (\d+)", text)
    match call.node:
        case ast.Call(args=[(ast.Name() | ast.Attribute() | ast.Call()) as given]) if (
            rank and int(rank[1]) == int(rank[2]) + 1
        ):
            title = sentence("put in the axis")
            differs = sentence("The result has that axis")
            yield edited(call, title, (given, f"{call.text(given)}[None]"), differs=differs)
        case _ if axis:
            got = next(iter(tuples(text)), ())
            yield sketch(
                sentence("features of the layer, not these", features=axis[1], given=str(got[-1]))
                if got
                else sentence("features of the layer", features=axis[1])
            )
        case _:
            yield sketch(sentence("pass an input of the rank"))


def sparse(call: FailedCall) -> Iterator[Mend]:
    """Class numbers passed to a loss that takes distributions."""
    shapes = tuples(message_of(call.error))
    if len(shapes) == 2 and len(shapes[0]) + 1 == len(shapes[1]):
        for node in ast.walk(whole(call)):
            match node:
                case ast.Constant(value="categorical_crossentropy"):
                    new = '"sparse_categorical_crossentropy"'
                    yield edited(call, sentence("the loss of class"), (node, new))
                    return
                case ast.Attribute(value=owner, attr="CategoricalCrossentropy"):
                    new = f"{call.text(owner)}.SparseCategoricalCrossentropy"
                    yield edited(call, sentence("the loss of class"), (node, new))
                    return
    yield sketch(_FITS)


def symbolic(call: FailedCall) -> Iterator[Mend]:
    """A function of jax.numpy or NumPy on what is a value of Keras."""
    match call.node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as module, attr=name) as func):
            ops = _ops(call)
            known = is_a(value(module, call), ModuleType) and value(module, call) in (jnp, np)
            if known and ops and hasattr(_module("keras.ops"), name):
                title = sentence("ops.name which takes values", ops=ops, name=name)
                yield edited(call, title, (func, f"{ops}.{name}"))
                return
    yield sketch(sentence("use keras.ops there"))


def _ops(call: FailedCall) -> str:
    """How the code calls `keras.ops`."""
    direct = call.module(_module("keras.ops"), "")
    keras = call.module(_module("keras"), "")
    return direct or (f"{keras}.ops" if keras else "")


def _module(name: str) -> ModuleType | None:
    return sys.modules.get(name)


def seed(call: FailedCall) -> Iterator[Mend]:
    if isinstance(call.node, ast.Call):
        change = with_argument(call, call.node, "seed=0")
        yield edited(call, sentence("pass a seed"), change, differs=SAME_NUMBERS)


def variables(call: FailedCall) -> Iterator[Mend]:
    match call.node:
        case ast.Call(args=[one, other, *_]) if _lists(call, one, other):
            yield swapped(call, sentence("the trainable variables first"), one, other)
        case _:
            yield sketch(STATELESS)


def _lists(call: FailedCall, *nodes: ast.expr) -> bool:
    one, other = (value(node, call) for node in nodes)
    return is_a(one, list) and is_a(other, list) and len(one) < len(other)


def concatenated(call: FailedCall) -> Iterator[Mend]:
    """Arrays that differ along another axis than the one that Concatenate joins."""
    shapes = tuples(message_of(call.error))
    match call.node:
        case ast.Call(func=ast.Call(keywords=[]) as layer) if len({*map(len, shapes)}) == 1:
            unlike = [n for n, sizes in enumerate(zip(*shapes, strict=True)) if len({*sizes}) > 1]
            if len(unlike) == 1:
                change = with_argument(call, layer, f"axis={unlike[0]}")
                differs = sentence("The result has another")
                yield edited(
                    call,
                    sentence("join along axis unlike", unlike=str(unlike[0])),
                    change,
                    differs=differs,
                )


def chosen(call: FailedCall) -> Iterator[Mend]:
    """An `if` on a value of Keras in a layer, as keras.ops.where."""
    ops = _ops(call)
    for mend in choices(call):
        lines = [line.replace("jnp.where(", f"{ops}.where(") for line in mend.lines]
        if ops and "jax.lax" not in "".join(lines):
            yield replace(mend, title=sentence("choose within the program", ops=ops), lines=lines)


SUPER = r"forgot to call `super\(\).__init__\(\)`"
RULES = (
    Rule("condition", chosen, "TracerBoolConversionError", "", "keras"),
    Rule("numpy", symbolic, "TracerArrayConversionError", "", "keras"),
    Rule("shapes", incompatible, "ValueError", "is incompatible with the layer"),
    Rule("shapes", sparse, "ValueError", "`target` and `output` must have the same"),
    Rule(
        "shapes",
        advice(_FITS),
        "TypeError ValueError",
        "incompatible shapes",
        "keras.*(?:losses|fit|evaluate)",
    ),
    Rule("shapes", advice(_POOL), "ValueError", "must be fully-defined", "keras"),
    Rule("shapes", concatenated, "ValueError", "`Concatenate` layer requires"),
    Rule("argument", symbolic, "ValueError TypeError", "__jax_array__|KerasTensor"),
    Rule("library-call", constructor, "RuntimeError", SUPER),
    Rule("module-key", seed, "ValueError", "only use seeded random ops"),
    Rule("library-call", variables, "ValueError", "trainable_variables` must be a list"),
)
