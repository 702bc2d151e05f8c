"""The code of the site's how-tos runs unchanged, in both languages."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from patience import outputs_of
from planted import ROOT

from jaxviz.pages import LANGUAGES

BLOCK = re.compile(r"^```(?:\{code-cell\} )?(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = sorted(path.name for path in (ROOT / "site/en/how-to").glob("*.md"))


def blocks(language: str, page: str) -> list[tuple[str, str]]:
    """The blocks of code of a page, each with the language that it is in."""
    return BLOCK.findall((ROOT / "site" / language / "how-to" / page).read_text("utf-8"))


def code(language: str, page: str) -> str:
    return "\n".join(text for kind, text in blocks(language, page) if kind == "python")


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_tests_pass(tmp_path: Path) -> None:
    (tmp_path / "test_step.py").write_text(code("en", "pytest.md"), "utf-8")
    assert "3 passed" in run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def test_a_constant_fails_where_it_is_not_allowed(tmp_path: Path) -> None:
    strict = code("en", "pytest.md").replace(', allow=["constant"]', "")
    (tmp_path / "test_step.py").write_text(strict, "utf-8")
    allowed = next(text for kind, text in blocks("en", "pytest.md") if kind == "toml")
    with pytest.raises(AssertionError, match="FindingsError"):
        run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    (tmp_path / "pyproject.toml").write_text(allowed, "utf-8")
    assert "3 passed" in run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def test_whose_a_trace_is(tmp_path: Path) -> None:
    (tmp_path / "test_whose.py").write_text(code("en", "retraces.md"), "utf-8")
    assert "4 passed" in run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")


def test_the_script_says_what_its_comments_say(tmp_path: Path) -> None:
    (tmp_path / "look.py").write_text(code("en", "scripts.md"), "utf-8")
    said = run(tmp_path, "look.py")
    assert "loss(w, x) → f32[]" in said
    assert "loss: x: f32[8→5, 4] at look.py:" in said
    assert (tmp_path / "loss.html").exists()


def test_the_runs_say_what_their_comments_say(tmp_path: Path) -> None:
    (tmp_path / "runs.py").write_text(code("en", "running.md"), "utf-8")
    said = run(tmp_path, "runs.py")
    assert "loss, in 10 runs: " in said
    assert "runs.py, line 7 (return jnp.tanh(x @ w)): " in said
    assert "One result of each line of loss, in one run" in said
    assert "NaN comes from log" in said


def slurm(port: int, index: int) -> dict[str, str]:
    """Variables that `srun` sets. JAX takes the port from the job's number."""
    job = str((port - SLURM_PORTS.start) % len(SLURM_PORTS))
    where = {"SLURM_STEP_NODELIST": "localhost", "SLURM_LOCALID": str(index)}
    return {"SLURM_JOB_ID": job, "SLURM_NTASKS": "2", "SLURM_PROCID": str(index), **where}


def open_mpi(port: int, index: int) -> dict[str, str]:
    """Variables that `mpirun` sets. JAX takes the port from the number of the launch."""
    launch = (port - SLURM_PORTS.start) << 12
    which = {"OMPI_COMM_WORLD_RANK": str(index), "OMPI_COMM_WORLD_LOCAL_RANK": str(index)}
    address = f"{launch}.0;tcp://127.0.0.1:9"
    return {"OMPI_MCA_orte_hnp_uri": address, "OMPI_COMM_WORLD_SIZE": "2", **which}


SLURM_PORTS = range(65535 - 4096 + 1, 65536)


def free_port(among: Iterable[int]) -> int:
    for port in among:
        with socket.socket() as found:
            try:
                found.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(found.getsockname()[1])
    raise AssertionError("no port is free")


@pytest.mark.parametrize(
    "started",
    [
        None,
        pytest.param(slurm, marks=pytest.mark.slow),
        pytest.param(open_mpi, marks=pytest.mark.slow),
    ],
)
def test_processes_agree_and_report_their_logs(
    tmp_path: Path, started: Callable[[int, int], dict[str, str]] | None
) -> None:
    """Started by themselves, and with the variables that SLURM and Open MPI set."""
    script = code("en", "jobs.md")
    ports = {None: [0], slurm: SLURM_PORTS, open_mpi: SLURM_PORTS[::-1]}  # both may run at once
    port = free_port(ports[started])
    if started is not None:
        script = script.replace("initialize(address, count, index)", "initialize()")
        script = script.replace("address, count, index = sys.argv", "# ")
    (tmp_path / "train.py").write_text(script, "utf-8")
    command = [sys.executable, "train.py", f"127.0.0.1:{port}", "2"]
    running = [
        subprocess.Popen(
            [*command, str(index)],
            cwd=tmp_path,
            text=True,
            env={**os.environ, **(started(port, index) if started else {})},
        )
        for index in (0, 1)
    ]
    outputs_of(running, limit=240)
    assert [one.returncode for one in running] == [0, 0]
    page = (tmp_path / "job.html").read_text("utf-8")
    assert "step · process 0" in page
    assert "step · process 1" in page


def test_the_picture_has_what_is_reported_of_it(tmp_path: Path) -> None:
    cell = next(text for _, text in blocks("en", "reading.md"))
    lines = [line for line in cell.splitlines() if not line.startswith("%")]
    ask = """
import jaxviz
stage = jaxviz.inspect(rollout)(params, jnp.ones((10, 3))).stage("jaxpr")
print(sorted({(eqn.op, eqn.name, eqn.trips) for g in stage.graphs for eqn in g.eqns if eqn.bodies}))
print({(group.name, group.kind) for graph in stage.graphs for group in graph.groups})
"""
    (tmp_path / "look.py").write_text("\n".join([*lines, ask]), "utf-8")
    loops, groups = run(tmp_path, "look.py").splitlines()
    assert "('scan', '', 10)" in loops
    assert "'custom_jvp_call', 'relu'" in loops
    assert groups == "{('cell', 'call')}"


@pytest.mark.parametrize("page", PAGES)
def test_languages_have_the_same_code(page: str) -> None:
    english, korean = (
        [re.sub(r" *#.*", "", text) for _, text in blocks(language, page)] for language in LANGUAGES
    )
    assert english == korean
