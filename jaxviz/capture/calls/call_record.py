"""Makes the record of a call: which arguments are donated, which values are split over devices, and
what the user calls the results and the arrays that the function closes over.

What follows from the arguments is noted while they are there (`Noted`). The rest follows from the
function and its program, which may be much later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
from jax.core import Tracer
from jax.sharding import NamedSharding

from jaxviz.capture._jax import JitOptions, is_unspecified
from jaxviz.capture.calls.users_names import closed_over_names, result_names
from jaxviz.capture.jaxprs.avals import split_text
from jaxviz.capture.shown.objects import is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name
from jaxviz.capture.weak import reference
from jaxviz.schema import Call, Fixed, Leaf, MeshAxis

_SHARDED = (jax.ShapeDtypeStruct, jax.Array)


class Noted(NamedTuple):
    """How a function was called, in strings and numbers. The function and the arrays that it closes
    over are referred to weakly."""

    fun: Callable[[], Any]
    consts: tuple[Callable[[], Any], ...]
    names: tuple[str, ...]
    """Of the arguments, by position and by keyword."""
    fixed: list[Fixed]
    donated: tuple[bool, ...]
    split: dict[str, str]
    """By path the partition specs of arguments that are split."""
    asked: tuple[str | None, ...]
    """For each input the partition spec that jit was told (`in_shardings`); None: it was told
    none."""
    returned: tuple[str | None, ...]
    """The same for results (`out_shardings`)."""
    mesh: tuple[tuple[str, int], ...]
    """The axes of the mesh on which arguments and results are split, with their sizes; empty where
    there is none, or several."""

    def shared(self, other: Noted | None) -> Noted:
        """The other one in place of this if it says the same: a function that is called alike
        thousands of times takes the room of one call."""
        if other is None or self.consts or other.consts or self.fun is not other.fun:
            return self
        return other if self == other else self

    def record(self, inputs: Sequence[Leaf], results: Sequence[Leaf]) -> Call:
        """The record of the call, with these inputs and results. What is gone meanwhile has no
        name."""
        fun, consts = self.fun(), [one() for one in self.consts]
        asked, returned = _last(self.asked, inputs), _last(self.returned, results)
        given = [
            self.split.get(leaf.path, "") if spec is None else spec
            for leaf, spec in zip(inputs, asked, strict=True)
        ]
        specs = [
            "" if leaf.aval.sharding else spec or ""
            for leaf, spec in zip([*inputs, *results], [*given, *returned], strict=True)
        ]
        return Call(
            fixed=self.fixed,
            consts=closed_over_names(fun, consts),
            donated=[at for at, donated in enumerate(_last(self.donated, inputs)) if donated],
            shardings=specs if any(specs) else [],
            results=result_names(fun, self.names, inputs, results),
            mesh=[MeshAxis(name=axis, size=size) for axis, size in self.mesh],
        )


def noted(
    fun: Any,
    consts: Sequence[Any],
    names: Sequence[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    fixed: list[Fixed],
    options: JitOptions,
    may_be_split: bool = True,
) -> Noted:
    """Notes a call of `fun`, which closes over `consts`. No code of the user's runs, and no array
    is read. `may_be_split` is False if the types of the arguments carry no mesh."""
    leaves = jax.tree_util.tree_leaves((args, kwargs)) if may_be_split else []
    found = map(_own_sharding, leaves)
    shardings = [sharding for sharding in found if is_a(sharding, NamedSharding)]
    return Noted(
        fun=reference(fun),
        consts=tuple(map(reference, consts)),
        names=tuple(names),
        fixed=fixed,
        donated=tuple(options.donated),
        split=_split(names, [*args, *kwargs.values()]) if any(map(_spec, shardings)) else {},
        asked=tuple(map(_asked, options.in_shardings)),
        returned=tuple(map(_asked, options.out_shardings)),
        mesh=_mesh([*shardings, *options.in_shardings, *options.out_shardings]),
    )


def _last(values: Sequence[Any], leaves: Sequence[Leaf]) -> list[Any]:
    """One value for each leaf: the last ones, as JAX puts constants in front of the inputs. None
    where there are too few."""
    count = len(leaves)
    return [*values[len(values) - count :]] if len(values) >= count else [None] * count


def _split(names: Sequence[str], values: Sequence[Any]) -> dict[str, str]:
    specs = (
        (name(argument + path_text(keys)), _spec(_own_sharding(leaf)))
        for argument, value in zip(names, values, strict=True)
        for keys, leaf in jax.tree_util.tree_flatten_with_path(value)[0]
    )
    return {path: spec for path, spec in specs if spec}


def _own_sharding(leaf: Any) -> Any:
    """The sharding of an array; None for others."""
    known = is_a(leaf, *_SHARDED) and not is_a(leaf, Tracer)
    return leaf.sharding if known else None


def _mesh(shardings: Sequence[Any]) -> tuple[tuple[str, int], ...]:
    """The axes of the one mesh of these shardings."""
    found = {
        tuple((name(str(axis)), size) for axis, size in one.mesh.shape.items())
        for one in shardings
        if is_a(one, NamedSharding) and not one.mesh.empty
    }
    return found.pop() if len(found) == 1 else ()


def _asked(sharding: Any) -> str | None:
    return None if is_unspecified(sharding) else _spec(sharding)


def _spec(sharding: Any) -> str:
    return split_text(sharding.spec) if is_a(sharding, NamedSharding) else ""
