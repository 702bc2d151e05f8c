"""What no linter says of this house: no markup from strings, and files one reads at a sitting."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

LONGEST = 300
"""Lines of a source file."""
GENERATED = {"js/src/schema.ts"}
MARKUP = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment)\b"
    r"|\bdocument\.write|\beval\(|\bnew Function\("
)
STRUCTURAL = re.compile(
    r"\b(num_carry|num_consts|ft_in|ft_out|cond_nconsts|body_nconsts|const_lengths|cond_jaxpr)\b"
)
"""Params of JAX that say which operands of an eqn are what."""
READS_STRUCTURE = {
    "jaxviz/capture/structure.py",
    "jaxviz/schema/format1.py",
    "jaxviz/capture/_loops.py",  # local variables of JAX's functions, not params
    *GENERATED,
}
REQUEST = re.compile(r"\bfetch\(|XMLHttpRequest|\bimport\(\s*['\"]https?:|url\(\s*['\"]?https?:")


def main() -> int:
    paths = tracked()
    long = [message for path in paths for message in length(path)]
    found = [message for path in paths for message in complaints(path)]
    print("\n".join([*long, *found]) or "rules: no complaint")
    return 1 if found else 0


def tracked() -> list[Path]:
    """Files that git knows or would add."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    paths = [Path(line) for line in listed.splitlines()]
    return [path for path in paths if path.suffix in {".py", ".ts", ".tsx", ".css", ".mjs"}]


def length(path: Path) -> list[str]:
    """A warning: there are reasons for a long file, but few."""
    count = len(lines_of(path))
    if count <= LONGEST or str(path) in GENERATED:
        return []
    return [f"{path}: warning: {count} lines, more than {LONGEST}; split it by its ideas"]


def complaints(path: Path) -> list[str]:
    return [*structural(path), *unsafe(path)]


def structural(path: Path) -> list[str]:
    """In our sources, each of these names means a version of JAX that another one breaks."""
    ours = path.is_relative_to("jaxviz") or path.is_relative_to("js/src")
    if not ours or str(path) in READS_STRUCTURE:
        return []
    why = "only jaxviz/capture/structure.py reads it of JAX: records have roles"
    return at(path, lines_of(path), STRUCTURAL, why)


def unsafe(path: Path) -> list[str]:
    if not (path.is_relative_to("js/src") or path.is_relative_to("js/style")):
        return []
    lines = lines_of(path)
    return [
        *at(path, lines, MARKUP, "strings of a program are text, never markup or code"),
        *at(path, lines, REQUEST, "the page asks nothing of the network"),
    ]


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def at(path: Path, lines: list[str], pattern: re.Pattern[str], why: str) -> list[str]:
    return [f"{path}:{n}: {why}" for n, line in enumerate(lines, 1) if pattern.search(line)]


if __name__ == "__main__":
    sys.exit(main())
