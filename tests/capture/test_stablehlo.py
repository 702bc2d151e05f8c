"""The stage `stablehlo` is JAX's own module, with each op linked to the eqn it was made for."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import jax
import jax.numpy as jnp
import msgspec
import pytest
from golden_jax import Golden, of_the_golden_jax
from programs import CALLS, shaped
from records import eqns_of, loose_ends
from test_capture import in_another_process
from test_clone import traced

from jaxviz import schema
from jaxviz.capture import capture

GOLDEN = Path(__file__).parents[1] / "golden" / "stablehlo"
NAMED = (
    *("train_step", "scan_with_cond", "while_newton", "switch_three", "shared_jit"),
    *("reduce_with_body", "scatter", "hostile"),
)


def stages(function, *args, static=None) -> tuple[schema.Stage, schema.Stage]:
    """The jaxpr, and what it is lowered to."""
    captured = capture(function, args, {}, None, static)
    made = captured.later.stage("stablehlo", captured.jaxpr(), lambda doing: None)
    assert made.error is None
    return captured.program.stages[0], made


def lowered(function, *args) -> schema.Stage:
    return stages(function, *args)[1]


def readable(jaxpr: schema.Stage, stage: schema.Stage) -> str:
    """One line for each op: `%3 = stablehlo.add %1 %2 : f32[8] ← 5 add`."""
    numbered = eqns_of(jaxpr)
    lines: list[str] = []
    for number, graph in enumerate(stage.graphs):
        name = [var.name for var in graph.vars].__getitem__
        paths = [
            f"{name(i)}={path}" if path else name(i)
            for i, path in zip(graph.invars, graph.args, strict=True)
        ]
        lines.append(f"graph {number} {graph.name}({', '.join(paths)}):".replace(" (", "("))
        for eqn in graph.eqns:
            types = ", ".join(stage.avals[graph.vars[i].aval].text for i in eqn.outvars)
            left = ", ".join(map(name, eqn.outvars))
            right = " ".join([eqn.op, eqn.name, *map(name, eqn.invars)]).replace("  ", " ")
            params = " ".join(f"{param.name}={param.value}" for param in eqn.params)
            bodies = " ".join(f"{body.label}@{body.graph}" for body in eqn.bodies)
            origin = "/".join(f"{n} {numbered[n].op}" for n in eqn.origin)
            scope = stage.scopes[eqn.scope]
            parts = [
                f"{left} = {right}".strip(),
                f": {types}",
                params and f"[{params}]",
                bodies and f"({bodies})",
                origin and f"← {origin}",
                scope and f"in {scope}",
            ]
            lines.append("  " + " ".join(part for part in parts if part))
        outs = ", ".join(map(name, graph.outvars))
        lines.append(f"  return {outs}")
    return "\n".join(lines) + "\n"


@of_the_golden_jax
@pytest.mark.parametrize("name", NAMED)
def test_golden(name: str, golden: Golden) -> None:
    call = CALLS[name]
    text = readable(*stages(call.function, *call.args, static=call.static))
    assert text == golden(GOLDEN / f"{name}.txt", text)


_OP = re.compile(r'^ *(?:%[^=]*= )?"?((?:stablehlo|chlo|sdy|func)\.\w+|call)\b', re.MULTILINE)
_APPLIED = re.compile(r" applies (stablehlo\.\w+)")


def printed(text: str) -> Counter[str]:
    """The number of each op in a text, counted by lines."""
    found = [op.removeprefix("func.") for op in (*_OP.findall(text), *_APPLIED.findall(text))]
    return Counter(op for op in found if op not in ("func", "sdy.mesh") and "return" not in op)


@pytest.mark.parametrize("name", CALLS)
def test_all_that_jax_prints_is_there_and_holds_together(name: str) -> None:
    call = CALLS[name]
    jaxpr, stage = stages(call.function, *call.args, static=call.static)
    text = traced(call).lower().as_text()
    assert Counter(eqn.op for eqn in eqns_of(stage)) == printed(text)
    assert loose_ends(stage) == []
    assert stage.frames == jaxpr.frames
    assert not re.search(r"jv\d", msgspec.json.encode(stage).decode())
    assert stage.graphs[0].results == jaxpr.graphs[0].results
    assert set(filter(None, stage.graphs[0].args)) <= set(jaxpr.graphs[0].args)
    assert stage.took is not None


@pytest.mark.parametrize("name", CALLS)
def test_a_span_is_one_op_with_all_that_it_holds(name: str) -> None:
    call = CALLS[name]
    stage = stages(call.function, *call.args, static=call.static)[1]
    for graph in stage.graphs:
        for eqn in graph.eqns:
            if eqn.span is None:
                assert re.search(rf"applies {eqn.op}\b", stage.text)
                continue
            span = stage.text[slice(*eqn.span)]
            results = [graph.vars[i].name.partition("#")[0] for i in eqn.outvars]
            assert re.match(r'(?:(%[\w.-]+)[^=]*= )?"?(?:func\.)?' + re.escape(eqn.op), span)
            assert span.startswith("".join(results[:1]))
            assert span.count("{") == span.count("}")
            for body in eqn.bodies:
                if eqn.op != "call":
                    inner = [held.span for held in stage.graphs[body.graph].eqns if held.span]
                    assert all(eqn.span[0] < at[0] < at[1] <= eqn.span[1] for at in inner)


def test_all_but_constants_say_their_eqn() -> None:
    """Without one are literals, and what stands for several eqns or for none."""
    counts: Counter[str] = Counter()
    for call in CALLS.values():
        stage = stages(call.function, *call.args, static=call.static)[1]
        if call is not CALLS["random_keys"]:
            without = {eqn.op for eqn in eqns_of(stage) if not eqn.origin}
            assert without <= {"stablehlo.constant"}
        counts.update(
            f"{'constants' if eqn.op == 'stablehlo.constant' else 'others'} "
            f"{'linked' if eqn.origin else 'not linked'}"
            for eqn in eqns_of(stage)
        )
    print(dict(counts))
    assert counts["others linked"] > 5 * counts["others not linked"]


def test_origins_are_the_eqns_and_those_around_them() -> None:
    def f(x):
        def body(carry, _):
            return jnp.tanh(carry) * 2, None

        return jax.lax.scan(body, jnp.exp(x), None, length=3)[0]

    jaxpr, stage = stages(f, shaped(3))
    numbered = eqns_of(jaxpr)
    found = {
        eqn.op: [numbered[number].op for number in eqn.origin]
        for eqn in eqns_of(stage)
        if eqn.op in ("stablehlo.exponential", "stablehlo.while", "stablehlo.tanh")
    }
    assert found == {
        "stablehlo.exponential": ["exp"],
        "stablehlo.while": ["scan"],
        "stablehlo.tanh": ["scan", "tanh"],
    }
    for eqn in eqns_of(stage):
        if eqn.origin:
            made_for = numbered[eqn.origin[-1]]
            assert (eqn.frame, eqn.call) == (made_for.frame, made_for.call)


def test_a_function_for_several_eqns_says_what_they_share() -> None:
    """Whichever was lowered first, and on JAX 0.6 named the ops of both."""
    relu = jax.jit(lambda x: jnp.maximum(x, 0))

    def f(x):
        with jax.named_scope("a"):
            y = relu(x)
        return relu(y)

    jaxpr, stage = stages(f, shaped(3))
    numbered = eqns_of(jaxpr)
    assert [eqn.op for eqn in eqns_of(stage)].count("stablehlo.maximum") == 1
    (origin,) = [eqn.origin for eqn in eqns_of(stage) if eqn.op == "stablehlo.maximum"]
    assert [numbered[number].op for number in origin] == ["max"]
    calls = [eqn.origin for eqn in eqns_of(stage) if eqn.op == "call"]
    assert calls == [(0,), (1,)]


def test_a_function_s_name_on_the_call_stack_is_no_number() -> None:
    plain = [
        eqn.origin
        for eqn in eqns_of(
            lowered(lambda x: jax.random.bits(x) + jnp.uint32(1), jax.random.PRNGKey(0))
        )
    ]

    def jv3(x):
        return jax.random.bits(x) + jnp.uint32(1)

    again = [eqn.origin for eqn in eqns_of(lowered(lambda x: jv3(x), jax.random.PRNGKey(0)))]
    assert plain == again


def test_regions_take_what_they_read_around_them() -> None:
    def f(flag, x, y):
        return jax.lax.cond(flag, lambda: jnp.sin(x), lambda: x * y)

    stage = lowered(f, True, shaped(3), shaped(3))
    (case,) = [eqn for eqn in eqns_of(stage) if eqn.op in ("stablehlo.case", "stablehlo.if")]
    names = [stage.graphs[0].vars[i].name for i in case.invars]
    assert names[1:] in (["%arg1", "%arg2"], ["%arg2", "%arg1"])
    for body in case.bodies:
        graph = stage.graphs[body.graph]
        assert [graph.vars[i].name for i in graph.invars] == [names[i] for i in body.inputs]
        assert body.outputs == (0,)


def test_inputs_that_nothing_reads_are_gone_and_the_others_keep_their_paths() -> None:
    stage = lowered(
        lambda params, unused, x: params["w"] @ x, {"w": shaped(2, 2), "b": 1.0}, 1.0, shaped(2)
    )
    assert stage.graphs[0].args == ("params['w']", "x")
    assert [stage.avals[stage.graphs[0].vars[i].aval].text for i in stage.graphs[0].invars] == [
        "f32[2,2]",
        "f32[2]",
    ]


def test_inputs_that_jax_does_not_name_have_the_jaxpr_s_paths() -> None:
    stage = lowered(jax.vmap(jnp.add), shaped(2), shaped(2))
    assert stage.graphs[0].args == ("args[0]", "args[1]")


SHARDED = """
import sys
sys.path[:0] = ["tests", "tests/capture"]
import jax, jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P
from records import eqns_of
from test_stablehlo import readable, stages
mesh = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
def split(*spec): return NamedSharding(mesh, P(*spec))
def f(x, w):
    y = jax.lax.with_sharding_constraint(jnp.sin(x @ w), split("data", "model"))
    total = lambda a: jax.lax.psum(a, "data")
    return jax.shard_map(total, mesh=mesh, in_specs=P("data"), out_specs=P())(y)
