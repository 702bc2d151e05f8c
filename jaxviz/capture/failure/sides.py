"""Makes the two sides of a mismatch: arrays whose shapes or dtypes do not fit, and the input of a
loop beside the result of its body."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax
from jax import typeof

from jaxviz.capture.failure._frames import ComparedTrees, Leaves
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.types import ArrayType, array_type, short, transposed
from jaxviz.capture.jaxprs.avals import aval_text
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.capture.shown.strings import name
from jaxviz.schema import Side, Tree, TreeRow

_LEAF = re.compile(
    r"(?:input carry(?: component)?|[Tt]he output of) (?P<path>branch ?\d+|\S+)"
    r"(?: at path (?P<keys>\S+))? has type (?P<before>.+?) but the corresponding "
    r"output(?: of (?P<other>branch ?\d+|\S+)| carry component) has type "
    r"(?P<after>.+?)(?:, so the .*|[.;]?)$",
    re.MULTILINE,
)


class UnlikeLeaf(NamedTuple):
    """A leaf whose type differs between a loop's input and its body's result, or between two
    branches."""

    path: str
    """`c[0]` of a carry; for branches the first one, `true_fun`."""
    other: str
    """The other branch; empty for a loop."""
    at: str
    """The keys as text: `[0]`."""
    before: str
    after: str
    """Both types in JAX's words: `float32[2,3]`."""

    @property
    def keys(self) -> list[int | str]:
        """The keys that lead to it: `[0]`. JAX's additions to the carry of `fori_loop` are left
        out."""
        found = re.findall(r"\[(?:(\d+)|'([^']*)')\]", self.path + self.at)
        keys = [int(number) if number else text for number, text in found]
        return keys[1:] if self.path.startswith("loop_carry[") else keys

    @property
    def types(self) -> tuple[ArrayType | None, ArrayType | None]:
        """Each side; None for a type that is no array's."""
        return array_type(self.before), array_type(self.after)


def unlike_leaves(error: BaseException) -> list[UnlikeLeaf]:
    """The leaves that JAX's message names."""
    found = _LEAF.finditer(message_of(error))
    return [
        UnlikeLeaf(m["path"], m["other"] or "", m["keys"] or "", m["before"], m["after"])
        for m in found
    ]


def sides_of(kind: str, call: FailedCall) -> list[Side]:
    """Both sides; none if they are unknown."""
    if kind in ("shapes", "dtypes"):
        return _operands(call, call.operands)
    if kind in ("carry", "branches"):
        leaves = unlike_leaves(call.error)
        texts = _texts(leaves, call.trees)
        return [side for pair in zip(leaves, texts, strict=True) for side in _changed(*pair)]
    return _split_operands(call) if kind == "sharding-type" else []


def _texts(leaves: list[UnlikeLeaf], trees: ComparedTrees | None) -> list[tuple[str, str]]:
    """The texts of each leaf's types, from JAX's own frames or else from its message."""
    unlike = trees.unlike if trees else []
    if trees and len(unlike) == len(leaves):
        return [(trees.one[keys], trees.other[keys]) for keys in unlike]
    printed = [(name(short(leaf.before)), name(short(leaf.after))) for leaf in leaves]
    return [(one, f"{two} on another mesh" if one == two else two) for one, two in printed]


def _changed(leaf: UnlikeLeaf, texts: tuple[str, str]) -> list[Side]:
    """The types of a leaf in a loop's input and result, or in the results of two branches."""
    roles = ("", "") if leaf.other else ("given", "returned")
    names = (name(f"{path}{leaf.at}") for path in (leaf.path, leaf.other or leaf.path))
    differ = _unlike_axes(*leaf.types)
    return [
        Side(name=path, role=role, type=text, differ=differ)
        for path, role, text in zip(names, roles, texts, strict=True)
    ]


def _unlike_axes(one: ArrayType | None, other: ArrayType | None) -> list[int]:
    """The axes whose size or split differs, of two arrays with the same number of axes."""
    if one is None or other is None or len(one.sizes) != len(other.sizes):
        return []
    axes = [[*zip(side.sizes, side.split, strict=True)] for side in (one, other)]
    return [axis for axis, (a, b) in enumerate(zip(*axes, strict=True)) if a != b]


