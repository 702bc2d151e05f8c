"""Choices that vmap turned into a select: what jaxviz knows of them, and that the fix works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from truth.findings import array, batched_cond, cases

import jaxviz
from jaxviz.capture.jaxprs import jaxpr

LONG, START = array("float32", 2, 2000), array("int32", 2)


def test_choosing_the_index_removes_the_copy() -> None:
    """XLA needs memory for a second carry if the loop copies it."""

    def temporaries(fun: Callable[..., Any]) -> int:
        memory = jaxviz.inspect(jax.vmap(fun))(LONG, START).stage("hlo").memory
        return (memory and memory.temporaries) or 0

    assert temporaries(batched_cond.fill) > 2 * 2000 * 4
    assert temporaries(batched_cond.chosen_index) < 2000


def names_of_selects(fun: Callable[..., Any], *args: Any) -> list[str]:
    graph = jaxviz.inspect(fun)(*args).stage("jaxpr").graphs[0]
    return [eqn.name for eqn in graph.eqns if eqn.op == "select_n" and eqn.name]


def test_the_select_is_named_after_the_choice() -> None:
    x, p, i = jnp.ones((3, 4)), jnp.ones(3, bool), jnp.ones(3, int)
    of_cond = jax.vmap(lambda x, p: lax.cond(p, jnp.sin, jnp.cos, x))
    of_switch = jax.vmap(lambda x, i: lax.switch(i, [jnp.sin, jnp.cos, jnp.tan], x))
    assert names_of_selects(of_cond, x, p) == ["cond"]
    assert names_of_selects(of_switch, x, i) == ["switch"]
    assert names_of_selects(lambda x: jnp.piecewise(x, [x < 0], [jnp.sin, jnp.cos]), x) == []
    assert names_of_selects(lambda x, i: lax.select_n(i, x[0], x[1], x[2]), x, i[0]) == []


@pytest.mark.parametrize("name", ["product", "one_of_three", "fill", "printed", "meant_as_select"])
def test_without_the_frames_of_jax_the_expression_tells(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = cases()[f"batched_cond.{name}"]
    known = jaxviz.inspect(one.fun)(*one.args).findings
    monkeypatch.setattr(jaxpr, "choice_before_vmap", lambda eqn: "")
    assert jaxviz.inspect(one.fun)(*one.args).findings == known
