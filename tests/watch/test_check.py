"""`jaxviz.check`, and the fixture of pytest that does the same."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas
from truth.findings import array

import jaxviz

ROOT = Path(__file__).parents[2]
X = array("bfloat16", 1024, 1024)


def halved(x):
    return x * np.float32(0.5)


def test_a_program_without_findings_is_returned() -> None:
    program = jaxviz.check(lambda x: x * 0.5)(X)
    assert isinstance(program, jaxviz.Program)
    assert program.findings == []


def test_all_findings_are_raised_with_their_lines_and_fixes() -> None:
    with pytest.raises(jaxviz.FindingsError) as caught:
        jaxviz.check(halved)(X)
    [one] = caught.value.findings
    assert caught.value.program.findings == [one]
    text = " ".join(str(caught.value).split())
    assert text.startswith("halved: 1 finding")
    for part in (one.what.text, one.cost.text, one.fix.text, f"line {one.at and one.at.line}"):
        assert part in text


def test_what_is_allowed_is_no_error() -> None:
    program = jaxviz.check(halved, allow=["upcast"])(X)
    assert [one.kind for one in program.findings] == ["upcast"]
    assert jaxviz.check(halved, allow="upcast")(X) == program


def test_a_kind_that_there_is_not_is_named() -> None:
    with pytest.raises(ValueError, match="there is no kind 'upcasts' of findings: the kinds are "):
        jaxviz.check(halved, allow=["upcasts"])


TESTS = """
import sys

def test_nothing_is_imported_yet():
    assert "jax" not in sys.modules and "jaxviz" not in sys.modules

def test_clean(jaxviz_check):
    import jax
    assert jaxviz_check(lambda x: x + 1)(1.0).name == "<lambda>"

def test_found(jaxviz_check):
    import jax, numpy as np
    jaxviz_check(lambda x: x * np.float32(2))(jax.ShapeDtypeStruct((1024, 1024), "bfloat16"))
"""


@pytest.mark.parametrize("allowed", ["", "upcast"])
def test_the_fixture_does_the_same(tmp_path: Path, allowed: str) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\njaxviz_allow = {allowed}\n")
    own = {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    plugin = ["-p", "jupyterlab_jaxviz.pytest_plugin", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *plugin, "test_it.py"],
        cwd=tmp_path,
        env={**os.environ, **own},
        capture_output=True,
        text=True,
        check=False,
    )
    last = done.stdout.splitlines()[-1]
    assert ("3 passed" if allowed else "1 failed, 2 passed") in last, done.stdout + done.stderr
    assert allowed or "FindingsError" in done.stdout


def test_pytest_finds_the_fixture_where_jaxviz_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert project["entry-points"]["pytest11"] == {"jaxviz": "jupyterlab_jaxviz.pytest_plugin"}


def test_a_program_that_does_not_fit_is_an_error() -> None:
    large = array("float32", 1 << 20)
    for memory in (0.6, "8MiB", 16):
        assert jaxviz.check(jnp.sin, memory=memory)(large).findings == []
    for memory in (0.004, "7MiB"):
        with pytest.raises(jaxviz.FindingsError) as caught:
            jaxviz.check(jnp.sin, memory=memory)(large)
        assert caught.value.findings == []
        text = " ".join(str(caught.value).split())
        assert text.startswith("sin: 0 findings Does not fit into ")
        assert "XLA sets 8.0 MiB aside on each device" in text


def test_findings_and_memory_are_reported_together() -> None:
    with pytest.raises(
        jaxviz.FindingsError, match=r"(?s)^halved: 1 finding.*Does not fit into"
    ) as e:
        jaxviz.check(halved, memory="1MiB")(X)
    assert [one.kind for one in e.value.findings] == ["upcast"]


def test_what_cannot_be_compiled_is_not_said_to_fit() -> None:
    with pytest.raises(jaxviz.FindingsError, match="It is not known whether it fits"):
        jaxviz.check(lambda x: pallas.pallas_call(copied, out_shape=x)(x), memory=1)(
            jnp.ones((8, 128))
        )


def copied(ref, out):
    out[...] = ref[...]


def test_what_is_no_amount_is_refused_before_the_call() -> None:
    with pytest.raises(ValueError, match=r"^memory takes a number of GiB above 0"):
        jaxviz.check(jnp.sin, memory="60%")
