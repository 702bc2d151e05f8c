"""jaxviz shows what JAX made already: a jaxpr, a trace, a lowered, compiled or exported call."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from exported_programs import PROGRAMS, exported
from jax import export
from jax.core import Tracer
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P
from shells import Run, shell_fixture

import jaxviz
from jaxviz import schema
from jaxviz.capture import JaxObject
from jaxviz.capture.stages.refusal import DEEPEST
from jaxviz.sentences import sentence
from jaxviz.stages import STAGE_KINDS, StageKind


def loss(params, x):
    hidden = jnp.tanh(x @ params["w"])
    return jnp.sum(hidden * 2.0)


PARAMS, X = {"w": jax.ShapeDtypeStruct((4, 8), "float32")}, jax.ShapeDtypeStruct((3, 4), "float32")
JITTED = jax.jit(loss)
GIVEN: dict[str, JaxObject] = {
    "ClosedJaxpr": jax.make_jaxpr(loss)(PARAMS, X),
    "Traced": JITTED.trace(PARAMS, X),
    "Lowered": JITTED.lower(PARAMS, X),
    "Compiled": JITTED.lower(PARAMS, X).compile(),
    "Exported": export.export(JITTED)(PARAMS, X),
}
STAGES: dict[str, list[StageKind]] = {
    "ClosedJaxpr": ["jaxpr", "stablehlo", "hlo"],
    "Traced": ["jaxpr", "stablehlo", "hlo"],
    "Lowered": ["stablehlo", "hlo"],
    "Compiled": ["hlo"],
    "Exported": ["stablehlo"],
}
"""The stages that each object has."""
HEADINGS = {"jaxpr": "eqns", "stablehlo": "StableHLO ops", "hlo": "HLO instructions"}


@pytest.fixture(params=[*GIVEN])
def kind(request: pytest.FixtureRequest) -> str:
    return request.param


def test_the_stages_that_can_be_made_are_and_the_others_say_why_not(kind):
    program = jaxviz.inspect(GIVEN[kind])
    stages = [program.stage(one) for one in STAGE_KINDS]
    assert [stage.kind for stage in stages if stage.error is None] == STAGES[kind]
    assert all(stage.graphs for stage in stages if stage.error is None)
    for stage in stages:
        if stage.error is not None:
            assert f" {kind} " in stage.error
            assert "jaxviz.inspect" in stage.error


def test_it_has_the_user_s_name_and_paths(kind):
    program = jaxviz.inspect(GIVEN[kind])
    assert program.name == "loss"
    paths = [(leaf.path, leaf.aval.text) for leaf in program.args]
    assert paths == [("params['w']", "f32[4,8]"), ("x", "f32[3,4]")]
    assert [(leaf.path, leaf.aval.text) for leaf in program.results] == [("result", "f32[]")]
    for stage in (program.stage(one) for one in STAGES[kind]):
        assert stage.graphs[0].args == ("params['w']", "x"), stage.kind


def test_what_is_seen_first_is_the_first_stage_there_is(kind, tmp_path: Path):
    program = jaxviz.inspect(GIVEN[kind])
    first = STAGES[kind][0]
    program.save(tmp_path / "p.svg")
    assert f"{HEADINGS[first]}<" in (tmp_path / "p.svg").read_text()
    shown = program._repr_mimebundle_()
    assert "<img" in shown["text/html"]
    text = str(program)
    assert text == shown["text/plain"]
    assert text.startswith("loss(params['w'], x) → f32[]: ")
    made = [stage for stage in program.record.stages if stage.error is None]
    assert [stage.kind for stage in made] == [first]
    op = next(eqn.op for eqn in made[0].graphs[0].eqns if eqn.op.endswith("tanh") or first == "hlo")
    assert op in text
    for stage in program.record.stages:
        if stage.error is not None:
            assert f"No {stage.kind}: {stage.error}" in text


@pytest.mark.parametrize("given", ["ClosedJaxpr", "Traced"])
@pytest.mark.parametrize("stage", STAGE_KINDS[1:])
def test_ops_are_linked_where_there_is_a_jaxpr(given, stage):
    program = jaxviz.inspect(GIVEN[given])
    eqns = [eqn for graph in program.stage("jaxpr").graphs for eqn in graph.eqns]
    ops = [eqn for graph in program.stage(stage).graphs for eqn in graph.eqns]
    (tanh,) = (eqn for eqn in ops if eqn.op.endswith("tanh"))
    assert eqns[tanh.origin[-1]].op == "tanh"
    assert not tanh.guess


def test_costs_are_counted_in_each_stage_that_is_there(kind):
    program = jaxviz.inspect(GIVEN[kind])
    for one in STAGES[kind]:
        cost = program.stage(one).cost
        assert cost is not None
        assert cost.flops is not None
        # A product of 3 × 4 by 4 × 8, two flops each, is most of it.
        assert 2 * 3 * 4 * 8 <= cost.flops <= 2 * 3 * 4 * 8 + 4 * 24


def test_a_lowered_is_compiled_only_when_asked_and_apart_from_the_user_s_own():
    lowered = jax.jit(lambda x: jnp.cos(x) * 3.0).lower(X)
    with jaxviz.watch() as log:
        program = jaxviz.inspect(lowered)
        str(program)
        program._repr_mimebundle_()
        assert [stage.kind for stage in program.record.stages] == ["jaxpr", "stablehlo"]
        assert program.stage("hlo").error is None
        assert not log.events
        lowered.compile()
    assert [event.kind for event in log.events] == ["compile"]


def test_a_traced_is_not_traced_again():
    runs: list[object] = []

    @jax.jit
    def f(x):
        runs.append(x)
        return jnp.sin(x)

    program = jaxviz.inspect(f.trace(1.0))
    assert program.stage("hlo").error is None
    assert len(runs) == 1


def test_it_says_which_executable_is_shown():
    (note,) = jaxviz.inspect(GIVEN["Lowered"]).stage("hlo").notes
    assert "but is not that executable" in note
    assert jaxviz.inspect(GIVEN["Compiled"]).stage("hlo").notes == []


def test_two_are_equal_when_what_they_begin_with_is():
    other = jaxviz.inspect(jax.jit(lambda x: x + 1.0).lower(1.0))
    one = jaxviz.inspect(GIVEN["Lowered"])
    assert one == jaxviz.inspect(GIVEN["Lowered"])
    assert one != other


def test_it_is_saved_and_read_again(kind, tmp_path: Path):
    program = jaxviz.inspect(GIVEN[kind])
    program.save(tmp_path / "p.json")
    program.save(tmp_path / "p.html")
    assert jaxviz.load(tmp_path / "p.json") == program
    assert pickle.loads(pickle.dumps(program)) == program


def test_static_arguments_and_arguments_are_refused_in_one_sentence(kind):
    given: Any = GIVEN[kind]
    with pytest.raises(jaxviz.CaptureError, match=f"this is a {type(given).__name__} already"):
        jaxviz.inspect(given, static_argnums=0)
    with pytest.raises(jaxviz.CaptureError, match="takes no arguments"):
        jaxviz.inspect(GIVEN[kind])(X)


def test_programs_without_a_jaxpr_are_not_compared():
    program, lowered = jaxviz.inspect(GIVEN["Traced"]), jaxviz.inspect(GIVEN["Lowered"])
    with pytest.raises(ValueError, match="after has no jaxpr"):
        jaxviz.compare(program, lowered)


def test_a_lowered_that_could_end_the_kernel_is_compiled_elsewhere():
    def f(x):
        for _ in range(DEEPEST + 1):
            x = inner(x)
        return x

    def nested(depth):
        if depth == 0:
            return lambda x: x * 2.0
        inside = nested(depth - 1)
        return lambda x: jax.lax.cond(x > 0, inside, lambda y: y, x)

    inner = nested(3)
    assert jaxviz.inspect(jax.jit(f).lower(1.0)).stage("hlo").error is None
    deep = jaxviz.inspect(jax.jit(nested(DEEPEST + 1)).lower(1.0))
    assert sentence("compiled elsewhere") in deep.stage("hlo").notes


def test_what_each_device_runs_is_not_counted_where_their_number_is_not_known():
    if hasattr(jax, "shard_map"):
        shard_map = jax.shard_map
    else:
        from jax.experimental.shard_map import shard_map
    mesh = Mesh(np.array(jax.devices()[:1]), ("data",))
    split = shard_map(lambda x: x * 2.0, mesh=mesh, in_specs=P("data"), out_specs=P("data"))
    stage = jaxviz.inspect(jax.jit(split).lower(jnp.ones(4))).stage("stablehlo")
    ops = {eqn.op for graph in stage.graphs for eqn in graph.eqns}
    if "sdy.manual_computation" in ops:
        assert stage.cost is None
        assert "only the jaxpr says on how many" in stage.notes[0]


SETUP = """
import functools, jax, jax.numpy as jnp
ran = []
def double(x):
    ran.append(x)
    return jnp.sin(x) * 2.0
