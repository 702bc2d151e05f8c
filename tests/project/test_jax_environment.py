"""Which Python the newest JAX is tested on, and what its file of constraints says."""

from __future__ import annotations

import os
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="environments of Windows have no bin/")
sys.path.append(str(ROOT / "scripts"))

import jax_environment  # noqa: E402
from jax_environment import DoesNotExist, constraints_of, make, newest, pip, pythons_here  # noqa: E402


class Registry:
    """Stands for pip: of each Python which packages exist for it, and what was installed."""

    def __init__(self, packages: dict[str, dict[str, str]]) -> None:
        self.packages = packages
        self.python = ""
        self.installed: list[str] = []

    def new_environment(self, python: str, at: Path) -> None:
        self.python = python

    def pip(self, environment: Path, *arguments: str) -> str:
        constrained = "--constraint" in arguments
        if constrained and not self.packages[self.python]:
            raise DoesNotExist
        if "--dry-run" not in arguments:
            self.installed.append(f"{self.python}{' as pinned' if constrained else ''}")
        return ""

    def jax_of(self, environment: Path) -> str:
        return f"JAX on {self.python}"


def registry(monkeypatch: pytest.MonkeyPatch, here: dict[str, dict[str, str]]) -> Registry:
    made = Registry(here)
    monkeypatch.setattr(jax_environment, "pythons_here", lambda: list(here))
    for name in ("new_environment", "pip", "jax_of"):
        monkeypatch.setattr(jax_environment, name, getattr(made, name))
    return made


def test_the_newest_python_that_its_jax_exists_for_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made = registry(monkeypatch, {"3.15": {}, "3.13": {"jax": "0.12"}, "3.12": {"jax": "0.12"}})
    assert make("newest") == "JAX on 3.13"
    assert made.installed == ["3.13 as pinned"]


def test_where_no_python_is_new_enough_that_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    made = registry(monkeypatch, {"3.11": {}})
    assert re.fullmatch(
        r"The newest JAX needs Python ≥ 3\.\d+, which is not here: tested JAX on 3\.11",
        make("newest"),
    )
    assert made.installed == ["3.11"]


def test_the_oldest_is_made_with_the_python_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    made = registry(monkeypatch, {"3.13": {"jax": "0.6.2"}, sys.executable: {"jax": "0.6.2"}})
    make("oldest")
    assert made.installed == [f"{sys.executable} as pinned"]


def test_where_the_oldest_exists_for_no_python_nothing_else_is_tested(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = registry(monkeypatch, {sys.executable: {}})
    with pytest.raises(SystemExit, match=r"oldest\.txt exists for none of the Pythons here"):
        make("oldest")
    assert made.installed == []


def test_a_library_without_a_version_that_fits_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolved(environment: Path, wanted: list[str]) -> dict[str, dict[str, str]]:
        if any("dm-haiku" in one for one in wanted):
            raise DoesNotExist
        names = {one.partition("==")[0] for one in wanted} | {"jaxlib", "NumPy"}
        return {name: {"version": "1.0", "requires_python": ">=3.14"} for name in names}

    monkeypatch.setattr(jax_environment, "resolved", resolved)
    written = newest(Path())
    assert "needs Python ≥ 3.14.\n" in written
    assert "# No dm-haiku exists that fits it.\n" in written
    assert "dm-haiku==" not in written
    assert re.findall("^(.+)==1.0$", written, re.MULTILINE)[:3] == ["jax", "jaxlib", "flax"]


def tool(at: Path, says: str, code: int) -> Path:
    (at / "bin").mkdir()
    (at / "bin" / "pip").write_text(f"#!/bin/sh\necho '{says}' >&2\nexit {code}\n")
    (at / "bin" / "pip").chmod(0o755)
    return at


def test_a_registry_out_of_reach_is_not_taken_for_a_version_that_does_not_exist(
    tmp_path: Path,
) -> None:
    with pytest.raises(SystemExit, match="timed out"):
        pip(tool(tmp_path, "ERROR: connection timed out", 1), "jax")


def test_a_version_that_does_not_exist_is_known(tmp_path: Path) -> None:
    with pytest.raises(DoesNotExist):
        pip(tool(tmp_path, "ERROR: No matching distribution found for jax==9", 1), "jax")


def test_this_python_is_among_those_here() -> None:
    assert pythons_here()


def test_the_files_name_the_same_packages_from_old_to_new() -> None:
    files = [
        dict(re.findall("^(.+)==(.+)$", constraints_of(name).read_text(), re.MULTILINE))
        for name in ("oldest", "pinned", "newest")
    ]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    libraries = {one.partition(">=")[0] for one in project["dependency-groups"]["libraries"]}
    assert libraries < files[1].keys()
    assert files[0].keys() == files[1].keys() - libraries >= files[2].keys()
    assert all(one["jax"] == one["jaxlib"] for one in files)
    versions = [tuple(map(int, one["jax"].split("."))) for one in files]
    assert versions == sorted(set(versions))
    assert f"jax>={files[0]['jax']}" in project["project"]["dependencies"]
