"""Reads the two pytrees that JAX compares where a loop returns other than it gets, or branches
differ."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, NamedTuple

from jax import typeof
from jax.core import AbstractValue
from jax.tree_util import tree_flatten_with_path, tree_unflatten

from jaxviz.capture._jax import private
from jaxviz.capture.failure.failed_expression import entries
from jaxviz.capture.jaxprs.avals import aval_text
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name

Leaves = Mapping[tuple[str, ...], str]
"""The type of each leaf, by its keys."""
Avals = Mapping[tuple[str, ...], Any]
_TYPEMATCH: Any = private("jax._src.core", "typematch")


class Compared(NamedTuple):
    """Two pytrees that JAX compared: strings alone."""

    root: str
    """What the body of a loop calls what it carries: `carry`; empty for branches."""
    sides: tuple[str, str]
    """`given` and `returned`, or the names of the branches."""
    one: Leaves
    other: Leaves
    unlike: list[tuple[str, ...]]
    """The keys of the leaves, on both sides, whose types JAX does not take for equal."""


def compared_trees(at: TracebackType) -> Compared | None:
    """Both pytrees, as JAX's own frames below a line hold them; None outside of IPython, where JAX
    takes these out of the traceback."""
    for entry in entries(at.tb_next):
        read = _READ.get(entry.tb_frame.f_code.co_name)
        if read is not None:
            with suppress(Exception):
                return read(entry.tb_frame.f_locals)
    return None


def _carried(held: Mapping[str, Any]) -> Compared:
    """`carry_name`, `in_carry` and `out_carry` were seen on 0.10.2 and 0.12.0, and on 0.6.2
    `out_avals` and `out_carry_tree` in place of the last."""
    is_flat = "out_carry" in held and "out_avals" not in held
    given = held["in_carry"]
    returned = (held["out_carry"],) if is_flat else (held["out_avals"], held["out_carry_tree"])
    root = name(str(held["carry_name"] or "carry"))
    one = _leaves(given) if is_flat else _types(given)
    other = _leaves(*returned)
    if root == "loop_carry":  # of fori_loop, which carries its counter and its bound before it
        root, one, other = "carry", _last(one), _last(other)
    return _compared(root, ("given", "returned"), one, other)


def _branches(held: Mapping[str, Any]) -> Compared:
    """`name1` and `out_avals1` were seen on 0.6.2 to 0.12.0, and `out_tree1` on 0.6.2."""
    sides = name(held["name1"]), name(held["name2"])
    one, other = (_leaves(held[f"out_avals{n}"], held.get(f"out_tree{n}")) for n in (1, 2))
    return _compared("", sides, one, other)


_READ = {"_check_carry_type": _carried, "_check_branch_outputs": _branches}


def _leaves(avals: Any, tree: Any = None) -> Avals:
    """Of avals and their tree, or of a `FlatTree`, which is both."""
    return _types(avals.unflatten() if tree is None else tree_unflatten(tree, avals))


def _types(whole: Any) -> Avals:
    found, _ = tree_flatten_with_path(whole)
    return {
        tuple(name(path_text((key,))) for key in path): (
            leaf if is_a(leaf, AbstractValue) else typeof(leaf)
        )
        for path, leaf in found
    }


def _last(leaves: Avals) -> Avals:
    last = max((keys[0] for keys in leaves), default="")
    return {keys[1:]: aval for keys, aval in leaves.items() if keys[0] == last}


def _compared(root: str, sides: tuple[str, str], one: Avals, other: Avals) -> Compared:
    """The types as JAX prints them. Those that differ but are printed alike differ in their mesh,
    which is shown beside them."""
    unlike = [keys for keys in one if keys in other and not _fit(one[keys], other[keys])]
    alike = {keys for keys in unlike if aval_text(one[keys]) == aval_text(other[keys])}
    first, second = (
        {keys: name(aval_text(aval) + _mesh(aval) * (keys in alike)) for keys, aval in side.items()}
        for side in (one, other)
    )
    return Compared(root, sides, first, second, unlike)


def _fit(one: Any, other: Any) -> bool:
    """Whether JAX takes two types for equal: a weak type changes nothing, nor does a split if one
    of them has no mesh.

    `typematch` was seen on 0.6.2 to 0.12.0; without it two types fit that are printed alike.
    """
    try:
        return _TYPEMATCH(one, other)
    except Exception:
        return aval_text(one) == aval_text(other)


def _mesh(aval: Any) -> str:
    """The mesh of a type: ` on d=4`; empty if it has none."""
    mesh = getattr(getattr(aval, "sharding", None), "mesh", None)
    sizes = getattr(mesh, "shape", None) or {}
    return " on " + ", ".join(f"{axis}={size}" for axis, size in sizes.items()) if sizes else ""
