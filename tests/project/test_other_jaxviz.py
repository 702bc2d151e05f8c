"""Another project on PyPI named jaxviz installs the same folder. One sentence says so."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


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
