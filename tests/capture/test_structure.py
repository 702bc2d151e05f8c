"""The roles of operands of loops and choices are the same on every version of JAX."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from records import eqns

import jaxviz
from jaxviz.capture.jaxprs.structure import has_unread_roles, roles_of

F = jnp.ones
X = F(5)


def summed(xs: Any, w: Any) -> Any:
    return lax.scan(lambda c, x: ((c[0] + w * x, c[1] + 1), c[0]), (xs[0], 0), xs)


def halved(x: Any, w: Any) -> Any:
    return lax.while_loop(lambda c: c[1] > w[0], lambda c: (c[0] * w[1], c[1] / 2), (x, 9.0))


def slope(xs: Any) -> Any:
    return jax.grad(lambda xs: lax.scan(lambda c, x: (c * x, c), xs[0], xs)[1].sum())(xs)


def solved(a: Any, b: Any) -> Any:
    return lax.custom_linear_solve(lambda v: a @ v, b, lambda _, b: b / 2, symmetric=True)


ROLES: dict[str, tuple[Callable[..., Any], tuple[Any, ...], str, tuple[str, ...]]] = {
    "scan": (summed, (X, 2.0), "scan", ("const", "carry", "carry", "xs")),
    "the derivative of a scan": (slope, (X,), "scan", ("carry", "xs", "xs", "xs")),
    "map": (lambda x: lax.map(jnp.sin, x), (X,), "scan", ("xs",)),
    "fori_loop": (
        lambda x: lax.fori_loop(0, 3, lambda i, c: c * i, x),
        (X,),
        "scan",
        ("carry", "carry"),
    ),
    "while_loop": (halved, (X, F(2)), "while", ("cond const", "body const", "carry", "carry")),
    "cond": (lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), (X,), "cond", ("index", "")),
    "custom_linear_solve": (
        solved,
        (F((3, 3)), F(3)),
        "custom_linear_solve",
        ("matvec const", "vecmat const", "b"),
    ),
    "relu": (jax.nn.relu, (X,), "custom_jvp_call", ()),
}


@pytest.mark.parametrize("name", ROLES)
def test_operands_by_what_they_are(name: str) -> None:
    function, args, op, roles = ROLES[name]
    found = [eqn for eqn in eqns(jaxviz.inspect(function)(*args)) if eqn.op == op]
    assert found[-1].roles == roles
    counted = {"num_carry", "num_consts", "ft_in", "ft_out", "cond_nconsts", "body_nconsts"}
    assert not counted & {param.name for eqn in found for param in eqn.params}


def test_a_body_has_what_each_of_its_inputs_is_of_the_loop() -> None:
    [scan] = [eqn for eqn in eqns(jaxviz.inspect(summed)(X, 2.0)) if eqn.op == "scan"]
    [body] = scan.bodies
    assert [scan.roles[operand] for operand in body.inputs] == ["const", "carry", "carry", "xs"]
    assert (len(body.outputs), scan.trips) == (3, 5)


def test_a_loop_that_says_it_otherwise_has_no_carry_rather_than_a_wrong_one() -> None:
    [scan] = [
        eqn for eqn in jax.make_jaxpr(summed)(X, 2.0).jaxpr.eqns if eqn.primitive.name == "scan"
    ]
    kept = {name: scan.params[name] for name in ("jaxpr", "length", "reverse", "unroll")}
    other = scan.replace(params=kept)
    assert (roles_of(other), has_unread_roles(other)) == ((), True)
    assert not has_unread_roles(scan)
