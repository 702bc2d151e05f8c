"""The two sides of a mismatch: arrays whose shapes or dtypes do not fit, and what a loop got beside
what its body returned."""

from __future__ import annotations

import ast
import re
from typing import Any

import jax
import jax.numpy as jnp
from jax import typeof
from jax.core import ShapedArray

from jaxviz.capture.avals import aval_text
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.strings import name
from jaxviz.schema import Side

_CHANGED = re.compile(
    r"(?:input carry|[Tt]he (?:output of )?)(?: component)? ?(?P<path>\S+) has type "
    r"(?P<before>[\w~]+\[[^\]]*\]) but the corresponding output(?: of (?P<other>\S+)|.*?)? "
    r"(?:has|have) type (?P<after>[\w~]+\[[^\]]*\])"
)


def sides_of(kind: str, call: FailedCall, arrays: list[Any]) -> list[Side]:
    """Both sides where they are known; else none."""
    if kind in ("shapes", "dtypes"):
        return _operands(call, arrays)
    if kind in ("carry", "branches"):
        return [side for found in _CHANGED.finditer(str(call.error)) for side in _changed(found)]
    return []


def _changed(found: re.Match[str]) -> list[Side]:
    """What a loop got and what its body returned, or what two branches returned."""
    before, after = _short(found["before"]), _short(found["after"])
    path, other = name(found["path"]), found["other"]
    roles = ("", "") if other else ("given", "returned")
    axes = _unlike(before, after)
    return [
        Side(name=path, role=roles[0], type=before, differ=axes),
        Side(name=name(other) if other else path, role=roles[1], type=after, differ=axes),
    ]


def _unlike(one: str, other: str) -> list[int]:
    """The axes whose sizes differ, in types of as many axes."""
    sizes = [text.partition("[")[2].rstrip("]").split(",") for text in (one, other)]
    if len(sizes[0]) != len(sizes[1]):
        return []
    return [n for n, (a, b) in enumerate(zip(*sizes, strict=True)) if a != b]


def _operands(call: FailedCall, arrays: list[Any]) -> list[Side]:
    nodes = _written(call.node)
    if len(nodes) != 2 or len(arrays) != 2:
        return []
    one, other = arrays
    is_product = isinstance(getattr(call.node, "op", None), ast.MatMult)
    axes = (_contracted if is_product else _broadcast)(one.shape, other.shape)
    return [
        Side(name=name(call.text(node)), role="", type=type_text(array), differ=differ)
        for node, array, differ in zip(nodes, arrays, axes, strict=True)
    ]


def _written(node: Any) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Call(args=args, keywords=[]):
            return args
    return []


def type_text(array: jax.Array) -> str:
    """The type of a value, as it is shown: `~f32[]`."""
    aval = typeof(array)
    return f"{'~' if getattr(aval, 'weak_type', False) else ''}{name(aval_text(aval))}"


def _short(text: str) -> str:
    """A type of JAX's messages, `float32[2,3]`, as jaxprs print it: `f32[2,3]`."""
    dtype, _, shape = text.partition("[")
    try:
        return f"{aval_text(ShapedArray((), jnp.dtype(dtype)))[:-2]}[{shape}"
    except TypeError:
        return name(text)


def _contracted(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The axes over which a product sums."""
    return [len(one) - 1], [max(len(other) - 2, 0)]


def _broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The axes, counted from the last, that have other sizes, none of them 1."""
    shared = range(1, min(len(one), len(other)) + 1)
    differ = [n for n in shared if one[-n] != other[-n] and 1 not in (one[-n], other[-n])]
    return sorted(len(one) - n for n in differ), sorted(len(other) - n for n in differ)
