"""Reads the roles of operands (constant, carry) and of bodies (branch) from an eqn's params.

These params change between versions of JAX: a scan's `num_carry` is part of `ft_in` from 0.11 on.
So only this file reads them, and records contain their meaning (`Eqn.roles`, `Eqn.bodies`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn
from jax.extend.core.primitives import scan_p, while_p

from jaxviz.capture._jax import loop_or_choice

CARRY, CONST, XS = "carry", "const", "xs"
OF_CONDITION, OF_BODY = "cond const", "body const"


class JaxprInParams(NamedTuple):
    """A jaxpr in the params of an eqn: its path in them, such as `branches[0]`, the jaxpr itself,
    and the arrays that it closes over."""

    path: str
    jaxpr: Jaxpr
    consts: Sequence[Any] = ()


class BodyOf(NamedTuple):
    """A `schema.Body` with the jaxpr itself in place of its number."""

    label: str
    jaxpr: Jaxpr
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def roles_of(eqn: JaxprEqn) -> tuple[str, ...]:
    """The eqn's `schema.Eqn.roles`; empty if it has none, or if its params are not as expected."""
    rule = _ROLES.get(eqn.primitive.name)
    if rule is None:
        return ()
    try:
        roles = rule(eqn.params, len(eqn.invars))
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()
    return tuple(roles) if len(roles) == len(eqn.invars) and any(roles) else ()


def is_structural(eqn: JaxprEqn, param: str) -> bool:
    """True if the roles contain all that a param says. Such a param is not shown."""
    return param in _STRUCTURAL.get(eqn.primitive.name, ())


def has_unread_roles(eqn: JaxprEqn) -> bool:
    """True if the eqn is a loop whose roles could not be read."""
    return eqn.primitive.name in ("scan", "while") and bool(eqn.invars) and not roles_of(eqn)


_STRUCTURAL = {
    "scan": ("num_consts", "num_carry", "linear", "ft_in", "ft_out"),
    "while": ("cond_nconsts", "body_nconsts"),
    "custom_linear_solve": ("const_lengths",),
    **dict.fromkeys(
        ("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"), ("num_consts",)
    ),
}


def _scan(params: dict[str, Any], count: int) -> list[str]:
    """Constants, carry and xs. Until 0.10 `num_consts` and `num_carry` are their numbers; from 0.11
    on they are the parts of the `FlatTree` `ft_in`."""
    if "ft_in" in params:
        consts, carry, _ = map(len, params["ft_in"].unpack())
    else:
        consts, carry = params["num_consts"], params["num_carry"]
    return [CONST] * consts + [CARRY] * carry + [XS] * (count - consts - carry)


def _while(params: dict[str, Any], count: int) -> list[str]:
    condition, body = params["cond_nconsts"], params["body_nconsts"]
    return [OF_CONDITION] * condition + [OF_BODY] * body + [CARRY] * (count - condition - body)


def _cond(params: dict[str, Any], count: int) -> list[str]:
    return ["index"] + [""] * (count - 1)


def _custom(params: dict[str, Any], count: int) -> list[str]:
    return [CONST] * params["num_consts"] + [""] * (count - params["num_consts"])


def _linear_solve(params: dict[str, Any], count: int) -> list[str]:
    """The constants of matvec, vecmat, solve and transpose_solve, then `b`."""
    lengths = params["const_lengths"]
    consts = [f"{label} const" for label in lengths._fields for _ in range(getattr(lengths, label))]
    return consts + ["b"] * (count - len(consts))


_ROLES: dict[str, Callable[[dict[str, Any], int], list[str]]] = {
    "scan": _scan,
    "while": _while,
    "cond": _cond,
    "custom_linear_solve": _linear_solve,
    **dict.fromkeys(("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"), _custom),
}


Rule = Callable[[JaxprEqn, JaxprInParams], tuple[str, list[int], list[int]]]


def bodies_of(eqn: JaxprEqn, found: list[JaxprInParams]) -> list[BodyOf]:
    """The bodies of an eqn, with JAX's names for them, matched to its operands and results. All
    inputs (or outputs) are -1 if the rule returned a wrong number of them."""
    rule = _BODIES.get(eqn.primitive.name, _unknown)
    bodies: list[BodyOf] = []
    for item in found:
        label, inputs, outputs = rule(eqn, item)
        if len(inputs) != len(item.jaxpr.invars):
            inputs = [-1] * len(item.jaxpr.invars)
        if len(outputs) != len(item.jaxpr.outvars):
            outputs = [-1] * len(item.jaxpr.outvars)
        bodies.append(BodyOf(label, item.jaxpr, tuple(inputs), tuple(outputs)))
    return bodies


