"""`watch(profile=True)` and `%%jaxviz --profile`: where the time of a block or cell went."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, shell_fixture

import jaxviz

WIDE = jnp.ones((300, 300))


def layer(x: Any) -> Any:
    return jnp.tanh(x @ x)


@jax.jit
def step(x: Any) -> Any:
    return layer(jnp.sin(x)).sum()


def profiled(calls: int = 5) -> jaxviz.Log:
    jax.block_until_ready(step(WIDE))
    with jaxviz.watch(profile=True) as log:
        for _ in range(calls):
            jax.block_until_ready(step(WIDE))
    return log


def found(log: jaxviz.Log) -> Any:
    assert log.profile is not None
    return log.profile


def test_the_parts_add_up_to_the_whole() -> None:
    times = found(profiled()).times
    parts = times.running + times.making + times.moving + times.rest
    assert parts == pytest.approx(times.seconds)
    assert 0 < times.running < times.seconds
    assert times.before + times.after < times.seconds
    assert times.ended == ""


def test_each_run_of_a_cell_is_counted_once_and_nothing_is_run_again() -> None:
    [ran] = found(profiled(7)).times.programs
    assert (ran.name, ran.calls, ran.of, ran.known) == ("step", 7, None, True)
    assert ran.best <= ran.median <= ran.seconds


def test_a_program_leads_to_its_lines_by_its_numbered_clone() -> None:
    profile = found(profiled())
    measured = profile.of("step")
    assert {line.frame.code for line in measured.lines if "dot_general" in line.ops} == {
        "return jnp.tanh(x @ x)"
    }
    seconds = [line.seconds for line in measured.lines]
    assert seconds == sorted(seconds, reverse=True)
    assert len(measured.wall) in (4, 5)  # the end of the last run may be reported too late
    program = jaxviz.inspect(step)(WIDE)
    assert profile.of("step", program).lines == measured.lines


def test_another_program_of_the_same_function_is_not_taken_for_it() -> None:
    profile = found(profiled())
    other = jaxviz.inspect(step)(WIDE[:100, :100])
    with pytest.raises(ValueError, match="step is not the program that ran"):
        profile.of("step", other)


def test_of_two_shapes_each_has_its_own_lines() -> None:
    small = WIDE[:50, :50]
    for x in (WIDE, small):
        jax.block_until_ready(step(x))
    with jaxviz.watch(profile=True) as log:
        for x in (WIDE, WIDE, small):
            jax.block_until_ready(step(x))
    profile = found(log)
    by_calls = {ran.calls: ran.number for ran in profile.times.programs}
    types = {
        calls: profile.of(number).program.args[0].aval.text for calls, number in by_calls.items()
    }
    assert types == {2: "f32[300,300]", 1: "f32[50,50]"}


def test_what_was_called_once_alone_is_measured_and_says_what_is_missing() -> None:
    once = jax.jit(lambda x: jnp.cos(x @ x))
    with jaxviz.watch(profile=True) as log:
        jax.block_until_ready(once(WIDE))
    profile = found(log)
    [ran] = profile.times.programs
    assert not ran.known
    assert profile.times.making > 0
    with pytest.raises(ValueError, match="called once alone"):
        profile.of(ran.number)
    ops = profile.of(ran.number, jaxviz.inspect(once)(WIDE)).lines[0].ops
    assert {*ops} == {"dot_general", "cos"}


def test_no_such_program_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="no program 'loss' ran while this was profiled, but step"):
        found(profiled()).of("loss")


def test_too_many_events_end_it_and_the_rest_runs_on() -> None:
    small = jax.jit(lambda x: x + 1)
    small(1.0)
    with jaxviz.watch(profile=True) as log:
        results = {float(small(1.0)) for _ in range(20_000)}
    assert results == {2.0}
    times = found(log).times
    [ran] = times.programs
    assert times.ended == "events"
    assert 2_000 < ran.calls < 20_000
    assert ran.of == pytest.approx(20_000, rel=0.01)
    assert re.search(r"calls 1-[\d,]+ of [\d,]+", str(log))


def test_where_something_else_profiles_the_block_runs_and_the_log_says_so(tmp_path: Any) -> None:
    jax.profiler.start_trace(str(tmp_path))
    try:
        log = profiled()
    finally:
        jax.profiler.stop_trace()
    assert log.profile is None
    assert "This was not profiled: something else profiles this process" in " ".join(
        str(log).split()
    )


def test_the_profiler_is_free_again_also_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), jaxviz.watch(profile=True):
        _ = 1 / 0
    assert profiled().profile is not None


shell = shell_fixture("import jax, jax.numpy as jnp, jaxviz\nf = jax.jit(lambda x: x + 1)\nf(1.0)")


def test_a_cell_keeps_its_value_and_shows_where_its_time_went(shell: InteractiveShell) -> None:
    ran = Run(shell, "%%jaxviz --profile\n[float(f(1.0)) for _ in range(3)][-1]")
    assert ran.result.result == 2.0
    assert "Profiled for " in ran.out
    assert "<lambda>" in ran.out


def test_an_option_that_there_is_not_is_named(shell: InteractiveShell) -> None:
    ran = Run(shell, "%%jaxviz --profil\n1")
    assert "there is no option --profil: write --profile;" in ran.err
