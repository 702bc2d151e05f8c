"""Other interpreters live within the limits of the kernel, start isolated, and say why they ended.

A fault is planted, then what the user sees is held to a sentence, and what works is tried. JAX runs
in each of these kernels."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from full_disks import full_disk, resource
from planted import ROOT

from jaxviz.capture.stages.other_interpreter import READY

GIB = 1 << 30
LOAD = """
import jax.numpy as jnp, jaxviz
print(jnp.sin(0.0), jaxviz.load({!r}).name)
"""
DEVICES = """
import jax
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec as P
import jaxviz
split = NamedSharding(AbstractMesh((4,), ("d",)), P("d"))
x = jax.ShapeDtypeStruct((8, 8), "float32", sharding=split)
stage = jaxviz.inspect(jax.jit(lambda x: x.sum()))(x).stage("hlo")
print(stage.error, any("all-reduce" in eqn.op for graph in stage.graphs for eqn in graph.eqns))
"""
NESTED = """
import jax, jax.numpy as jnp, jaxviz
from jaxviz.capture.stages import refusal
refusal.LONGEST_RUN = 10
def f(x):
    for _ in range(20):
        x = jnp.tanh(x) + 1
    return x
print(jaxviz.inspect(f)(1.0).stage("hlo").error)
"""


def kernel(code: str, limit: int | None = None, **how: Any) -> str:
    """The output of a kernel with an address space of at most `limit` bytes."""
    own = {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}
    env = {**os.environ, **own, **how.pop("env", {})}
    command = limited(limit, [sys.executable, "-c", code])
    done = subprocess.run(command, env=env, capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def limited(limit: int | None, command: list[str]) -> list[str]:
    """A command that has this as its soft limit; the hard one stays as it is."""
    size = "unlimited" if limit is None else limit >> 10
    return ["sh", "-c", f'ulimit -S -v {size}; exec "$@"', "sh", *command]


@pytest.fixture(scope="module")
def mlir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("files") / "t.mlir"

    def double(x):
        return x * 2

    file.write_text(jax.jit(double).lower(jnp.float32(1)).as_text())
    return file


@pytest.mark.parametrize(
    "gib", [4, pytest.param(8, marks=pytest.mark.slow), pytest.param(16, marks=pytest.mark.slow)]
)
def test_a_file_is_read_under_a_limit(gib: int, mlir: Path):
    assert kernel(LOAD.format(str(mlir)), gib * GIB) == "0.0 double"


@pytest.mark.slow
@pytest.mark.parametrize("gib", [4, 8, 16])
@pytest.mark.parametrize(("code", "printed"), [(DEVICES, "None True"), (NESTED, "None")])
def test_what_the_kernel_does_not_compile_is_compiled_under_a_limit(gib, code, printed):
    assert kernel(code, gib * GIB) == printed


def test_a_soft_limit_is_not_raised():
    command = [sys.executable, "-m", "jaxviz.capture", "read", str(os.getpid())]
    with subprocess.Popen(
        limited(6 * GIB, command),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(len(READY)) == READY
        if sys.platform == "linux":
            assert resource.prlimit(process.pid, resource.RLIMIT_AS)[0] == 6 * GIB
        process.kill()


def small(folder: Path) -> str:
    """An interpreter that has too little memory for JAX, whatever this machine is like."""
    script = folder / "python"
    script.write_text(f'#!/bin/sh\nulimit -v 300000\nexec "{sys.executable}" "$@"\n')
    script.chmod(0o755)
    return f"import sys; sys.executable = {str(script)!r}\n"


REFUSED = """
import jaxviz
try:
    jaxviz.load({!r})
except ValueError as error:
    print(error)
"""


def test_a_limit_that_is_too_low_for_jax_is_reported(mlir: Path, tmp_path: Path):
    said = kernel(small(tmp_path) + REFUSED.format(str(mlir)), 4 * GIB)
    assert said.startswith(
        f"'{mlir}' could not be read: another Python interpreter, which has to do it, could not "
        "start: "
    )
    assert "; the limit of 4.0 GiB (ulimit -v) " in said
    assert " too low for JAX" in said
    assert "\n" not in said


def test_a_compilation_that_lacks_memory_says_so(tmp_path: Path):
    said = kernel(small(tmp_path) + DEVICES, 4 * GIB)
    assert said.startswith("XLA could not compile the program for cpu (another Python interpreter")
    assert "the limit of 4.0 GiB (ulimit -v) " in said
    assert "lax.scan" not in said


def test_an_interpreter_that_cannot_start_says_why(mlir: Path, tmp_path: Path):
    gone = f"import sys; sys.executable = {str(tmp_path / 'gone')!r}\n"
    assert kernel(gone + REFUSED.format(str(mlir))) == (
        f"'{mlir}' could not be read: another Python interpreter, which has to do it, could not "
        "start: No such file or directory."
    )
    (tmp_path / "broken").write_text("#!/bin/sh\necho it is broken >&2\nexit 3\n")
    (tmp_path / "broken").chmod(0o755)
    broken = f"import sys; sys.executable = {str(tmp_path / 'broken')!r}\n"
    assert kernel(broken + REFUSED.format(str(mlir))) == (
        f"'{mlir}' could not be read: another Python interpreter, which has to do it, could not "
        "start: exit status 3; it wrote last: it is broken."
    )


def test_files_beside_the_notebook_are_not_imported_for_modules(mlir: Path, tmp_path: Path):
    """Their folder is the working directory, and on both of Python's paths."""
    for module in ("typing", "json", "numpy", "jax", "msgspec", "signal", "zlib", "runpy", "site"):
        (tmp_path / f"{module}.py").write_text(f"open('imported', 'a').write('{module} ')\n")
    code = f"""
import jax.numpy as jnp, jaxviz, os, sys
os.chdir({str(tmp_path)!r})
sys.path.insert(0, {str(tmp_path)!r})
os.environ["PYTHONPATH"] = {str(tmp_path)!r}
print(jaxviz.load({str(mlir)!r}).name)
"""
    assert kernel(code) == "double"
    assert not (tmp_path / "imported").exists()


def test_a_file_is_read_without_room_to_write(mlir: Path, tmp_path: Path):
    """No TMPDIR, and home and working directory on a full disk."""
    with full_disk(tmp_path / "full") as full:
        env = {"HOME": str(full), "TMPDIR": str(full / "gone")}
        assert kernel(LOAD.format(str(mlir)), env=env, cwd=full) == "0.0 double"


@pytest.mark.slow
def test_a_file_is_read_where_home_may_not_be_written_to(mlir: Path, tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir(mode=0o500)
    assert kernel(LOAD.format(str(mlir)), env={"HOME": str(home)}, cwd=home) == "0.0 double"
    assert list(home.iterdir()) == []
