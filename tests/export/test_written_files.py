"""A file that jaxviz writes is whole, or the earlier one is as it was."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest
from full_disks import FILL, full_disk
from IPython.core.interactiveshell import InteractiveShell
from planted import ROOT

import jaxviz
from jaxviz.export import FORMS
from jaxviz.lessons import copy_lessons
from jaxviz.safety.files import write_file

OLD = b"the earlier file"


@pytest.fixture(scope="module")
def program() -> jaxviz.Program:
    def step(x):
        for _ in range(40):
            x = jnp.tanh(x @ x)
        return x.sum()

    found = jaxviz.inspect(step)(jnp.ones((4, 4)))
    for stage in ("stablehlo", "hlo"):
        found.stage(stage)
    return found


@pytest.fixture(scope="module")
def log() -> jaxviz.Log:
    with jaxviz.watch() as found:
        jax.jit(lambda x: x * 2)(jnp.ones(3))
    return found


def names(folder: Path) -> set[str]:
    return {file.name for file in folder.iterdir()} - {FILL}


@pytest.mark.parametrize("suffix", [*FORMS])
def test_a_full_disk_leaves_the_earlier_file(suffix: str, program, tmp_path: Path):
    with full_disk(tmp_path / "full") as full:
        kept(full / f"p{suffix}", full, program.save)


def test_a_full_disk_leaves_the_earlier_page_of_a_log(log, tmp_path: Path):
    with full_disk(tmp_path / "full") as full:
        kept(full / "log.html", full, log.save)


def kept(file: Path, full: Path, save: Callable[[Path], None]) -> None:
    """A file that was there is whole after a save that failed; after there is room it is saved."""
    fill = full / FILL
    if fill.exists():  # one page for the earlier file
        os.truncate(fill, fill.stat().st_size - 4096)
    file.write_bytes(OLD)
    file.chmod(0o640)
    with pytest.raises(OSError, match=str(file)):
        save(file)
    assert file.read_bytes() == OLD
    assert names(full) == {file.name}
    if fill.exists():
        fill.unlink()
        save(file)
        assert file.read_bytes() != OLD
        assert stat.S_IMODE(file.stat().st_mode) == 0o640
        assert names(full) == {file.name}


def test_the_magic_says_that_there_is_no_room(tmp_path: Path, capsys):
    shell = InteractiveShell.instance()
    shell.run_line_magic("load_ext", "jaxviz")
    shell.user_ns["f"] = lambda x: jnp.sin(x) + jnp.cos(x)
    with full_disk(tmp_path / "full") as full:
        shell.run_cell(f"%jaxviz f(1.0) --save {full}/p.svg")
        assert names(full) == set()
    told = capsys.readouterr()
    assert f"cannot save to '{tmp_path}/full/p.svg': " in told.out + told.err
    assert "free some room, or name a file on another disk." in told.out + told.err


def test_demos_leave_no_half_of_a_lesson(tmp_path: Path):
    with full_disk(tmp_path / "full") as full:
        with pytest.raises(OSError, match=r"\.ipynb"):
            copy_lessons(full, "en")
        assert names(full) == set()


def test_the_command_for_demos_says_why_in_one_line(tmp_path: Path):
    with full_disk(tmp_path / "full") as full:
        done = subprocess.run(
            [sys.executable, "-m", "jaxviz", "demos"],
            cwd=full,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
        )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("cannot write 'jaxviz-lessons")
    assert done.stderr.endswith("; free some room, or name a file on another disk.\n")


def test_the_target_of_a_link_is_replaced(tmp_path: Path):
    (tmp_path / "other").mkdir()
    target, link = tmp_path / "other" / "target", tmp_path / "link"
    target.write_bytes(OLD)
    link.symlink_to(Path("other", "target"))
    write_file(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert names(tmp_path) == {"link", "other"}
    assert names(tmp_path / "other") == {"target"}


def test_the_target_of_a_link_may_be_missing(tmp_path: Path):
    (tmp_path / "link").symlink_to("target")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"new"


def test_the_mode_is_kept_and_a_new_file_has_the_usual_one(tmp_path: Path):
    usual, written = tmp_path / "usual", tmp_path / "written"
    usual.touch()
    write_file(written, b"new")
    assert written.stat().st_mode == usual.stat().st_mode
    written.chmod(0o755)
    write_file(written, b"newer")
    assert stat.S_IMODE(written.stat().st_mode) == 0o755


def test_an_interrupt_leaves_the_earlier_file(tmp_path: Path, monkeypatch):
    file = tmp_path / "p.json"
    file.write_bytes(OLD)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_file(file, b"new")
    assert file.read_bytes() == OLD
    assert names(tmp_path) == {"p.json"}


def as_user(code: str, folder: Path) -> str:
    """The output of a process that may not write to this folder, even if the tests run as root."""
    folder.chmod(0o555)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            READ + code,
            str(ROOT / "jaxviz" / "safety" / "files.py"),
            str(folder),
        ],
        capture_output=True,
        text=True,
    )
    folder.chmod(0o755)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


READ = """
import os, runpy, sys
write_file = runpy.run_path(sys.argv[1])["write_file"]
if os.getuid() == 0:
    os.setuid(65534)
"""
REFUSED = """
try:
    write_file(sys.argv[2] + "/p.json", b"new")
except PermissionError as error:
    print(error.filename)
"""


@pytest.fixture
def open_to_all(tmp_path: Path) -> Path:
    for folder in (tmp_path, *tmp_path.parents):
        if not folder.stat().st_mode & 0o001:
            folder.chmod(0o755)
    folder = tmp_path / "shut"
    folder.mkdir()
    return folder


def test_in_a_folder_that_takes_no_file_the_target_is_overwritten(open_to_all: Path):
    file = open_to_all / "p.json"
    file.write_bytes(OLD * 2)
    file.chmod(0o666)
    as_user("write_file(sys.argv[2] + '/p.json', b'new')", open_to_all)
    assert file.read_bytes() == b"new"
    assert names(open_to_all) == {"p.json"}


def test_there_a_file_that_is_not_there_is_refused(open_to_all: Path):
    assert as_user(REFUSED, open_to_all) == f"{open_to_all}/p.json"


def test_a_file_that_may_not_be_written_to_is_not_replaced(open_to_all: Path):
    file = open_to_all / "p.json"
    file.write_bytes(OLD)
    file.chmod(0o444)
    assert as_user(REFUSED, open_to_all) == str(file)
    assert file.read_bytes() == OLD


def test_a_full_disk_leaves_a_file_that_can_only_be_overwritten(tmp_path: Path, monkeypatch):
    """The folder accepts no new file."""
    with full_disk(tmp_path / "full") as full:
        if (full / FILL).exists():
            os.truncate(full / FILL, (full / FILL).stat().st_size - 8192)
        file = full / "p.json"
        file.write_bytes(OLD)

        def refused(*_: object) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "replace", refused)
        with pytest.raises(OSError, match=str(file)):
            write_file(file, bytes(1 << 21))
        assert file.read_bytes() == OLD
        write_file(file, b"new")
        assert file.read_bytes() == b"new"


def test_a_pipe_is_written_to(tmp_path: Path):
    pipe = tmp_path / "p.json"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        write_file(pipe, b"new")
        assert reader.stdout is not None
        assert reader.stdout.read() == b"new"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_missing_folder_is_named(tmp_path: Path):
    with pytest.raises(FileNotFoundError, match=r"missing/p\.json"):
        write_file(tmp_path / "missing" / "p.json", b"new")
    with pytest.raises(IsADirectoryError):
        write_file(tmp_path, b"new")
