"""Mends for loops whose carry changes its type, and for branches that return other dtypes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import jax.numpy as jnp
import numpy as np

from jaxviz.capture.failure.edits import Change, edited
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.sides import Unlike, unlike_leaves
from jaxviz.schema import Mend

_PLACES = {"scan": (0, 1), "while_loop": (1, 2), "fori_loop": (2, 3)}
"""Where a loop's body and its initial carry stand among its arguments."""


def carry(call: FailedCall) -> Iterator[Mend]:
    """The body returns another type than it gets, or no pair."""
    node = call.node
    if not isinstance(node, ast.Call) or _called(node) not in _PLACES:
        return
    body, first = (_argument(node, place) for place in _PLACES[_called(node)])
    returned = _returned(call, body)
    if "must be a pair" in str(call.error) and returned is not None:
        text = call.text(returned)
        pair = f"({text}, None)" if isinstance(body, ast.Lambda) else f"{text}, None"
        title = "return a pair: the carry, and nothing to collect"
        differs = "Beside the carry the loop returns None."
        yield edited(call, title, (returned, pair), differs=differs)
        return
    if _called(node) == "scan":
        returned = returned.elts[0] if isinstance(returned, ast.Tuple) else None
    changes = [_kept(call, leaf, first, returned) for leaf in unlike_leaves(call.error)]
    if changes and all(changes):
        known = [change for change in changes if change]
        differs = " ".join(dict.fromkeys(differs for _, differs in known))
        edits = [change for change, _ in known]
        yield edited(call, "keep the type of the carry", *edits, differs=differs)


def _kept(
    call: FailedCall, leaf: Unlike, first: ast.expr | None, returned: ast.expr | None
) -> tuple[Change, str] | None:
    """What makes a leaf's types equal, without losing precision, and what differs then."""
    (shape, dtype), (new_shape, new_dtype) = leaf.types
    wider = str(jnp.promote_types(dtype, new_dtype))
    if shape != new_shape:
        start = _part(first, leaf.keys)
        if start is None or not _reaches(shape, new_shape) or wider != new_dtype:
            return None
        text = _cast_number(call, start, wider) if wider != dtype else call.text(start)
        sizes = f"({new_shape[0]},)" if len(new_shape) == 1 else str(new_shape)
        change = (start, f"{call.jnp}.broadcast_to({text}, {sizes})")
        return change, f"The loop starts with the shape {sizes}."
    if wider == new_dtype:
        start = _part(first, leaf.keys)
        differs = f"The loop starts with {wider}, and its first step computes with that."
        return ((start, _cast_number(call, start, wider)), differs) if start else None
    end = _part(returned, leaf.keys)
    differs = f"What each step returns is converted to {dtype}."
    return ((end, _cast(call, end, dtype)), differs) if end else None


def _reaches(shape: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether one shape is broadcast to the other."""
    try:
        return np.broadcast_shapes(shape, other) == other
    except ValueError:
        return False


def branches(call: FailedCall) -> Iterator[Mend]:
    """Branches return arrays of other dtypes: the narrower ones are cast."""
    node = call.node
    if not isinstance(node, ast.Call) or _called(node) not in ("cond", "switch"):
        return
    changes = []
    for leaf in unlike_leaves(call.error):
        (shape, dtype), (other_shape, other_dtype) = leaf.types
        wider = str(jnp.promote_types(dtype, other_dtype))
        for which, narrow in ((leaf.path, dtype), (leaf.other, other_dtype)):
            if narrow != wider:
                whole = _returned(call, _branch(node, which))
                part = _part(whole, leaf.keys) if shape == other_shape else None
                changes.append((part, _cast(call, part, wider)) if part else None)
    if changes and all(changes):
        known = [change for change in changes if change]
        differs = "The result has that dtype, whichever branch is taken."
        yield edited(call, "cast to the dtype of the other branch", *known, differs=differs)


def _branch(node: ast.Call, which: str) -> ast.expr | None:
    number = re.fullmatch(r"branch ?(\d+)", which)
    if number is None:
        return _argument(node, 1 if which == "true_fun" else 2)
    listed = _argument(node, 1)
    return _part(listed, [int(number[1])])


def _called(node: ast.Call) -> str:
    return getattr(node.func, "attr", getattr(node.func, "id", ""))


def _argument(node: ast.Call, place: int) -> ast.expr | None:
    return node.args[place] if place < len(node.args) else None


def _returned(call: FailedCall, function: ast.expr | None) -> ast.expr | None:
    """What a function returns, where that is one expression of this source."""
    match function:
        case ast.Lambda(body=body):
            return body
        case ast.Name(id=name):
            kinds = (part for part in ast.walk(ast.parse(call.failed.source)))
            made = [p for p in kinds if isinstance(p, ast.FunctionDef) and p.name == name]
            returns = [p for p in ast.walk(made[0]) if isinstance(p, ast.Return)] if made else []
            return returns[0].value if len(made) == len(returns) == 1 else None
    return None


def _part(node: ast.expr | None, keys: list[int | str]) -> ast.expr | None:
    """The part of a tuple, list or dict that keys lead to."""
    for key in keys:
        match node:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if isinstance(key, int):
                node = parts[key] if key < len(parts) else None
            case ast.Dict(keys=names, values=values):
                known = [getattr(name, "value", None) for name in names]
                node = values[known.index(key)] if key in known else None
            case _:
                return None
    return None if isinstance(node, ast.Starred) else node


def _cast(call: FailedCall, node: ast.expr, dtype: str) -> str:
    return f"{call.operand(node)}.astype({call.jnp}.{dtype})"


def _cast_number(call: FailedCall, node: ast.expr, dtype: str) -> str:
    """The start of a loop in another dtype; it may be a Python number."""
    match node:
        case ast.Call(func=ast.Attribute(attr=made), args=[one], keywords=[]) if re.fullmatch(
            r"u?int\d+|b?float\d+", made
        ):
            return f"{call.jnp}.{dtype}({call.text(one)})"
        case ast.Constant():
            return f"{call.jnp}.{dtype}({call.text(node)})"
    return f"{call.jnp}.asarray({call.text(node)}, {call.jnp}.{dtype})"
