"""`print(program)` is short, says what matters, and can do no harm."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import models
from golden_jax import GOLDEN_JAX
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.display.text.summary import summary


def test_a_small_program_is_shown_whole() -> None:
    def lesson(x: Any) -> Any:
        return jnp.sum(x**2 + jnp.sin(x))

    shown = summary(jaxviz.inspect(lesson)(jnp.ones(3)).record).splitlines()
    assert shown[:5] == [
        "lesson(x) → f32[]: 4 eqns",
        "  x  f32[3]",
        "  → result  f32[]",
        "",
        "{ lambda ; a:f32[3]. let",
    ]
    assert shown[-2:] == [
        "add · integer_pow · reduce_sum · sin",
        "8 flops · 100 bytes read and written",
    ]


def test_donated_arguments_are_named() -> None:
    def step(w, state, x):
        return w - x, {**state, "sum": state["sum"] + x}

    x = jnp.ones(3)
    state = {"sum": x, "scale": x}
    donating = jax.jit(step, donate_argnums=(0, 1))
    shown = summary(jaxviz.inspect(donating)(x, state, x).record).splitlines()
    assert shown[5] == "  donated: w, state"
    in_part = jaxviz.inspect(donating)(x, state, x).record
    [jaxpr] = in_part.stages
    assert jaxpr.call is not None
    stages = [replace(jaxpr, call=replace(jaxpr.call, donated=[0, 2]))]
    assert summary(replace(in_part, stages=stages)).splitlines()[5] == (
        "  donated: w, state (1 of 2 arrays)"
    )


def test_a_large_program_is_gathered() -> None:
    fun, args = models.plain_step()
    shown = summary(jaxviz.inspect(fun)(*args).record)
    expected = [
        "step(params, x, y) → f32[], 12 arrays, 2.0 KiB: 141 eqns, 23 of them in 7 bodies",
        "  params  12 arrays, 2.0 KiB",
        "  x       i32[4]",
        "  y       i32[4]",
        "  → value         f32[]",
        "  → params (new)  12 arrays, 2.0 KiB",
        "",
        "  forward             55 eqns",
        "    embed              5 eqns",
        "    layers[0]         10 eqns",
        "    layers[1]         10 eqns",
        "    layers[2]         10 eqns",
        "    head               3 eqns",
    ]
    # Another version makes other eqns of the same call.
    compared = slice(13) if jax.__version__ == GOLDEN_JAX else slice(1, 7)
    assert shown.splitlines()[compared] == expected[compared]


def test_of_what_was_made_of_it_a_line() -> None:
    program = jaxviz.inspect(lambda w, x: jnp.tanh(x @ w))(jnp.ones((64, 64)), jnp.ones((64, 64)))
    assert program.stage("stablehlo").error is None
    assert program.stage("hlo").error is None
    shown = summary(program.record).splitlines()
    [stablehlo] = [line for line in shown if line.startswith("stablehlo")]
    [hlo] = [line for line in shown if line.startswith("hlo")]
    assert stablehlo == "stablehlo: 2 ops · 524,288 flops · 80.0 KiB read and written"
    assert "524,288 flops" in hlo
    assert hlo.endswith("XLA sets 48.0 KiB aside")
    assert "module @" not in summary(program.record)


def test_no_arguments_and_no_results() -> None:
    assert summary(jaxviz.inspect(lambda: ())().record).startswith("<lambda>() → nothing: 0 eqns")


def test_many_arguments_notes_and_errors() -> None:
    def many(*xs: Any) -> Any:
        return sum(xs)

    record = jaxviz.inspect(many)(*[1.0] * 30).record
    broken = replace(record.stages[0], graphs=[], text="", error="it is 2,000 levels deep.")
    stages = [replace(record.stages[0], notes=["no spans in this version."]), broken]
    shown = summary(replace(record, stages=stages))
    assert "Note: no spans in this version." in shown
    assert "No jaxpr: it is 2,000 levels deep." in shown


BASE = jaxviz.inspect(lambda x: jax.nn.relu(x) * 2)(jnp.ones(3)).record


@given(st.text(), st.text(max_size=300), st.integers(0, 60), st.text())
def test_whatever_the_names_it_is_short_and_harmless(
    name: str, path: str, count: int, text: str
) -> None:
    leaf = schema.Leaf(path=path, aval=replace(BASE.args[0].aval, text=text))
    graph = replace(BASE.stages[0].graphs[0], groups=[])
    eqn = replace(graph.eqns[0], op=f"{name}\x1b[31m\u202e\n")
    graph = replace(graph, eqns=[eqn] * count)
    graphs = [graph, *BASE.stages[0].graphs[1:]]
    stage = replace(BASE.stages[0], graphs=graphs, text=text, notes=[name])
    record = replace(BASE, name=f"\x1b[2J{name}", args=[leaf] * count, stages=[stage])
    lines = summary(record).split("\n")
    assert len(lines) <= 40
    assert all(len(line) <= 100 for line in lines)
    assert not set("".join(lines)) & set("\x00\x07\x1b\x7f\x9b\r\u202e\u2028\u2066\u200f")
    assert "\\x1b[2J" in lines[0]


def test_a_program_that_is_one_call_is_outlined_by_what_it_calls() -> None:
    def block(x: jax.Array) -> jax.Array:
        for number in range(6):
            with jax.named_scope(f"layer{number}"):
                x = jnp.tanh(x * 2.0) + jnp.sin(x)
        return x

    inner = jax.jit(block)
    lines = str(jaxviz.inspect(lambda x: inner(x))(jnp.ones(3))).splitlines()
    assert [line.split() for line in lines if "layer" in line] == [
        [f"layer{number}", "4", "eqns"] for number in range(6)
    ]
    nested = str(jaxviz.inspect(lambda x: jax.jit(block)(jax.jit(jnp.fft.fft)(x)))(jnp.ones(8)))
    assert "  block " in nested


def test_loops_and_calls_are_outlined_with_what_they_hold() -> None:
    def step(x: jax.Array, _: Any) -> tuple[jax.Array, None]:
        for number in range(12):
            with jax.named_scope(f"layer{number}"):
                x = jnp.tanh(x * 2.0) + jnp.sin(x)
        return x, None

    def run(x: jax.Array) -> Any:
        return jax.lax.scan(jax.jit(step), x + 1.0, length=5)

    lines = str(jaxviz.inspect(run)(jnp.ones(3))).splitlines()
    outline = [line for line in lines if line.endswith((" eqn", " eqns"))]
    assert [line.split()[0] for line in outline] == ["scan", "step", "layer0…11"]
    assert [line.index(line.split()[0]) for line in outline] == [2, 4, 6]
    assert "×5" in outline[0]
    assert "×12" in outline[2]
