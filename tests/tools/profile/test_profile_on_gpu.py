"""Recordings of the profiler on a GPU: two runs of each of three programs on one NVIDIA H200, with
JAX 0.11.2 (`recorded`). `jax.profiler.ProfileData` gave the expected times.

`step`, whose optimized HLO is beside it, was compiled without command buffers:

    def step(image, kernel, weights):
        y = lax.conv_general_dilated(image, kernel, (1, 1), "SAME", dimension_numbers=…)
        h = jax.nn.relu(y).reshape(256, 512)
        h = lax.fori_loop(0, 3, lambda _, h: jnp.tanh(h @ weights), h)
        return jnp.sum(h, axis=0)
"""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import msgspec
import pytest

import jaxviz
from jaxviz.capture.stages.hlo.messages import profile_of
from jaxviz.tools.profile.capture.cell_runs import (
    CellEvents,
    RanProgram,
    events_of_cell,
    is_clone,
    is_hidden,
    measured_in_cell,
)
from jaxviz.tools.profile.capture.cell_session import ProfiledCell
from jaxviz.tools.profile.capture.instruction_times import own_times
from jaxviz.tools.profile.capture.sessions import timed_runs
from jaxviz.tools.profile.cell import CellProfile, cell_times
from jaxviz.tools.profile.report import Profile, profiled

RECORDED = Path(__file__).parent / "recorded"


def events(name: str) -> CellEvents:
    return events_of_cell((RECORDED / f"{name}.xplane.pb").read_bytes(), 1000)


def ran(name: str) -> RanProgram:
    [program] = events(name).programs
    return program


def step() -> Profile:
    program = jaxviz.load(RECORDED / "step.json")
    told = measured_in_cell(ran("step"), program.stage("hlo"), program.stage("jaxpr"))
    return profiled(program, told)


def test_each_instruction_has_the_time_of_its_kernels() -> None:
    assert {row.name: (row.calls, round(1e9 * row.seconds)) for row in step().rows} == {
        "copy.8": (1, 769),
        "loop_broadcast_fusion": (1, 608),
        "wrapped_transpose": (1, 897),
        "cudnn-conv-bias-activation.1": (1, 6080),
        "loop_add_fusion": (3, 2336),
        "gemm_fusion_dot": (3, 11680),
        "loop_reduce_fusion": (3, 4032),
        "input_reduce_fusion": (1, 1536),
    }


def test_the_iterations_of_a_loop_are_distinguished() -> None:
    [loop] = step().loops
    assert (loop.op, [round(1e9 * seconds) for seconds in loop.turns]) == (
        "scan",
        [6080, 5984, 5920],
    )


def test_lines_have_the_time_of_their_instructions() -> None:
    found = step()
    lines = [(line.frame and line.frame.line, round(1e9 * line.seconds)) for line in found.lines]
    # Of the loop's line are its body, its counter and the copy of that; of the convolution's the
    # transposed kernel and the bias of zeros.
    assert lines == [(11, 18817), (7, 7585), (12, 1536)]
    assert "command" not in str(found)


def test_several_kernels_are_one_call_of_their_instruction() -> None:
    runs = ran("convolutions").runs
    assert len(runs) == 2
    first = {name: taken for (_, name), taken in own_times(runs[0].intervals, ()).items()}
    assert {taken.calls for taken in first.values()} == {1}
    # A memset and a kernel; the library's three kernels and what the next one begins before.
    assert round(1e9 * first["cudnn-conv-bw-input.2"].seconds) == pytest.approx(27744, rel=0.1)
    assert round(1e9 * first["cudnn-conv-bw-filter.4"].seconds) == pytest.approx(47934, rel=0.1)


def test_the_runs_of_several_devices_are_those_of_the_program() -> None:
    """The second device is a copy of the first, with numbers of its own for what XLA was at."""
    profile = profile_of((RECORDED / "step.xplane.pb").read_bytes())
    scopes, first = sorted(profile.planes, key=lambda plane: "GPU" in plane.name)
    second = profile.planes.add()
    second.CopyFrom(first)
    second.name = "/device:GPU:1"
    [key] = [key for key, one in second.stat_metadata.items() if one.name == "scope_range_id"]
    for event in (event for line in second.lines for event in line.events):
        for stat in event.stats:
            stat.int64_value += 10_000 * (stat.metadata_id == key)
    for stat in [stat for stat in scopes.stats if stat.metadata_id > 10_000]:
        more = stat.int64_value + 10_000
        scopes.stats.add(metadata_id=stat.metadata_id + 10_000, int64_value=more)
    [program] = events_of_cell(profile.SerializeToString(), 1000).programs
    devices = [sorted(one.device for one in run.intervals) for run in program.runs]
    assert devices == [[0] * 14 + [1] * 14] * 2


def test_command_buffers_hide_instructions_and_that_is_reported() -> None:
    hidden = ran("in_command_buffers")
    assert [len(run.intervals) for run in hidden.runs] == [18, 18]
    assert is_hidden(hidden)
    cell = ProfiledCell(0.0, 1.0, "", events("in_command_buffers"), [])
    with pytest.raises(ValueError, match=r"command buffers.*jaxviz\.profile\(f\)\(x\) compiles it"):
        CellProfile(cell, cell_times(cell, [])).of("f")


def test_where_some_of_it_is_hidden_the_rest_is_reported() -> None:
    program = jaxviz.load(RECORDED / "step.json")
    whole, hidden = ran("step"), ran("in_command_buffers")
    mixed = whole._replace(
        runs=[
            run._replace(intervals=[*run.intervals, *other.intervals])
            for run, other in zip(whole.runs, hidden.runs, strict=True)
        ]
    )
    assert is_clone(program.stage("hlo"), mixed)
    told = measured_in_cell(mixed, program.stage("hlo"), program.stage("jaxpr"))
    found = profiled(program, told)
    assert str(found).splitlines()[1].endswith("no line of yours: command_buffer")
    assert "the profiler does not say which instructions ran in it" in str(found)
    assert found.record.buffers == "hide"


def test_without_instructions_no_program_is_taken_for_what_ran() -> None:
    assert not is_clone(jaxviz.load(RECORDED / "step.json").stage("hlo"), ran("in_command_buffers"))


def test_of_what_was_launched_singly_nothing_is_reported_of_the_time_between() -> None:
    found = step()
    singly = msgspec.structs.replace(found.record, buffers="off", in_cell=False)
    text = str(Profile(found.program, singly))
    assert "The times from call to result are without the profiler." in text
    assert "of it between instructions" not in text


def test_runs_without_the_profiler_are_as_many_as_asked_for() -> None:
    ran = list[int]()

    def run() -> jax.Array:
        ran.append(len(ran))
        return jnp.ones(3) + len(ran)

    taken = timed_runs(run, 5)
    assert (len(taken), ran) == (5, [0, 1, 2, 3, 4])
    assert min(taken) > 0
