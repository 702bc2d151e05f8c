"""A line under a cell that calls a jitted function which keeps an earlier value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import jax
import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, fresh
from truth.frozen_near_misses import SILENT
from truth.frozen_values import FOUND, SETUP, cells

from jaxviz.capture.events.frozen import frozen_traces

_LINE = re.compile(
    r"`(?P<f>[^`]+)`, if called, still uses (?:the earlier )?"
    r"`(?P<path>[^`]+?)(?: = (?P<before>[^`]+))?` "
    r"\(traced for .+? in cell \d+\); \S+ (?:is|has) (?P<now>.+?) now"
)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    """A shell that compares all traces, however slow this machine is."""
    monkeypatch.setattr(frozen_traces, "SECONDS", 60.0)
    jax.clear_caches()
    yield from fresh(SETUP)


def reported(run: Run) -> list[tuple[str, str, str]]:
    """Function, path and values of each line under a cell."""
    found = _LINE.finditer(" ".join(run.out.split()))
    return [
        (one["f"], one["path"], f"{one['before']} → {one['now']}" if one["before"] else one["now"])
        for one in found
    ]


@pytest.mark.parametrize("name", [*FOUND, *SILENT])
def test_a_cell_has_the_lines_that_its_comments_say(shell: InteractiveShell, name: str) -> None:
    for code, marks in cells({**FOUND, **SILENT}[name]):
        run = Run(shell, code)
        assert run.result.success, run.out
        told = [("*" if ("*", *one[1:]) in marks else one[0], *one[1:]) for one in reported(run)]
        assert sorted(told) == sorted(marks), (code, run.out)


SCALED = "scale = 2.0\n@jax.jit\ndef f(x):\n    return x * scale{}\nf(x)"


def test_a_captured_call_has_the_finding(shell: InteractiveShell) -> None:
    Run(shell, SCALED.format(""))
    run = Run(shell, "import jaxviz\nscale = 5.0\nprogram = jaxviz.inspect(f)(x)")
    assert run.result.success
    [one] = shell.user_ns["program"].findings
    assert one.kind == "frozen-value"
    assert (one.at.line, one.at.code) == (4, "return x * scale")
    assert "`scale = 2.0` (traced for f32[3] in cell 2); `scale` is 5.0 now" in one.what.text


def test_a_comment_on_the_line_of_the_read_silences_it(shell: InteractiveShell) -> None:
    Run(shell, SCALED.format("  # jaxviz: ignore frozen-value"))
    assert reported(Run(shell, "scale = 5.0\nf(x)")) == []


def test_a_watch_has_the_finding_when_it_has_ended(shell: InteractiveShell) -> None:
    Run(shell, SCALED.format(""))
    Run(shell, "%jaxviz off")
    code = "import jaxviz\nscale = 5.0\nwith jaxviz.watch() as log:\n    f(x)"
    assert Run(shell, code).result.success
    assert [one.kind for one in shell.user_ns["log"].findings] == ["frozen-value"]


WITH_CODE = """
ran = []
class Lazy:
    def __getattr__(self, name): ran.append(name); return 2.0
    @property
    def dt(self): ran.append("dt"); return 3.0
    def __eq__(self, other): ran.append("=="); return True
    def __hash__(self): ran.append("hash"); return 1
    def __repr__(self): ran.append("repr"); return "Lazy"
    def __bool__(self): ran.append("bool"); return True
    def __len__(self): ran.append("len"); return 1
lazy, values, keys = Lazy(), [Lazy()], {"a": Lazy()}
@jax.jit
def f(x): return x * lazy.dt * lazy.other * (len(values) + len(keys)) + (lazy is not None)
"""


def test_no_code_of_the_user_runs(shell: InteractiveShell) -> None:
    Run(shell, WITH_CODE)
    assert Run(shell, "f(x)").result.success
    assert shell.user_ns["ran"] == ["dt", "other"]
    Run(shell, "lazy, values, keys = Lazy(), [Lazy()], {'a': Lazy()}\nf(x);")
    assert shell.user_ns["ran"] == ["dt", "other"]


def test_nothing_of_the_user_is_kept(shell: InteractiveShell) -> None:
    code = "import gc, weakref\nw = jnp.ones(3)\nclass Sim:\n    dt = w\nsim = Sim()\n"
    Run(shell, code + "f = jax.jit(lambda x: x + sim.dt + w)\nf(x);")
    Run(shell, "refs = [*map(weakref.ref, (w, sim, f))]\ndel f, sim, w, Sim\njax.clear_caches()")
    run = Run(shell, "gc.collect()\nprint([ref() is None for ref in refs])")
    assert run.out.startswith("[True, True, True]"), run.out


def test_a_failure_of_jaxviz_changes_nothing(
    shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError

    Run(shell, SCALED.format(""))
    monkeypatch.setattr(frozen_traces, "resolved", fails)
    monkeypatch.setattr(frozen_traces, "values_read", fails)
    run = Run(shell, "scale = 5.0\nf(x), f(y)")
    assert run.result.success
    assert reported(run) == []
