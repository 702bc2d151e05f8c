"""Traces of all processes of a job as one log: a real job of two processes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

import jaxviz
from tests.jobs import run_job


@pytest.fixture(scope="module")
def job() -> list[Any]:
    """For each process what it has of both logs."""
    return run_job(Path(__file__).with_name("gathering.py"), 2)


def test_the_first_process_alone_has_all(job):
    assert job[1] == {"whole": None, "part": None}


def test_each_process_has_its_events(job):
    traced = [one for one in job[0]["whole"]["records"] if one["kind"] == "trace"]
    assert Counter((one["process"], one["function"]) for one in traced) == {
        (0, "step"): 2,
        (1, "step"): 3,
    }


def test_each_process_has_a_lane_for_each_function(job):
    functions = {name: (traces, sum(hits)) for name, traces, hits in job[0]["whole"]["functions"]}
    assert functions == {"step · process 0": (2, 1), "step · process 1": (3, 1)}


def test_numbers_of_events_are_distinct(job):
    numbers = job[0]["whole"]["numbers"]
    assert len({*numbers}) == len(numbers) >= 10  # a compilation for each trace at the least


def test_causes_are_of_their_process(job):
    assert sorted(job[0]["whole"]["causes"]) == ["step · process 0", "step · process 1"]


def test_each_process_has_its_cache_table(job):
    traces = {(name, number) for name, rows in job[0]["whole"]["caches"] for number in rows}
    assert [name for name, _ in job[0]["whole"]["caches"]] == [
        "step · process 0",
        "step · process 1",
    ]
    assert len({number for _, number in traces}) == 5


def test_it_is_shown_as_a_log(job):
    assert job[0]["whole"]["mime"] == [
        "application/vnd.jaxviz.log.v1+json",
        "text/html",
        "text/plain",
    ]
    assert job[0]["whole"]["notes"] == [
        (
            "The times of each process use the clock of its host. The compile time is that of the "
            "process that compiled longest."
        )
    ]
    assert 0 < job[0]["whole"]["lasted"] < 240


def test_who_reports_nothing_is_named(job):
    assert job[0]["part"]["missing"] == [1]
    assert job[0]["part"]["notes"][-1] == "Process 1 reported nothing within 1 s."
    assert [name for name, *_ in job[0]["part"]["functions"]] == ["step · process 0"]


def test_one_process_has_its_own(tmp_path):
    with jaxviz.watch() as log:
        jax.jit(lambda x: x * 2)(jnp.ones(3))
    gathered = jaxviz.gather(log)
    assert gathered is not None
    assert [*gathered.logs] == [0]
    assert gathered.missing == ()
    assert "<lambda> · process 0" in repr(gathered)
    gathered.save(tmp_path / "job.html")
    assert "process 0" in (tmp_path / "job.html").read_text()


def test_what_is_no_log_is_refused():
    with pytest.raises(TypeError, match=r"^log must be the Log that jaxviz\.watch\(\) gives"):
        jaxviz.gather(jnp.sin)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("timeout", [0.0, float("nan")])
def test_a_timeout_that_is_none_is_refused(timeout):
    with jaxviz.watch() as log:
        pass
    with pytest.raises(ValueError, match=r"^timeout is in seconds and above 0, not "):
        jaxviz.gather(log, timeout)
