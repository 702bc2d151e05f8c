"""Lessons as the tests executed them, which the site takes: `.site/executed/LANGUAGE/NAME.ipynb`.

Each has a digest of what its outputs come from. Where that has changed since, the site executes the
lesson itself.
"""

from __future__ import annotations

import json
import shutil
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".site" / "executed"
LIBRARIES = ROOT / "tests" / "constraints" / "pinned.txt"


def keep(lesson: Path, book: dict[str, Any]) -> None:
    """Keep what became of a lesson. MyST-NB, which executes what it shows, leaves it as it is."""
    off = {"execution_mode": "off"}
    metadata = {**book["metadata"], "digest": digest(lesson), "mystnb": off}
    kept = place(lesson)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({**book, "metadata": metadata}), "utf-8")


def put(lesson: Path, target: Path) -> None:
    """Write an executed lesson to `target` where one is kept that is current."""
    kept = place(lesson)
    if kept.exists() and json.loads(kept.read_text("utf-8"))["metadata"]["digest"] == digest(
        lesson
    ):
        shutil.copyfile(kept, target)


def place(lesson: Path) -> Path:
    return FOLDER / lesson.parent.name / lesson.name


def digest(lesson: Path) -> str:
    """The digest of a lesson, and of the code that shows and draws its programs."""
    return sha256(lesson.read_bytes() + shown_by()).hexdigest()


@cache
def shown_by() -> bytes:
    """A digest of jaxviz, its scripts for pages, and the versions of libraries."""
    made = sha256(LIBRARIES.read_bytes())
    for path in sorted((ROOT / "jaxviz").rglob("*")):
        if path.suffix in {".py", ".js", ".json", ".css"} and "labextension" not in path.parts:
            made.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return made.digest()
