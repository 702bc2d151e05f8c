"""Optimized HLO that compiling for CPU does not give, from XLA's own text."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from hypothesis import given
from hypothesis.strategies import text

from jaxviz import schema
from jaxviz.capture import capture
from jaxviz.capture.stages._modules import printed
from jaxviz.capture.stages.hlo import stage_of
from jaxviz.capture.stages.hlo.instruction_text import InstructionLine, lines_of
from jaxviz.capture.stages.hlo.instructions import computations_of, strip
from jaxviz.capture.stages.hlo.messages import module_of


@cache
def rare() -> Any:
    """An `HloModule` of what compiling for CPU does not give."""
    executable: Any = jax.jit(jnp.sin).lower(1.0).compile().runtime_executable()
    module = executable.hlo_modules()[0]
    read = importlib.import_module(type(module).__module__).hlo_module_from_text
    return read((Path(__file__).parents[1] / "rare.hlo").read_text(encoding="utf-8"))


@cache
def from_text() -> schema.Stage:
    jaxpr = capture(lambda x, y: jax.jit(lambda z: -z)(x) + y, (1.0, 2.0), {}).program.stages[0]
    return stage_of(rare().as_serialized_hlo_module_proto(), printed(rare()), jaxpr, "jv", [])


def lines(module: Any) -> dict[tuple[str, str], InstructionLine]:
    strip(computations_of(module))
    found = lines_of(printed(module.SerializeToString()))
    return {(title, name): line for title, lines in found.items() for name, line in lines.items()}


def bounded_of(module: Any) -> Any:
    """The message of its custom call."""
    instructions = (held for found in module.computations for held in found.instructions)
    return next(held for held in instructions if held.name == "bounded")


ANYTHING = text(max_size=40) | text('"\\{}()[],= \n%aROT', max_size=40)


@given(ANYTHING, ANYTHING)
def test_no_string_of_a_program_is_taken_for_anything_else(target: str, config: str) -> None:
    module = module_of(rare().as_serialized_hlo_module_proto())
    before = lines(module)
    bounded = bounded_of(module)
    bounded.custom_call_target = target
    bounded.backend_config = config.encode()
    after = lines(module)
    assert list(after) == list(before)
    where = ("main", "bounded")
    assert set(after[where].attributes) <= {"custom_call_target", "backend_config"}
    assert all(after[key].attributes == before[key].attributes for key in after if key != where)


def test_values_are_taken_out_of_a_custom_call_too() -> None:
    module = module_of(rare().as_serialized_hlo_module_proto())
    strip(computations_of(module))
    bounded = bounded_of(module)
    bounded.literal.SetInParent()
    assert strip(computations_of(module))
    assert not bounded.HasField("literal")


def test_bodies_are_labelled_in_xlas_words() -> None:
    stage = from_text()
    bodies = {
        stage.graphs[0].vars[eqn.outvars[0]].name: [
            (body.label, body.inputs) for body in eqn.bodies
        ]
        for eqn in stage.graphs[0].eqns
        if eqn.bodies
    }
    assert bodies == {
        "%if": [("true", (1,)), ("false", (2,))],
        "%case": [("branch 0", (1,)), ("branch 1", (2,)), ("branch 2", (3,))],
        "%start": [("body", (0,))],
        "%windows": [("select", (-1, -1)), ("scatter", (-1, -1))],
    }


def test_avals_are_written_as_xla_writes_them() -> None:
    stage = from_text()
    avals = {var.name: stage.avals[var.aval] for var in stage.graphs[0].vars}
    written = {
        name: (aval.text, aval.layout, aval.memory, aval.dtype, aval.bytes, aval.kind)
        for name, aval in avals.items()
    }
    tiled = "{1,0:T(8,128)}"
    assert written["%x"] == ("f32[8,128]", tiled, None, "float32", 4096, "array")
    assert written["%packed"] == ("s4[16]", "{0:E(4)}", None, "int4", 8, "array")
    assert written["%flag"] == ("pred[]", None, None, "bool", 1, "array")
    assert written["%eight"] == ("f8e4m3fn[4]", "{0}", None, "float8_e4m3fn", 4, "array")
    assert written["%moved"][1:3] == ("{1,0:T(8,128)S(1)}", "S(1)")
    assert written["%both"] == ("(f32[], s32[])", None, None, "", 8, "tuple")
    assert written["%bounded"][0] == "f32[<=8]"
    assert written["%after"] == ("token[]", None, None, "", 0, "token")
    assert avals["%x"].sharding == "{devices=[2,1]<=[2]}"


def test_attributes_are_distinguished_from_strings_that_look_like_them() -> None:
    stage = from_text()
    params = {
        stage.graphs[0].vars[eqn.outvars[0]].name: {p.name: p.value for p in eqn.params}
        for eqn in stage.graphs[0].eqns
    }
    assert params["%moved"] == {
        "frontend_attributes": '{a="}, b=\\"",c={"json":[1,"}"]}}',
        "backend_config": '{"known":{"n":"3"}, "s":"} ,\\" {"}',
    }
    assert params["%scalar"] == {"value": "(1, 2)"}
    assert params["%secret"] == params["%both"] == {}
    assert len(params["%long"]["backend_config"]) == 400
    assert "aaaa" not in stage.text


def test_what_xla_named_after_an_eqns_number_gets_another_name() -> None:
    stage = from_text()
    eqn = stage.graphs[0].eqns[0]
    assert (eqn.op, eqn.origin) == ("constant", (1,))
    assert "jv" not in stage.text
    assert stage.text[slice(*eqn.span or ())].startswith(stage.graphs[0].vars[4].name)
