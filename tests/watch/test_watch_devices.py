"""Logs on eight devices and with a persistent cache: a process has to be started with these."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
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


SPLIT, WHOLE = "P('data') on mesh data=2", "P() on mesh data=2"


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("out_shardings", [["options", "out_shardings", SPLIT, WHOLE]]),
        ("out_shardings more", [["options", "out_shardings", "none", WHOLE]]),
        ("out_shardings less", [["options", "out_shardings", SPLIT, "none"]]),
        ("in_shardings", [["options", "in_shardings", SPLIT, WHOLE]]),
        ("both", [["options", "out_shardings", "none", WHOLE]]),
        ("donation", [["options", "donated_invars", "none", "0"]]),
    ],
)
def test_the_option_of_jit_that_changed_is_the_reason(
    told: dict[str, list[Any]], name: str, changes: list[list[str]]
) -> None:
    again = [["lower", True, None, *changes], ["compile", True, None, *changes]]
    assert told[name] == again


def test_the_same_options_of_jit_are_the_same_program(told: dict[str, list[Any]]) -> None:
    assert told["no other"] == []


def test_another_device_of_jit_compiles_alone(told: dict[str, list[Any]]) -> None:
    changes = [
        ["options", option, "cpu:0", "cpu:1"] for option in ("in_shardings", "out_shardings")
    ]
    assert told["device of jit"] == [["compile", True, None, *changes]]


def test_a_compilation_reports_the_persistent_cache(told: dict[str, list[Any]]) -> None:
    assert [row[2] for row in told["written"]] == [None, None, False]
    assert [row[2] for row in told["read"]] == [None, None, True]
    assert told["read"][0][3] == ["cleared", "", "", ""]
