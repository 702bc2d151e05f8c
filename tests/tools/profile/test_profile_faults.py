"""A profile that fails says why, and the profiler of JAX is free afterwards."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from linecache import getline
from pathlib import Path
from types import FrameType
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from full_disks import filling_disk, full_disk

import jaxviz
from jaxviz.capture.changes import heal
from jaxviz.tools.profile.capture.sessions import BUSY

X = jnp.arange(8.0)
FULL = "jaxviz cannot write to the folder for temporary files"
NO_ROOM = FULL + r" .*(No space left|File too large).*"
ON = r"\. Free some room, or start the kernel with TMPDIR set to another folder\."


@pytest.fixture(autouse=True)
def free_afterwards(tmp_path: Path) -> Iterator[None]:
    """Whatever failed: the user's own profile works, and ours."""
    yield
    with jax.profiler.trace(str(tmp_path / "own")):
        jnp.sin(X).block_until_ready()
    assert [*(tmp_path / "own").rglob("*.xplane.pb")]
    assert jaxviz.profile(jnp.sin, repeats=2)(X).rows


def said(log: jaxviz.Log) -> str:
    return " ".join(map(str, log.record().notes))


@pytest.fixture
def full(tmp_path: Path) -> Path:
    return tmp_path / "full"


@contextmanager
def temporary(folder: Path) -> Iterator[None]:
    """Temporary files are written to this folder."""
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield
    finally:
        tempfile.tempdir = before


def test_on_a_full_disk_no_profile_is_begun(full: Path):
    with full_disk(full), temporary(full):
        with pytest.raises(jaxviz.CaptureError, match=NO_ROOM + ON):
            jaxviz.profile(jnp.sin)(X)
        with jaxviz.watch(profile=True) as log:
            assert float(jnp.sin(0.0)) == 0
    assert log.profile is None
    assert f"This was not profiled: {FULL}" in said(log)


def test_a_disk_that_fills_while_a_call_is_profiled_is_named(full: Path):
    with filling_disk(full) as fill, temporary(full):
        calls = iter(range(9))

        def count(x: Any) -> Any:
            if next(calls) == 3:  # two runs warm up
                fill()
            return x

        def filling(x: Any) -> Any:
            return jax.pure_callback(count, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

        with pytest.raises(jaxviz.CaptureError, match=NO_ROOM + ON):
            jaxviz.profile(filling)(X)


def test_a_disk_that_fills_while_a_cell_is_profiled_is_named(full: Path):
    with filling_disk(full) as fill, temporary(full), jaxviz.watch(profile=True) as log:
        result = float(jax.jit(lambda x: x + 1)(1.0))
        fill()
    assert result == 2
    assert f"This was not profiled: {FULL}" in said(log)
    assert "profiles this process" not in said(log)


def test_where_there_is_no_folder_for_temporary_files(full: Path):
    with temporary(full):
        with pytest.raises(jaxviz.CaptureError, match="No such file or directory" + ON):
            jaxviz.profile(jnp.sin)(X)
        with pytest.raises(ValueError, match="No such file or directory" + ON):
            jaxviz.passes(jaxviz.inspect(jnp.sin)(X))


def test_passes_on_a_full_disk_name_it_and_xla_logs_nothing(full: Path, capfd):
    program = jaxviz.inspect(lambda x: jnp.sin(x @ x).sum())(jnp.ones((9, 9)))
    with full_disk(full), temporary(full), pytest.raises(ValueError, match=NO_ROOM + ON):
        jaxviz.passes(program)
    assert "dump" not in capfd.readouterr().err
    assert jaxviz.passes(program).rows


def test_a_disk_that_fills_while_xla_writes_is_named(full: Path):
    def step(x: Any) -> Any:
        for _ in range(60):
            x = jnp.tanh(x @ x) + x.sum(0)
        return x

    program = jaxviz.inspect(jax.grad(lambda x: step(x).sum()))(jnp.ones((8, 8)))
    with filling_disk(full, "1100k"), temporary(full):
        if not os.path.ismount(full):
            pytest.skip("only a disk can fill by itself, and none may be mounted")
        with pytest.raises(ValueError, match=NO_ROOM + ON):
            jaxviz.passes(program)


@pytest.fixture
def other_profile(tmp_path: Path) -> Iterator[Path]:
    """A profile of the user's that runs meanwhile, and is whole afterwards."""
    jax.profiler.start_trace(str(tmp_path / "user"))
    yield tmp_path / "user"
    jax.profiler.stop_trace()
    assert [*(tmp_path / "user").rglob("*.xplane.pb")]


def test_a_profile_of_the_user_goes_on(other_profile: Path):
    with pytest.raises(jaxviz.CaptureError, match="something else profiles this process"):
        jaxviz.profile(jnp.sin)(X)
    with jaxviz.watch(profile=True) as log:
        pass
    assert BUSY in said(log)


def test_a_profile_that_the_cell_begins_after_ending_ours_goes_on(tmp_path: Path):
    with jaxviz.watch(profile=True) as log:
        jnp.sin(X).block_until_ready()
        jax.profiler.stop_trace()
        jax.profiler.start_trace(str(tmp_path / "user"))
    jax.profiler.stop_trace()
    assert [*(tmp_path / "user").rglob("*.xplane.pb")]
    assert log.profile is not None  # JAX wrote ours when the cell ended it


def test_a_profile_that_jax_does_not_run_is_named():
    """A profile of a profiler server, which only XLA knows."""
    other: Any = jax._src.lib._profiler.ProfilerSession()  # type: ignore[attr-defined]
    try:
        with pytest.raises(jaxviz.CaptureError, match="something else profiles this process"):
            jaxviz.profile(jnp.sin)(X)
        with jaxviz.watch(profile=True) as log:
            pass
        assert BUSY in said(log)
    finally:
        other.stop()


@contextmanager
def interrupted_at(number: int) -> Iterator[list[str]]:
    """A KeyboardInterrupt at the line of that number which JAX's profiler runs. Gives the lines
    that it ran."""
    lines: list[str] = []
    file = jax._src.profiler.__file__  # type: ignore[attr-defined]

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != file:
            return None
        # Python takes no interrupt at these: JAX's lock would stay locked.
        is_apart = getline(file, frame.f_lineno).strip().startswith(("with ", "try:"))
        if event == "line" and not is_apart:
            lines.append(f"{frame.f_code.co_name}:{frame.f_lineno}")
            if len(lines) == number:
                raise KeyboardInterrupt
        return trace

    sys.settrace(trace)
    try:
        yield lines
    finally:
        sys.settrace(None)


def test_an_interrupt_at_any_line_of_jax_s_profiler_leaves_no_profile_of_ours(tmp_path: Path):
    number, ran = 0, [""]
    while len(ran) >= number:
        number += 1
        with interrupted_at(number) as ran:
            try:
                with jaxviz.watch(profile=True):
                    pass
            except KeyboardInterrupt:
                assert len(ran) >= number
        heal()
        jax.profiler.start_trace(str(tmp_path / "own"))  # raises where ours still runs
        jax.profiler.stop_trace()
    print(f"interrupted at {number - 1} lines")
    assert number > 10
