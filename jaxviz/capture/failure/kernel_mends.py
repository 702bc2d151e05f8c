"""Fixes for Pallas kernels that read an array which is not passed to them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from jaxviz.capture.failure.edits import Change, edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.written import called, function_of, option, own_parts
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Mend
from jaxviz.sentences import sentence


def pallas(call: FailedCall) -> Iterator[Mend]:
    """The arrays that the kernel captures, as inputs of it."""
    match call.node:
        case ast.Call(func=ast.Call(args=[kernel, *_]) as made, args=args) if (
            called(made) == "pallas_call"
        ):
            function = function_of(call, kernel)
            if isinstance(function, ast.FunctionDef):
                names = _captured(call, function)
                if names and option(made, "in_specs") is None and option(made, "grid") is None:
                    yield _as_inputs(call, function, args, names)
                for name in names[:1]:
                    yield sketch(sentence("pass name as an input", name=name))
    yield sketch(sentence("pass the arrays that the kernel"))


def _captured(call: FailedCall, function: ast.FunctionDef) -> list[str]:
    """The names of arrays that a kernel reads and that are no parameters of it."""
    given = {one.arg for one in function.args.args}
    parts = [part for part in own_parts(function) if isinstance(part, ast.Name)]
    stored = {part.id for part in parts if isinstance(part.ctx, ast.Store)}
    read = dict.fromkeys(part.id for part in parts if part.id not in given | stored)
    return [name for name in read if _is_array(call.held.get(name))]


def _is_array(value: Any) -> bool:
    return is_a(value, jax.Array, np.ndarray)


def _as_inputs(
    call: FailedCall, function: ast.FunctionDef, args: list[ast.expr], names: list[str]
) -> Mend:
    """Parameters of the kernel after its other inputs, read by `[...]`, and passed to the call."""
    changes: list[Change] = [
        (part, f"{part.id}_ref[...]")
        for part in own_parts(function)
        if isinstance(part, ast.Name) and part.id in names
    ]
    before = function.args.args[len(args) - 1]
    added = "".join(f", {name}_ref" for name in names)
    changes.append((before, f"{call.text(before)}{added}"))
    passed = ", ".join([call.text(args[-1]), *names])
    changes.append((args[-1], passed))
    return edited(call, sentence("pass names to the kernel", names=" and ".join(names)), *changes)