def _call(eqn: JaxprEqn, item: JaxprInParams) -> tuple[str, list[int], list[int]]:
    return "body", _all(eqn.invars), _all(eqn.outvars)


def _branch(eqn: JaxprEqn, item: JaxprInParams) -> tuple[str, list[int], list[int]]:
    number = int(item.path.removeprefix("branches[").removesuffix("]"))
    by_condition = len(eqn.params["branches"]) == 2 and loop_or_choice(eqn) != "switch"
    label = ("false", "true")[number] if by_condition else f"branch {number}"
    return label, list(range(1, len(eqn.invars))), _all(eqn.outvars)


def _while_part(eqn: JaxprEqn, item: JaxprInParams) -> tuple[str, list[int], list[int]]:
    """The condition or the body of a while."""
    roles = roles_of(eqn)
    if item.path == "cond_jaxpr":
        return "condition", _with(roles, OF_CONDITION, CARRY), []
    return "body", _with(roles, OF_BODY, CARRY), _all(eqn.outvars)


def _solver(eqn: JaxprEqn, item: JaxprInParams) -> tuple[str, list[int], list[int]]:
    label = item.path.removeprefix("jaxprs.")
    roles = roles_of(eqn)
    consts, right = _with(roles, f"{label} const"), _with(roles, "b")
    if label == "solve":
        return label, consts + right, _all(eqn.outvars)
    return label, consts + [-1] * len(right), []


def _pallas(eqn: JaxprEqn, item: JaxprInParams) -> tuple[str, list[int], list[int]]:
    """A Pallas kernel, which takes refs to operands, results and scratch memory, in this order; or
    the index map of one of its blocks, which is not matched."""
    if item.path != "jaxpr":
        number = item.path.partition("block_mappings[")[2].partition("]")[0]
        return (f"index map {number}" if number else item.path), [], []
    mapping = eqn.params["grid_mapping"]
    first = getattr(mapping, "num_dynamic_grid_bounds", 0)
    refs = list(range(first, len(eqn.invars)))
    return "kernel", refs + [-1] * (len(item.jaxpr.invars) - len(refs)), []


def _computation(label: str) -> Rule:
    """The rule of a function that the primitive applies to elements, which is not matched."""
    return lambda eqn, item: (label, [], [])


def _unknown(eqn: JaxprEqn, item: JaxprInParams) -> tuple[str, list[int], list[int]]:
    """A body of an unknown primitive. It is matched to operands and results with equal avals."""
    jaxpr = item.jaxpr
    inputs = _all(eqn.invars) if _avals(eqn.invars) == _avals(jaxpr.invars) else []
    outputs = _all(eqn.outvars) if _avals(eqn.outvars) == _avals(jaxpr.outvars) else []
    return item.path, inputs, outputs


def _with(roles: tuple[str, ...], *wanted: str) -> list[int]:
    """The operands that have these roles."""
    return [place for place, role in enumerate(roles) if role in wanted]


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

_BODIES: dict[str, Rule] = {
    **dict.fromkeys(_CALLS, _call),
    "cond": _branch,
    "while": _while_part,
    "custom_linear_solve": _solver,
    "pallas_call": _pallas,
    "reduce": _computation("reducer"),
    "reduce_window": _computation("reducer"),
    **dict.fromkeys(
        ("scatter", "scatter-add", "scatter-sub", "scatter-mul", "scatter-min", "scatter-max"),
        _computation("update"),
    ),
}


class UnboundLoop(NamedTuple):
    """A loop that JAX has traced and not yet added to a program."""

    primitive: Any
    params: dict[str, Any]
    operands: list[Any]
    carry: list[Any]
    """The operands that are its carry."""
    body: ClosedJaxpr


def unbound_loop(function: str, own: Mapping[str, Any]) -> UnboundLoop | None:
    """The loop that a function of JAX makes, from the variables of its frame; None if it makes
    none. The variables were seen on 0.10.2 to 0.12.0."""
    if function == "scan" and "init_flat" in own:
        consts, carry, body = [*own["consts"]], [*own["init_flat"]], own["jaxpr"]
        params = {"jaxpr": body, "length": own["length"], "reverse": own["reverse"], "unroll": 1}
        params |= {"num_consts": len(consts), "num_carry": len(carry)}
        return UnboundLoop(scan_p, params, [*consts, *carry, *own["xs_flat"]], carry, body)
    if function == "while_loop" and "body_consts" in own:
        test, consts, carry = own["cond_consts"], own["body_consts"], [*own["init_val_flat"]]
        params = {"cond_jaxpr": own["cond_jaxpr"], "body_jaxpr": (body := own["body_jaxpr"])}
        params |= {"cond_nconsts": len(test), "body_nconsts": len(consts)}
        return UnboundLoop(while_p, params, [*test, *consts, *carry], carry, body)
    return None
