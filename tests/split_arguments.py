"""Runs a cell with the arrays that it passes split over a mesh of four devices.

The text of the cell stays as it is, but for sizes that four does not divide: these are four times
as large. What is passed is split along the first axis that four divides.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

EXPLICIT = (AxisType.Explicit,)
MESH = jax.make_mesh((4,), ("d",), axis_types=EXPLICIT) if len(jax.devices()) == 4 else None
PLACED: list[tuple[int, ...]] = []
"""The shapes of the arrays that were split."""
_MADE = re.compile(r"(?<=[jn]np\.)(ones|zeros|arange)\(((?:-?[\d.]+(?:, )?)+|\([\d, ]+\))")
"""An array that is made of numbers alone."""
_NUMBER = re.compile(r"-?\d+(?=[.,)]|$)")


def split(tree: Any) -> Any:
    """The arrays of a pytree, split where that can be."""
    return jax.tree.map(_split, tree)


def _split(leaf: Any) -> Any:
    if not isinstance(leaf, jax.Array | np.ndarray) or MESH is None:
        return leaf
    axis = next((n for n, size in enumerate(leaf.shape) if size and size % 4 == 0), None)
    if axis is None:
        return leaf
    PLACED.append(leaf.shape)
    return jax.device_put(leaf, NamedSharding(MESH, PartitionSpec(*[None] * axis, "d")))


class SplitArguments(ast.NodeTransformer):
    """Puts `split` around each argument of the last call of a cell; places in the text stay."""

    def visit_Module(self, node: ast.Module) -> ast.Module:
        last = node.body[-1] if node.body else None
        call = last.value if isinstance(last, ast.Expr | ast.Assign) else None
        if isinstance(call, ast.Call):
            call.args = [self._around(one) for one in call.args]
            for keyword in call.keywords:
                keyword.value = self._around(keyword.value)
        return node

    def _around(self, node: ast.expr) -> ast.expr:
        made = node.func if isinstance(node, ast.Call) else None
        placed = isinstance(made, ast.Attribute) and made.attr == "reshard"
        if placed or isinstance(node, ast.Starred | ast.Constant | ast.Lambda):
            return node
        name = ast.Name("_split_over_mesh", ast.Load())
        made = ast.Call(name, [node], [])
        ast.copy_location(made, node)
        ast.copy_location(name, node)
        return made


def larger(text: str) -> str:
    """The text with each size of an array that is made of numbers four times as large."""
    return _grown(text, 0)


def longer(text: str) -> str:
    """The text with the first size of each of these arrays four times as large."""
    return _grown(text, 1)


def _grown(text: str, sizes: int) -> str:
    def four_times(size: re.Match[str]) -> str:
        return str(4 * int(size[0]))

    return _MADE.sub(lambda n: f"{n[1]}({_NUMBER.sub(four_times, n[2], sizes)}", text)
