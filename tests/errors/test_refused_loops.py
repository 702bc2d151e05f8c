"""The card of a loop whose carry changes its type draws the loop, with its body."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from IPython.core.interactiveshell import InteractiveShell
from jax import lax
from shells import shell_fixture

import jaxviz
from jaxviz.schema import Graph

SEEN = pytest.mark.skipif(jax.__version_info__ < (0, 10, 2), reason="other variables of frames")
shell = shell_fixture("import jax, jax.numpy as jnp\nfrom jax import lax")

SCAN = """
def body(carry, t):
    h, n = carry
    h = jnp.tanh(h) * t
    return (jnp.concatenate([h, h]), n + 1), h.sum()

def train(x):
    return lax.scan(body, (jnp.zeros(4), 0), jnp.arange(3.) * x)
"""
WHILE = """
def grow(x):
    return lax.while_loop(lambda c: c.sum() < 3, lambda c: jnp.concatenate([c, c]), x * 2)
"""
ACCUMULATE = """
def accumulate(xs):
    return lax.scan(lambda c, x: (c + x, None), jnp.zeros(()), xs)
"""


def ops(graph: Graph) -> list[str]:
    return [eqn.op for eqn in graph.eqns]


@SEEN
@pytest.mark.parametrize(
    ("code", "call", "loop", "bodies"),
    [
        (
            SCAN,
            "jax.jit(train)(2.0)",
            "scan",
            [["tanh", "mul", "concatenate", "add", "reduce_sum"]],
        ),
        (SCAN, "train(2.0)", "scan", [["tanh", "mul", "concatenate", "add", "reduce_sum"]]),
        (WHILE, "jax.jit(grow)(jnp.ones(3))", "while", [["reduce_sum", "lt"], ["concatenate"]]),
        (ACCUMULATE, "jax.jit(accumulate)(jnp.ones((3, 4)))", "scan", [["add"]]),
    ],
)
def test_the_loop_is_drawn_and_lit(
    shell: InteractiveShell, code: str, call: str, loop: str, bodies: list[list[str]]
) -> None:
    error: Any = shell.run_cell(f"{code}\n{call}").error_in_exec
    [stage] = jaxviz.explain(error).program.record.stages
    whole, *inner = stage.graphs
    assert ops(whole)[-1] == loop
    assert [ops(graph) for graph in inner] == bodies
    # The page lights the eqn that makes the program's output.
    assert [*whole.outvars] == [whole.eqns[-1].outvars[0]]
    given, returned = inner[-1].invars[0], inner[-1].outvars[0]
    types = [stage.avals[inner[-1].vars[var].aval].text for var in (given, returned)]
    assert types[0] != types[1]


def test_without_frames_of_jax_the_program_is_as_before() -> None:
    with pytest.raises(TypeError) as caught:
        lax.scan(lambda c, x: (c + x, None), jnp.zeros(()), jnp.ones((3, 4)))
    assert jaxviz.explain(caught.value).card.kind == "carry"
