"""Makes the record of a call: its donated arguments, the values that are split over devices, and
the user's names for results and for arrays that the function closes over.

`call_summary` reads the arguments while they are there. `CallSummary.record` needs only the
function and its program, and may run much later."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
from jax.core import Tracer
from jax.extend.core import Jaxpr
from jax.sharding import NamedSharding

from jaxviz.capture._jax import JitOptions, asked_donation, is_unspecified
from jaxviz.capture.calls.users_names import captured_names, result_names
from jaxviz.capture.jaxprs.avals import split_text
from jaxviz.capture.shown.objects import Types, is_a
from jaxviz.capture.shown.shown_values import path_text
from jaxviz.capture.shown.strings import name
from jaxviz.capture.weak import reference
from jaxviz.schema import Call, Fixed, Leaf, MeshAxis

_SHARDED = (jax.ShapeDtypeStruct, jax.Array)
_PLAIN = Types(bool, int, float, complex, str)


class CallSummary(NamedTuple):
    """A call in strings and numbers, with weak references to the function and to the arrays that it
    closes over."""

    fun: Callable[[], Any]
    consts: tuple[Callable[[], Any], ...]
    names: tuple[str, ...]
    """The names of the arguments, by position and by keyword."""
    fixed: list[Fixed]
    donated: tuple[bool, ...]
    undonated: tuple[str, ...]
    """The names of the arguments that jit was asked to donate, if JAX donates none: then it traced
    the call while `jax_debug_nans` was on."""
    keep_unused: bool
    """True if JAX passes the arguments that the program does not use."""
    arg_specs: dict[str, str]
    """The partition specs of the arguments that are split, by path."""
    in_specs: tuple[str | None, ...]
    """The partition spec of each input in jit's `in_shardings`; None if it has none."""
    out_specs: tuple[str | None, ...]
    """The same for the results and `out_shardings`."""
    mesh: tuple[tuple[str, int], ...]
    """The axes and sizes of the mesh over which arguments and results are split; empty unless there
    is exactly one mesh."""

    def shared(self, other: CallSummary | None) -> CallSummary:
        """Returns `other` if it is equal, so that thousands of equal calls take the memory of
        one."""
        if other is None or self.consts or other.consts or self.fun is not other.fun:
            return self
        return other if self == other else self

    def record(self, inputs: Sequence[Leaf], results: Sequence[Leaf], jaxpr: Jaxpr) -> Call:
        """The record of the call, with the inputs and results of its jaxpr. Arrays that are gone
        have no name."""
        fun, consts = self.fun(), [one() for one in self.consts]
        requested, returned = _last(self.in_specs, inputs), _last(self.out_specs, results)
        in_specs = [
            self.arg_specs.get(leaf.path, "") if spec is None else spec
            for leaf, spec in zip(inputs, requested, strict=True)
        ]
        specs = [
            "" if leaf.aval.sharding else spec or ""
            for leaf, spec in zip([*inputs, *results], [*in_specs, *returned], strict=True)
        ]
        flags = _last(self.donated, inputs)
        donated = [at for at, is_donated in enumerate(flags) if is_donated]
        return Call(
            fixed=self.fixed,
            consts=captured_names(fun, consts),
            donated=donated,
            shardings=specs if any(specs) else [],
            results=result_names(fun, self.names, inputs, results, jaxpr),
            mesh=[MeshAxis(name=axis, size=size) for axis, size in self.mesh],
            lost=self._lost(donated, inputs, jaxpr),
        )

    def _lost(self, donated: list[int], inputs: Sequence[Leaf], jaxpr: Jaxpr) -> tuple[int, ...]:
        """The inputs that jit was asked to donate, although JAX does not."""
        if self.undonated:
            starts = tuple(f"{one}{end}" for one in self.undonated for end in "[.")
            named = (leaf.path.startswith(starts) or leaf.path in self.undonated for leaf in inputs)
            return tuple(at for at, is_named in enumerate(named) if is_named)
        if not donated or self.keep_unused:
            return ()
        read = {id(atom) for eqn in jaxpr.eqns for atom in eqn.invars}
        read.update(map(id, jaxpr.outvars))
        return tuple(at for at in donated if id(jaxpr.invars[at]) not in read)


def call_summary(
    fun: Any,
    consts: Sequence[Any],
    names: Sequence[str],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    fixed: list[Fixed],
    options: JitOptions,
    jit: Any,
    may_be_split: bool = True,
) -> CallSummary:
    """Summarizes a call of `fun`, which closes over `consts`. No user code runs, and no array is
    read. `jit` is the jitted function or JAX's record of its options, None if there is none.
    `may_be_split` is False if the types of the arguments carry no mesh."""
    asked = asked_donation(jit)
    numbered = (names[at] for at in asked.argnums if 0 <= at < len(names))
    is_lost = bool(options.donated) and not any(options.donated)
    leaves = jax.tree_util.tree_leaves((args, kwargs)) if may_be_split else []
    found = (sharding for leaf in leaves if (sharding := _own_sharding(leaf)) is not None)
    shardings = [sharding for sharding in found if is_a(sharding, NamedSharding)]
    return CallSummary(
        fun=reference(fun),
        consts=tuple(map(reference, consts)),
        names=tuple(names),
        fixed=fixed,
        donated=tuple(options.donated),
        undonated=tuple(dict.fromkeys((*numbered, *asked.argnames))) if is_lost else (),
        keep_unused=asked.keep_unused,
        arg_specs=_split(names, [*args, *kwargs.values()]) if any(map(_spec, shardings)) else {},
        in_specs=tuple(map(_requested, options.in_shardings)),
        out_specs=tuple(map(_requested, options.out_shardings)),
        mesh=_mesh([*shardings, *options.in_shardings, *options.out_shardings]),
    )


def _last(values: Sequence[Any], leaves: Sequence[Leaf]) -> list[Any]:
    """One value for each leaf: the last ones, since JAX puts constants before the inputs. Each is
    None if there are too few."""
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
    if type(leaf) in _PLAIN:  # only for speed: a static tuple of 1,000,000 numbers took 5 s
        return None
    is_array = is_a(leaf, *_SHARDED) and not is_a(leaf, Tracer)
    return leaf.sharding if is_array else None


def _mesh(shardings: Sequence[Any]) -> tuple[tuple[str, int], ...]:
    """The axes of the mesh of these shardings; empty if there are several meshes."""
    found = {
        tuple((name(str(axis)), size) for axis, size in one.mesh.shape.items())
        for one in shardings
        if is_a(one, NamedSharding) and not one.mesh.empty
    }
    return found.pop() if len(found) == 1 else ()


def _requested(sharding: Any) -> str | None:
    return None if is_unspecified(sharding) else _spec(sharding)


def _spec(sharding: Any) -> str:
    return split_text(sharding.spec) if is_a(sharding, NamedSharding) else ""
