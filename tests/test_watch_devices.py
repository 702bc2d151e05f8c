"""Logs on eight devices and with a persistent cache: a process has to be started with these."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
ROWS, COLUMNS = "P('data') on mesh data=8", "P(None, 'data') on mesh data=8"


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    folder = tmp_path_factory.mktemp("cache")
    result = subprocess.run(
        [sys.executable, ROOT / "tests/watched_devices.py", folder],
        env={**os.environ, "PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(json.loads(line) for line in result.stdout.splitlines())


def test_another_device_compiles_alone(told: dict[str, list[Any]]) -> None:
    assert told["device"] == [["compile", True, None, ["device", "x", "cpu:0", "cpu:1"]]]


def test_another_spec_lowers_and_compiles(told: dict[str, list[Any]]) -> None:
    change = ["sharding", "x", ROWS, COLUMNS]
    assert told["spec"] == [["lower", True, None, change], ["compile", True, None, change]]


def test_a_mesh_in_the_type_traces(told: dict[str, list[Any]]) -> None:
    assert told["spread"] == [
        ["trace", True, None, ["sharding", "x", "no mesh", "P(None, None) on mesh data=8"]],
        ["lower", False, None],
        ["compile", False, None],
    ]


def test_the_persistent_cache_is_told_of_a_compilation(told: dict[str, list[Any]]) -> None:
    assert [row[2] for row in told["written"]] == [None, None, False]
    assert [row[2] for row in told["read"]] == [None, None, True]
    assert told["read"][0][3] == ["cleared", "", "", ""]
