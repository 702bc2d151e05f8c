"""Who waits for a job hears what it is doing."""

from __future__ import annotations

import threading

import pytest

from jaxviz.safety.background import Job, in_background, on_standard_error


def test_a_long_wait_that_nobody_follows_is_reported_once_for_each_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tell = on_standard_error()
    for doing, seconds in (("lowering", 0.5), ("compiling", 4.9)):
        tell(doing, seconds)
    assert capsys.readouterr().err == ""
    for doing, seconds in (("compiling", 5.4), ("compiling", 60.0), ("reading the executable", 61)):
        tell(doing, seconds)
    assert capsys.readouterr().err.splitlines() == [
        "jaxviz: compiling, 5 s so far; an interrupt ends the wait.",
        "jaxviz: reading the executable, 61 s so far; an interrupt ends the wait.",
    ]


def test_one_who_follows_a_job_hears_it_and_nothing_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    job, heard = Job[int](), threading.Event()
    job.doing = "compiling"
    said: list[str] = []

    def follow(doing: str, seconds: float) -> None:
        said.append(doing)
        heard.set()

    def work() -> None:
        heard.wait()
        job.future.set_result(7)

    in_background(work)
    assert job.wait(follow) == 7
    assert said[0] == "compiling"
    assert capsys.readouterr().err == ""
