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

from jaxviz.capture.failure.failed_call import FailedCall, otherwise, sketch
from jaxviz.capture.failure.fixes.choices import choices
from jaxviz.capture.failure.fixes.shapes import unlike_axis
from jaxviz.capture.failure.libraries import SAME_NUMBERS, Rule, advice
from jaxviz.capture.failure.libraries.haiku import constructor
from jaxviz.capture.failure.types import tuples_in
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Fix
from jaxviz.sentences import sentence

STATELESS = sentence("pass the variables and take")


@otherwise("pass an input of the rank")
def incompatible(call: FailedCall) -> Iterator[Fix]:
    """An input whose features or rank do not fit the layer."""
    text = call.message
    rank = re.search(r"expected (?:min_)?ndim=(\d+), found ndim=(\d+)", text)
    axis = re.search(r"expected axis -?\d+ of input shape to have value (\d+)", text)
    match call.node:
        case ast.Call(args=[(ast.Name() | ast.Attribute() | ast.Call()) as operand]) if (
            rank and int(rank[1]) == int(rank[2]) + 1
        ):
            differs = sentence("The result has that axis")
            yield call.fix(
                "put in the axis", (operand, f"{call.text(operand)}[None]"), differs=differs
            )
        case _ if axis:
            shape = next(iter(tuples_in(text)), ())
            parts = {"given": str(shape[-1])} if shape else {}
            key = "features of the layer, not these" if shape else "features of the layer"
            yield sketch(sentence(key, features=axis[1], **parts))


@otherwise("let the targets have")
def sparse(call: FailedCall) -> Iterator[Fix]:
    """Class numbers passed to a loss that takes distributions."""
    shapes = tuples_in(call.message)
    if len(shapes) == 2 and len(shapes[0]) + 1 == len(shapes[1]):
        for node in ast.walk(call.tree):
            match node:
                case ast.Constant(value="categorical_crossentropy"):
                    new = '"sparse_categorical_crossentropy"'
                case ast.Attribute(value=owner, attr="CategoricalCrossentropy"):
                    new = f"{call.text(owner)}.SparseCategoricalCrossentropy"
                case _:
                    continue
            yield call.fix("the loss of class", (node, new))
            return


@otherwise("use keras.ops there")
def symbolic(call: FailedCall) -> Iterator[Fix]:
    """A function of jax.numpy or NumPy, called on a symbolic Keras value."""
    match call.node:
        case ast.Call(func=ast.Attribute(value=ast.Name() as module, attr=name) as func):
            ops = _ops(call)
            is_numpy = is_a(call.value(module), ModuleType) and call.value(module) in (jnp, np)
            if is_numpy and ops and hasattr(_module("keras.ops"), name):
                title = sentence("ops.name which takes values", ops=ops, name=name)
                yield call.fix(title, (func, f"{ops}.{name}"))


def _ops(call: FailedCall) -> str:
    """`keras.ops` as the code spells it."""
    direct = call.module(_module("keras.ops"), "")
    keras = call.module(_module("keras"), "")
    return direct or (f"{keras}.ops" if keras else "")


def _module(name: str) -> ModuleType | None:
    return sys.modules.get(name)


def seed(call: FailedCall) -> Iterator[Fix]:
    if isinstance(call.node, ast.Call):
        change = call.with_argument(call.node, "seed=0")
        yield call.fix("pass a seed", change, differs=SAME_NUMBERS)


@otherwise("pass the variables and take")
def variables(call: FailedCall) -> Iterator[Fix]:
    match call.node:
        case ast.Call(args=[one, other, *_]) if _lists(call, one, other):
            yield call.swapped("the trainable variables first", one, other)


def _lists(call: FailedCall, *nodes: ast.expr) -> bool:
    one, other = (call.value(node) for node in nodes)
    return is_a(one, list) and is_a(other, list) and len(one) < len(other)


def concatenated(call: FailedCall) -> Iterator[Fix]:
    """Arrays that differ along another axis than the one that Concatenate joins."""
    match call.node:
        case ast.Call(func=ast.Call(keywords=[]) as layer) if (
            axis := unlike_axis(tuples_in(call.message))
        ) is not None:
            title = sentence("join along axis unlike", unlike=str(axis))
            change = call.with_argument(layer, f"axis={axis}")
            yield call.fix(title, change, differs="The result has another")


def chosen(call: FailedCall) -> Iterator[Fix]:
    """An `if` on a value of Keras in a layer, as keras.ops.where."""
    ops = _ops(call)
    for fix in choices(call):
        lines = [line.replace("jnp.where(", f"{ops}.where(") for line in fix.lines]
        if ops and "jax.lax" not in "".join(lines):
            yield replace(fix, title=sentence("choose within the program", ops=ops), lines=lines)


SUPER = r"forgot to call `super\(\).__init__\(\)`"
RULES = (
    Rule("condition", chosen, "TracerBoolConversionError", "", "keras"),
    Rule("numpy", symbolic, "TracerArrayConversionError", "", "keras"),
    Rule("shapes", incompatible, "ValueError", "is incompatible with the layer"),
    Rule("shapes", sparse, "ValueError", "`target` and `output` must have the same"),
    Rule(
        "shapes",
        advice("let the targets have"),
        "TypeError ValueError",
        "incompatible shapes",
        "keras.*(?:losses|fit|evaluate)",
    ),
    Rule("shapes", advice("give the axis a size"), "ValueError", "must be fully-defined", "keras"),
    Rule("shapes", concatenated, "ValueError", "`Concatenate` layer requires"),
    Rule("argument", symbolic, "ValueError TypeError", "__jax_array__|KerasTensor"),
    Rule("library-call", constructor, "RuntimeError", SUPER),
    Rule("module-key", seed, "ValueError", "only use seeded random ops"),
    Rule("library-call", variables, "ValueError", "trainable_variables` must be a list"),
)
