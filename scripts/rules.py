"""What no linter says of this project: no markup made from strings, nothing asked of the network,
params of JAX read in one place, files that documents name, and the limits of `limits.py`.

    python scripts/rules.py             says what breaks a rule (`make check`)
    python scripts/rules.py --shrink    takes what is mended out of the exceptions
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import limits
from limits import GENERATED

ROOT = Path(__file__).resolve().parent.parent
MARKUP = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment)\b"
    r"|\bdocument\.write|\beval\(|\bnew Function\("
)
STRUCTURAL = re.compile(
    r"\b(num_carry|num_consts|ft_in|ft_out|cond_nconsts|body_nconsts|const_lengths|cond_jaxpr)\b"
)
"""Params of JAX that say which operands of an eqn are what."""
READS_STRUCTURE = {
    Path("jaxviz/capture/structure.py"),
    Path("jaxviz/schema/upgrade.py"),
    Path("jaxviz/capture/_called.py"),  # local variables of JAX's functions, not params
    *GENERATED,
}
REQUEST = re.compile(r"\bfetch\(|XMLHttpRequest|\bimport\(\s*['\"]https?:|url\(\s*['\"]?https?:")
SOURCES = {".py", ".ts", ".tsx", ".css", ".mjs"}
DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "docs/*.md")
NAMED = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|tsx?|mjs|toml|json|css|proto))`")
"""A file of ours, as documents name it: `capture/trace.py`."""


def main() -> int:
    known = tracked(ROOT)
    paths = [path for path in known if path.suffix in SOURCES]
    found, listed = limits.broken(ROOT, paths), limits.allowed(ROOT)
    if "--shrink" in sys.argv:
        (ROOT / limits.EXCEPTIONS).write_text(limits.shrunk(found, listed), encoding="utf-8")
        return 0
    said = [one for path in paths for one in complaints(path, lines_of(ROOT / path))]
    said += limits.complaints(found, listed)
    for document in [path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))]:
        said += strangers(document.relative_to(ROOT), lines_of(document), known)
    print("\n".join(said) or "rules: no complaint")
    return 1 if said else 0


def tracked(root: Path) -> list[Path]:
    """The files that git knows or would add, from the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [path for path in map(Path, listed.splitlines()) if (root / path).is_file()]


def complaints(path: Path, lines: list[str]) -> list[str]:
    """What a file of these lines breaks, where it lies at that path."""
    return [*structural(path, lines), *unsafe(path, lines)]


def structural(path: Path, lines: list[str]) -> list[str]:
    """In our sources, each of these names means a version of JAX that another one breaks."""
    ours = path.is_relative_to("jaxviz") or path.is_relative_to("js/src")
    if not ours or path in READS_STRUCTURE:
        return []
    why = "only jaxviz/capture/structure.py reads it of JAX: records have roles"
    return at(path, lines, STRUCTURAL, why)


def unsafe(path: Path, lines: list[str]) -> list[str]:
    if not (path.is_relative_to("js/src") or path.is_relative_to("js/style")):
        return []
    return [
        *at(path, lines, MARKUP, "strings of a program are text, never markup or code"),
        *at(path, lines, REQUEST, "the page asks nothing of the network"),
    ]


def strangers(document: Path, lines: list[str], known: list[Path]) -> list[str]:
    """The files that a document names, by the end of their paths, and that are not among those
    known."""
    paths = [f"/{path.as_posix()}" for path in known]
    return [
        f"{document}:{number}: there is no file {name}"
        for number, line in enumerate(lines, 1)
        for name in NAMED.findall(line)
        if not any(path.endswith(f"/{name}") for path in paths)
    ]


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def at(path: Path, lines: list[str], pattern: re.Pattern[str], why: str) -> list[str]:
    return [f"{path}:{n}: {why}" for n, line in enumerate(lines, 1) if pattern.search(line)]


if __name__ == "__main__":
    sys.exit(main())
