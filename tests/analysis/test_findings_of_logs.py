"""Findings of logs: each cause that the log has a hint for, and nothing else."""

from __future__ import annotations

import inspect
from collections.abc import Callable

import jax
import jax.numpy as jnp
import pytest
from truth.findings import _MARK
from truth.findings_of_logs import FOUND, SILENT

import jaxviz


@pytest.mark.parametrize("run", [*FOUND, *SILENT], ids=lambda run: run.__name__)
def test_a_log_has_the_findings_that_its_comments_say(run: Callable[[], None]) -> None:
    lines, start = inspect.getsourcelines(run)
    marks = [(at, _MARK.search(line)) for at, line in enumerate(lines)]
    with jaxviz.watch() as log:
        run()
    told = [(one.kind, one.at.line if one.at else 0) for one in log.findings]
    assert told == [(mark[2], start + at) for at, mark in marks if mark], log
    for one in log.findings:
        assert all((one.what.text, one.cost.text, one.fix.text))
        assert cut(one.fix.text) in cut(str(log)), log
        assert cut(one.what.text.partition(": ")[2]) in cut(str(log)), log
    if run in FOUND:
        ours = [
            cause for cause in log.causes if cause.reason[0].kind != "function" or cause.times > 2
        ]
        assert {cause.hint.text for cause in ours} - {""} == {one.fix.text for one in log.findings}


def cut(text: str) -> str:
    return "".join(text.split())


def test_a_finding_says_how_often_a_function_was_retraced() -> None:
    f = jax.jit(lambda x: jax.tree.map(jnp.sin, x))
    with jaxviz.watch() as log:
        for x in ([jnp.ones(3)], jnp.ones(3)):
            f(x)
    assert log.findings[0].what.text.startswith(
        "`<lambda>` was retraced once: x: list of 1 → f32[3]"
    )


def test_an_option_of_jit_is_one_finding() -> None:
    def step(x):
        return x * 2

    with jaxviz.watch() as log:
        jax.jit(step)(jnp.ones(3))
        jax.jit(step, donate_argnums=0)(jnp.ones(3))
    assert [one.what.text for one in log.findings] == [
        "`step` was compiled again once: donated_invars: none → 0"
    ]