def _operands(call: FailedCall, arrays: list[Any]) -> list[Side]:
    nodes = written_operands(call.node)
    if len(nodes) != 2 or len(arrays) != 2:
        return []
    one, other = arrays
    is_product = isinstance(getattr(call.node, "op", None), ast.MatMult)
    axes = (_contracted if is_product else _broadcast)(one.shape, other.shape)
    return [
        Side(name=name(call.text(node)), role="", type=type_text(array), differ=differ)
        for node, array, differ in zip(nodes, arrays, axes, strict=True)
    ]


def _split_operands(call: FailedCall) -> list[Side]:
    """The operands that are split over a mesh."""
    types = {call.text(node): operand_type(call, node) for node in parts_written(call.node)}
    return [
        Side(name=name(text), role="", type=name(own), differ=[])
        for text, own in types.items()
        if "@" in own
    ]


def operand_type(call: FailedCall, node: ast.expr) -> str:
    """The type of a variable, `f32[8@d]`, or of its transpose; empty if it is unknown."""
    match node:
        case ast.Name(id=variable) if is_a(call.variables.get(variable), jax.Array):
            return aval_text(typeof(call.variables[variable]))
        case ast.Attribute(value=ast.Name() as of, attr="T") if own := operand_type(call, of):
            return transposed(own)
    return ""


def parts_written(node: Any) -> Iterator[ast.expr]:
    """The operands of an expression, with the array of a method and the elements of a list."""
    match node:
        case ast.Subscript(value=array):
            yield array
        case ast.AugAssign(target=target):
            yield from parts_written(target)
        case ast.Call(func=func, args=args, keywords=options):
            yield from [func.value] if isinstance(func, ast.Attribute) else []
            for part in [*args, *(option.value for option in options)]:
                yield from part.elts if isinstance(part, ast.List | ast.Tuple) else [part]
        case _:
            yield from written_operands(node)


def written_operands(node: Any) -> list[ast.expr]:
    """The operands of a call or an operator, as the user wrote them."""
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


def _contracted(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The axes over which a product sums."""
    return [len(one) - 1], [max(len(other) - 2, 0)]


def _broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[list[int], list[int]]:
    """The axes, counted from the last, that have other sizes, none of them 1."""
    shared = range(1, min(len(one), len(other)) + 1)
    differ = [n for n in shared if one[-n] != other[-n] and 1 not in (one[-n], other[-n])]
    return sorted(len(one) - n for n in differ), sorted(len(other) - n for n in differ)


# The tree of a card: the input of a loop beside its result, or the results of branches.

MOST_ROWS = 24
"""A larger tree shows only the leaves that do not fit, with the nodes that contain them."""
Keys = tuple[str, ...]


def tree_of(compared: ComparedTrees | None) -> Tree | None:
    """Both sides as one tree; None if they are unknown, or if neither has more than a leaf."""
    if compared is None or not any((*compared.one, *compared.other)):
        return None
    one, other = compared.one, compared.other
    leaves = {**one, **other}
    unlike = {*compared.unlike, *(one.keys() ^ other.keys())}
    places = _places(leaves)
    if len(places) > MOST_ROWS:
        places = [keys for keys in places if any(keys == own[: len(keys)] for own in unlike)]
    others = len(leaves) - sum(keys in leaves for keys in places)
    rows = [
        TreeRow(
            key=keys[-1] if keys else compared.root,
            depth=len(keys),
            types=[one.get(keys, ""), other.get(keys, "")],
            fits=keys not in unlike,
        )
        for keys in places[:MOST_ROWS]
    ]
    return Tree(sides=[*compared.sides], rows=rows, others=others)


def _places(leaves: Leaves) -> list[Keys]:
    """The keys of each node and leaf, a node before its children, in the order of the leaves."""
    children: dict[Keys, dict[Keys, None]] = {}
    for keys in leaves:
        for depth in range(len(keys)):
            children.setdefault(keys[:depth], {})[keys[: depth + 1]] = None
    found: list[Keys] = []
    waiting: list[Keys] = [()]
    while waiting:
        place = waiting.pop()
        found.append(place)
        waiting += reversed(children.get(place, {}))
    return found
