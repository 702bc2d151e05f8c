"""Links between StableHLO and optimized HLO where JAX gave what it lowered: there is no jaxpr, so
each instruction leads to an op of StableHLO."""

from __future__ import annotations

import pickle
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from jax import export
from records import eqns_of
from truth.links.checked import FUNCTIONS, truth_of
from truth.links.functions import FUNCTIONS as LONG
from truth.links.labels import Truth
from truth.links.short_functions import ALONE

import jaxviz
from jaxviz import schema


def mlp(params, x, y):
    for w, b in params:
        x = jax.nn.relu(x @ w + b)
    return jnp.mean((x - y) ** 2)


def gradient_of(dtype):
    params = [
        (jnp.ones((4, 8), dtype), jnp.ones(8, dtype)),
        (jnp.ones((8, 4), dtype), jnp.ones(4, dtype)),
    ]
    return jax.jit(jax.value_and_grad(mlp)), (params, jnp.ones((16, 4), dtype), jnp.ones((16, 4)))


def instructions(stage: schema.Stage) -> dict[tuple[str, str], schema.Eqn]:
    """By the computation's name and the instruction's own."""
    return {
        (graph.name, graph.vars[eqn.outvars[0]].name): eqn
        for graph in stage.graphs
        for eqn in graph.eqns
    }


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_instructions_lead_to_the_ops_that_lead_to_their_eqns(dtype: str) -> None:
    jitted, args = gradient_of(dtype)
    program, whole = jaxviz.inspect(jitted.lower(*args)), jaxviz.inspect(jitted.trace(*args))
    ops, known = eqns_of(program.stage("stablehlo")), eqns_of(whole.stage("stablehlo"))
    assert [op.op for op in ops] == [op.op for op in known]
    assert not any(op.origin for op in ops)
    found, truth = instructions(program.stage("hlo")), instructions(whole.stage("hlo"))
    assert found.keys() == truth.keys()
    both = [(one, truth[key]) for key, one in found.items() if one.origin and truth[key].origin]
    exact = [(one, other) for one, other in both if not one.guess and not other.guess]
    assert len(exact) >= 30
    assert all(known[one.origin[-1]].origin == other.origin for one, other in exact)
    assert len(both) >= 0.9 * sum(bool(other.origin) for other in truth.values())


def test_an_instruction_of_a_shared_function_leads_through_its_call() -> None:
    twice = jax.jit(lambda x: jax.nn.relu(jnp.sin(jax.nn.relu(x))))
    program = jaxviz.inspect(twice.lower(jnp.ones(4)))
    ops, stage = eqns_of(program.stage("stablehlo")), program.stage("hlo")
    chains = sorted(
        [ops[number].op for number in eqn.origin]
        for eqn in eqns_of(stage)
        if eqn.op == "maximum" and not eqn.guess
    )
    named = jax.__version_info__ >= (0, 7)  # before that XLA does not say who called
    assert chains == [["call"] * named + ["stablehlo.maximum"]] * 2
    calls = {eqn.origin[0] for eqn in eqns_of(stage) if eqn.op == "maximum"}
    assert len(calls) == (2 if named else 1)


def test_the_text_and_the_ops_are_those_without_numbers() -> None:
    jitted, args = gradient_of("float32")
    program, whole = jaxviz.inspect(jitted.lower(*args)), jaxviz.inspect(jitted.trace(*args))
    stage, other = program.stage("hlo"), whole.stage("hlo")
    assert sorted(eqn.op for eqn in eqns_of(stage)) == sorted(eqn.op for eqn in eqns_of(other))
    assert not re.search(r"jv\d", stage.text)
    assert not re.search(r"jv\d", " ".join(stage.scopes))


def test_links_are_saved_and_stay_where_they_are(tmp_path: Path) -> None:
    program = jaxviz.inspect(jax.jit(lambda x: jnp.sin(x) * 2.0).lower(jnp.ones(4)))
    linked = [eqn.origin for eqn in eqns_of(program.stage("hlo"))]
    assert any(linked)
    program.save(tmp_path / "p.json")
    for again in (jaxviz.load(tmp_path / "p.json"), pickle.loads(pickle.dumps(program))):
        assert [eqn.origin for eqn in eqns_of(again.stage("hlo"))] == linked


@pytest.mark.parametrize("given", ["Exported", "Compiled", "text"])
def test_what_has_one_stage_alone_has_no_links(given: str, tmp_path: Path) -> None:
    jitted, args = gradient_of("float32")
    if given == "text":
        (tmp_path / "p.mlir").write_text(jitted.lower(*args).as_text())
        program = jaxviz.load(tmp_path / "p.mlir")
    elif given == "Exported":
        program = jaxviz.inspect(export.export(jitted)(*args))
    else:
        program = jaxviz.inspect(jitted.lower(*args).compile())
    made = [stage for stage in program.record.stages if stage.error is None]
    assert len(made) == 1
    assert not any(eqn.origin or eqn.guess for eqn in eqns_of(made[0]))


def right_and_wrong(name: str) -> tuple[int, int, list[str]]:
    """Counts of a labelled function: instructions with labels, those that lead to an op with a
    right eqn or with none, and the others that lead to an op."""
    function, args = FUNCTIONS[name]()
    truth: Truth = truth_of(name, "hlo")
    known = eqns_of(truth_of(name, "stablehlo").flow.stage)
    stage = jaxviz.inspect(jax.jit(function).lower(*args)).stage("hlo")
    found = instructions(stage)
    count = linked = 0
    wrong: list[str] = []
    for at in truth.flow.all():
        graph = truth.flow.stage.graphs[at[0]]
        key = (graph.name, graph.vars[truth.flow.eqn(at).outvars[0]].name)
        if not truth.of(at) or key not in found:
            continue
        count += 1
        origin = found[key].origin
        linked += bool(origin)
        op = known[origin[-1]] if origin else None
        if op and op.origin and not op.guess and op.origin[-1] not in truth.of(at):
            wrong.append(f"{name}: {key} leads to {op.op}, which is of {op.origin}")
    return count, linked, wrong


def test_of_labelled_functions_most_is_linked_and_nothing_wrongly(
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts = [right_and_wrong(name) for name in [*LONG, *ALONE]]
    made, linked = sum(one[0] for one in counts), sum(one[1] for one in counts)
    with capsys.disabled():
        print(f" of a Lowered: {linked} of {made}", end="")
    assert [fault for one in counts for fault in one[2]] == []
    assert made >= 800
    assert linked >= 0.8 * made
