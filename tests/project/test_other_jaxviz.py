"""Another project on PyPI named jaxviz installs the same folder. One sentence says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from IPython.core.error import UsageError
from IPython.core.interactiveshell import InteractiveShell

import jupyterlab_jaxviz
from jupyterlab_jaxviz import REPAIR


def imported(*paths: Path) -> str:
    code = "import warnings; warnings.simplefilter('always'); import jaxviz"
    environment = {
        "PATH": "",
        "JAX_PLATFORMS": "cpu",
        "PYTHONPATH": os.pathsep.join(map(str, [Path.cwd(), *paths])),
    }
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stderr


def test_it_is_named_with_what_to_uninstall(tmp_path):
    record = tmp_path / "jaxviz-0.3.1.dist-info"
    record.mkdir()
    (record / "METADATA").write_text("Metadata-Version: 2.1\nName: jaxviz\nVersion: 0.3.1\n")
    said = imported(tmp_path)
    assert said.count("UserWarning") == 1
    assert (
        "another project named jaxviz (0.3.1) is installed over or under this one: "
        "run `pip uninstall jaxviz`" in said
    )


def test_alone_we_say_nothing():
    assert imported() == ""


LOAD = """
from IPython.core.interactiveshell import InteractiveShell
print(InteractiveShell.instance().run_cell("%load_ext jupyterlab_jaxviz").success)
"""


@pytest.mark.parametrize("other", ["raise ImportError('no flax')", "def view(): ..."])
def test_what_has_overwritten_us_is_named_with_the_commands_that_repair_it(tmp_path, other):
    (tmp_path / "jaxviz").mkdir()
    (tmp_path / "jaxviz" / "__init__.py").write_text(other)
    (tmp_path / "jupyterlab_jaxviz").symlink_to(Path(jupyterlab_jaxviz.__file__).parent)
    done = subprocess.run(
        [sys.executable, "-c", LOAD],
        env={"PATH": "", "HOME": str(tmp_path), "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.endswith("False\n")
    sentence = f"UsageError: another project named jaxviz has overwritten this one: {REPAIR}"
    assert sentence in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


def test_what_uninstalling_the_other_has_left_is_named_too(monkeypatch):
    monkeypatch.setattr(jupyterlab_jaxviz, "find_spec", lambda _: None)
    with pytest.raises(UsageError, match="has overwritten this one: run `pip uninstall jaxviz`"):
        jupyterlab_jaxviz.load_ipython_extension(None)


def test_the_readme_has_the_same_commands():
    readme = " ".join(Path("README.md").read_text("utf-8").split())
    commands = [part for part in REPAIR.split("`") if part.startswith("pip ")]
    assert len(commands) == 2
    assert all(f"`{command}`" in readme for command in commands)


def test_it_can_be_loaded_by_the_name_that_pip_knows():
    InteractiveShell.clear_instance()
    shell = InteractiveShell.instance()
    assert shell.run_cell("%load_ext jupyterlab_jaxviz").success
    assert shell.find_line_magic("jaxviz") is not None
    assert shell.run_cell("%load_ext jaxviz").success
    assert shell.run_cell("%unload_ext jupyterlab_jaxviz").success
    assert shell.find_line_magic("jaxviz") is None
    InteractiveShell.clear_instance()