step = jax.jit(double)
x = jnp.ones(3)
lowered = step.lower(x)
made = {"step": lowered.compile()}
ran.clear()
drawn = jax.make_jaxpr(double)
class Wrong:
    def lower(self, x): raise RuntimeError("ran")
@functools.wraps(drawn)
def wrapper(x): return ran.append(x) or drawn(x)
def fails(x): return x @ x[:2]
"""


shell = shell_fixture(SETUP, "function")


@pytest.mark.parametrize(
    ("line", "others"),
    [("lowered", ["jaxpr"]), ("made['step']", ["jaxpr", "stablehlo"]), ("lowered;", ["jaxpr"])],
)
def test_the_magic_takes_it_by_its_name(shell, line, others):
    (shown,) = Run(shell, f"%jaxviz {line}").shown
    text = shown["text/plain"]
    assert [kind for kind in HEADINGS if f"No {kind}: " in text] == others


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("lowered(x)", "a Lowered is shown as it is"),
        ("lowered --static-argnames x", "this is a Lowered already"),
        ("step", "`step` is not a call"),
        ("unknown", "`unknown` is not a call"),
        ("wrapper(x)", "and show that: %jaxviz made"),
        ("Wrong().lower(x)", "RuntimeError"),
        ("step.lower(x) --find-nan", "runs a call, and `step.lower(x)` is none"),
        ("lowered --find-nan", "runs a call, and `lowered` is none"),
        ("step.trace(x) --steps", "--steps traces a call, and this is traced already"),
    ],
)
def test_the_magic_refuses_in_one_sentence(shell, line, sentence):
    ran = Run(shell, f"%jaxviz {line}")
    assert sentence in str(ran.result.error_in_exec)


@pytest.mark.parametrize(
    ("line", "first", "bodies"),
    [
        ("jax.make_jaxpr(lambda x: double(x))(x)", "jaxpr", 1),
        ("drawn(x)", "jaxpr", 0),
        ("jax.make_jaxpr(double, return_shape=True)(x)", "jaxpr", 0),
        ("jax.make_jaxpr(step)(x + 1)", "jaxpr", 0),
        ("step.trace(x)", "jaxpr", 0),
        ("step.trace(x).lower()", "stablehlo", 0),
        ("step.lower(x)", "stablehlo", 0),
        ("jax.jit(lambda x: double(x)).lower(x)", "stablehlo", 1),
        ("step.lower(x).compile()", "hlo", 0),
        ("lowered.compile()", "hlo", 0),
        ("step.lower(x) --stage hlo", "stablehlo", 0),
    ],
)
def test_the_magic_makes_a_call_of_jax_s_own_and_shows_what_it_returns(shell, line, first, bodies):
    (shown,) = Run(shell, f"%jaxviz {line}").shown
    assert schema.MIME in shown
    assert HEADINGS[first].split()[-1] in shown["text/plain"].splitlines()[0]
    assert len(shell.user_ns["ran"]) == bodies


def test_a_call_that_is_not_jax_s_own_is_only_traced(shell):
    Run(shell, "%jaxviz wrapper(x)")
    (value,) = shell.user_ns["ran"][:1]
    assert isinstance(value, Tracer)


def test_the_user_s_error_stays_the_user_s(shell):
    run = Run(shell, "%jaxviz jax.make_jaxpr(fails)(x)")
    assert isinstance(run.result.error_in_exec, TypeError)
    assert "jaxviz/magics" not in run.out.replace("\\", "/")


def test_show_displays_it(kind, capsys):
    jaxviz.show(GIVEN[kind])
    assert capsys.readouterr().out.startswith("loss(params['w'], x) → f32[]: ")


@pytest.mark.parametrize("wrong", [None, 1.0, loss, JITTED, "f", [GIVEN["Lowered"]]])
def test_show_refuses_other_values_in_one_sentence(wrong):
    with pytest.raises(TypeError, match=r"^obj must be a ClosedJaxpr, .*jaxviz.inspect\(f\)\(x\)"):
        jaxviz.show(wrong)


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_exported_keeps_its_symbolic_sizes(name):
    case = PROGRAMS[name]
    made: JaxObject = exported(case)
    program = jaxviz.inspect(made)
    assert [leaf.aval.text for leaf in program.args] == case.args
    assert [leaf.aval.text for leaf in program.results] == case.results
    stage = program.stage("stablehlo")
    used = {stage.avals[var.aval].text for graph in stage.graphs for var in graph.vars}
    assert not [text for text in used if "?" in text]
    assert used >= {*case.args, *case.results, *case.within}
    assert all(one in str(program) for one in (*case.args, *case.results))
    assert "[?" not in str(program)
