"""What a body is to the eqn that holds it, and which operand feeds which of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from jax.extend.core import Jaxpr, JaxprEqn


class Held(NamedTuple):
    """A jaxpr in the params of an eqn, with the path that leads to it and the arrays that it closes
    over."""

    path: str
    jaxpr: Jaxpr
    consts: Sequence[Any] = ()


class BodyOf(NamedTuple):
    """As `schema.Body`, with the jaxpr itself."""

    label: str
    jaxpr: Jaxpr
    inputs: list[int]
    outputs: list[int]


Rule = Callable[[JaxprEqn, Held], tuple[str, list[int], list[int]]]


def bodies_of(eqn: JaxprEqn, held: list[Held]) -> list[BodyOf]:
    """The bodies of an eqn, labelled in JAX's words and matched to its operands and results."""
    rule = _RULES.get(eqn.primitive.name, _unknown)
    return [_fitted(item.jaxpr, *rule(eqn, item)) for item in held]


def _fitted(jaxpr: Jaxpr, label: str, inputs: list[int], outputs: list[int]) -> BodyOf:
    """A match whose length is not the jaxpr's own is no match."""
    if len(inputs) != len(jaxpr.invars):
        inputs = [-1] * len(jaxpr.invars)
    if len(outputs) != len(jaxpr.outvars):
        outputs = [-1] * len(jaxpr.outvars)
    return BodyOf(label, jaxpr, inputs, outputs)


def _call(eqn: JaxprEqn, held: Held) -> tuple[str, list[int], list[int]]:
    return "body", _all(eqn.invars), _all(eqn.outvars)


def _cond(eqn: JaxprEqn, held: Held) -> tuple[str, list[int], list[int]]:
    branches = len(eqn.params["branches"])
    number = int(held.path.removeprefix("branches[").removesuffix("]"))
    label = ("false", "true")[number] if branches == 2 else f"branch {number}"
    return label, list(range(1, len(eqn.invars))), _all(eqn.outvars)


def _while(eqn: JaxprEqn, held: Held) -> tuple[str, list[int], list[int]]:
    condition, body = eqn.params["cond_nconsts"], eqn.params["body_nconsts"]
    carry = list(range(condition + body, len(eqn.invars)))
    if held.path == "cond_jaxpr":
        return "condition", [*range(condition), *carry], []
    return "body", [*range(condition, condition + body), *carry], _all(eqn.outvars)


def _linear_solve(eqn: JaxprEqn, held: Held) -> tuple[str, list[int], list[int]]:
    """Operands are the consts of matvec, vecmat, solve and transpose_solve, then `b`."""
    label = held.path.removeprefix("jaxprs.")
    lengths = eqn.params["const_lengths"]
    ends = dict(zip(lengths._fields, accumulate(lengths), strict=True))
    consts = list(range(ends[label] - getattr(lengths, label), ends[label]))
    right = list(range(sum(lengths), len(eqn.invars)))
    if label == "solve":
        return label, consts + right, _all(eqn.outvars)
    return label, consts + [-1] * len(right), []


def _pallas(eqn: JaxprEqn, held: Held) -> tuple[str, list[int], list[int]]:
    """A kernel takes refs to the operands, then to the results, then scratch."""
    if held.path != "jaxpr":
        number = held.path.partition("block_mappings[")[2].partition("]")[0]
        return (f"index map {number}" if number else held.path), [], []
    mapping = eqn.params["grid_mapping"]
    first = getattr(mapping, "num_dynamic_grid_bounds", 0)
    refs = list(range(first, len(eqn.invars)))
    return "kernel", refs + [-1] * (len(held.jaxpr.invars) - len(refs)), []


def _computation(label: str) -> Rule:
    """A small function of scalars that the primitive applies to its elements."""
    return lambda eqn, held: (label, [], [])


def _unknown(eqn: JaxprEqn, held: Held) -> tuple[str, list[int], list[int]]:
    """Matched only where the avals say that operands and results go straight in and out."""
    jaxpr = held.jaxpr
    inputs = _all(eqn.invars) if _avals(eqn.invars) == _avals(jaxpr.invars) else []
    outputs = _all(eqn.outvars) if _avals(eqn.outvars) == _avals(jaxpr.outvars) else []
    return held.path, inputs, outputs


def _all(atoms: list[Any]) -> list[int]:
    return list(range(len(atoms)))


def _avals(atoms: list[Any]) -> list[Any]:
    return [atom.aval for atom in atoms]


_CALLS = (
    *("jit", "pjit", "closed_call", "core_call", "core_closed_call", "call", "named_call"),
    *("checkpoint", "remat", "remat2", "custom_jvp_call", "custom_vjp_call"),
    *("custom_vjp_call_jaxpr", "custom_vmap_call", "linear_call", "custom_transpose_call"),
    *("shard_map", "xla_pmap", "run_state", "scan"),
)

_RULES: dict[str, Rule] = {
    **dict.fromkeys(_CALLS, _call),
    "cond": _cond,
    "while": _while,
    "custom_linear_solve": _linear_solve,
    "pallas_call": _pallas,
    "reduce": _computation("reducer"),
    "reduce_window": _computation("reducer"),
    **dict.fromkeys(
        ("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max"),
        _computation("update"),
    ),
}
