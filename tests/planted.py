"""Files planted in a folder, and what the tools of this checkout say of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
_TOOLS = [ROOT / "node_modules/.bin", Path(sys.executable).parent]
WITH_TOOLS = os.pathsep.join([*map(str, _TOOLS), os.environ["PATH"]])
"""A PATH on which the tools of this checkout are found, wherever pytest was called from."""


def planted(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def run(root: Path, *command: str, returns: int = 1) -> str:
    """The output of a command in this folder, which must end with this status."""
    env = {**os.environ, "PATH": WITH_TOOLS, "PYTHONPATH": str(root)}
    answer = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True)
    assert answer.returncode == returns, answer
    return answer.stdout + answer.stderr


def only_python(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if "." in name and not name.endswith(".py")]
