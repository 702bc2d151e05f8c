"""`%jaxviz f(x) --platform tpu`, and `--devices 256`, in a real IPython shell."""

from __future__ import annotations

import pytest
from shells import Run, shell_fixture

import jaxviz

SETUP = """
import jax, jaxviz, jax.numpy as jnp
def scaled(x):
    return x * 1000.0
made = jax.jit(scaled).trace(1.0)
"""
shell = shell_fixture(SETUP)


@pytest.mark.parametrize("call", ["scaled(jnp.ones(3))", "made"])
@pytest.mark.parametrize(("asked", "platform"), [("tpu", "tpu"), ("gpu", "cuda")])
def test_stablehlo_for_it_is_seen_first(shell, call, asked, platform):
    program: object = Run(shell, f"p = %jaxviz -o {call} --platform {asked}\np").result.result
    assert isinstance(program, jaxviz.Program)
    assert program.opening.stage == "stablehlo"
    found = program.stage("stablehlo").notes
    assert f"It was lowered for {platform}, as you asked." in map(str, found)


def test_another_stage_may_be_chosen(shell):
    cell = "p = %jaxviz -o scaled(1.0) --platform tpu --stage jaxpr\np"
    program: object = Run(shell, cell).result.result
    assert isinstance(program, jaxviz.Program)
    assert program.opening.stage == "jaxpr"


def test_what_is_wrong_is_one_sentence(shell):
    run = Run(shell, "%jaxviz scaled(1.0) --platform npu")
    assert str(run.result.error_in_exec) == (
        "there is no platform 'npu': the platforms are cpu, cuda, rocm, tpu, and gpu, which is "
        "cuda."
    )
    run = Run(shell, "%jaxviz scaled(1.0) --platform tpu --steps")
    assert run.err.strip() == (
        "UsageError: --steps shows the trace, which has no platform or devices: leave one out."
    )
    run = Run(shell, "%jaxviz scaled(1.0) --devices many")
    assert run.err.strip() == (
        "UsageError: --devices takes a number of at least 1, not 'many': write --devices 256."
    )
    run = Run(shell, "%jaxviz scaled(1.0) --devices 8 --platform tpu")
    assert run.err.strip() == (
        "UsageError: --devices compiles for the CPU, and --platform may lower for another: leave "
        "one out."
    )


def test_hlo_for_devices_that_are_not_here_is_seen_first(shell):
    split = "from tests.absent_meshes import mesh_of, split\nx = split(mesh_of(d=4), (8, 2), 'd')"
    cell = f"{split}\np = %jaxviz -o jax.jit(jnp.sum)(x) --devices 4\np"
    program: object = Run(shell, cell).result.result
    assert isinstance(program, jaxviz.Program)
    assert program.opening.stage == "hlo"
    assert [one.devices for one in program.stage("hlo").collectives] == [4]