x = jax.ShapeDtypeStruct((8, 4), "float32", sharding=split("data", None))
w = jax.ShapeDtypeStruct((4, 4), "float32", sharding=split(None, "model"))
jaxpr, stage = stages(f, x, w)
for aval in stage.avals:
    print(aval.text, aval.sharding)
for eqn in eqns_of(stage):
    for param in eqn.params:
        if param.name == "replica_groups":
            print(eqn.op, param.value, "/".join(eqns_of(jaxpr)[n].op for n in eqn.origin))
"""


SHARDY = """\
f32[8,4] <@mesh, [{"data"}, {}]>
f32[4,4] <@mesh, [{}, {"model"}]>
f32[8,4] None
f32[8,4] <@mesh, [{"data"}, {"model"}]>
f32[2,4] <@mesh, [{}, {}]>
f32[2,4] None
f32[] None
stablehlo.all_reduce GROUPS shard_map/psum_invariant"""

GSPMD = """\
f32[8,4] {devices=[4,1,2]<=[8] last_tile_dim_replicate}
f32[4,4] {devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}
f32[8,4] None
f32[8,4] {devices=[4,2]<=[8]}
f32[2,4] {manual}
f32[2,4] None
f32[2,4] {replicated}
f32[] None
stablehlo.all_reduce GROUPS shard_map/psum_invariant"""


def test_shardings_and_groups_of_devices_are_there() -> None:
    shown = in_another_process(SHARDED, XLA_FLAGS="--xla_force_host_platform_device_count=8")
    wanted = GSPMD if jax.__version__.startswith("0.6.") else SHARDY
    listed = "[[0, 2, 4, 6], [1, 3, 5, 7]]", "mesh['data'=4,'model'=2] {'data'}"
    assert shown in [wanted.replace("GROUPS", groups) for groups in listed]
