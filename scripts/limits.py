"""How long files and functions may be, and that no file imports one that imports it.

What broke a limit before there was one stands in `scripts/exceptions.toml`, with how often. That
list only gets shorter: a check fails where a file breaks a limit more often than it says, and
where one does less often.
"""

from __future__ import annotations

import ast
import json
import subprocess
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

EXCEPTIONS = Path("scripts/exceptions.toml")
LONGEST_FILE = 300
LONGEST_FUNCTION = 39
"""Lines from `def` to its end, without the docstring."""
HERE = Path(__file__).resolve().parent
SCRIPTS = {".ts", ".tsx", ".mjs"}
GENERATED = {
    Path("js/src/schema.ts"),
    Path("js/src/ops.ts"),
    Path("js/src/words/params/op-words.ts"),
}
MENDS = {
    "long files": f"more than {LONGEST_FILE} lines: split it by its ideas",
    "long functions": f"more than {LONGEST_FUNCTION} lines: give a part of it a name",
    "imports in a circle": "what it imports leads back to it: move what both need below them",
}

Broken = dict[str, Counter[str]]
"""Of each limit, by its name in `MENDS`, the files that break it, each with how often."""


def broken(root: Path, paths: list[Path]) -> Broken:
    """Which of the files break which limits."""
    scripts = [path for path in paths if path.suffix in SCRIPTS and not in_suite(path)]
    return {
        "long files": Counter(path.as_posix() for path in paths if is_long(root, path)),
        "long functions": long_functions(root, paths) + long_script_functions(root, scripts),
        "imports in a circle": Counter(import_circles(root)),
    }


def is_long(root: Path, path: Path) -> bool:
    lines = (root / path).read_text(encoding="utf-8").splitlines()
    return path not in GENERATED and len(lines) > LONGEST_FILE


def in_suite(path: Path) -> bool:
    """In tests of TypeScript a function holds all the tests of one subject."""
    return path.is_relative_to("js/test") or path.is_relative_to("ui-tests")


def long_functions(root: Path, paths: Iterable[Path]) -> Counter[str]:
    """Of each Python file how many functions are too long."""
    found: Counter[str] = Counter()
    for path in paths:
        if path.suffix == ".py":
            tree = ast.parse((root / path).read_text(encoding="utf-8"))
            found[path.as_posix()] = sum(length > LONGEST_FUNCTION for length in lengths_in(tree))
    return +found


def lengths_in(tree: ast.Module) -> Iterator[int]:
    """How many lines the functions have, without their docstrings."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = spanned(node)
            yield lines - spanned(node.body[0]) if ast.get_docstring(node) is not None else lines


def spanned(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def long_script_functions(root: Path, paths: Iterable[Path]) -> Counter[str]:
    """Of each TypeScript file how many functions are too long."""
    command = ["node", str(HERE / "functions.mjs"), *(path.as_posix() for path in paths)]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return +Counter(
        {
            path: sum(length > LONGEST_FUNCTION for length in lengths)
            for path, lengths in json.loads(answer).items()
        }
    )


def import_circles(root: Path) -> Iterator[str]:
    """The TypeScript files whose imports lead back to them, types included, each for each such
    import. import-linter says the same of Python."""
    rule = "suspicious/noImportCycles"
    command = ["biome", "lint", f"--only={rule}", "--reporter=json", "--max-diagnostics=none", "."]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if not answer.stdout:
        raise SystemExit(f"biome did not answer: {answer.stderr}")
    for fault in json.loads(answer.stdout)["diagnostics"]:
        if fault["category"] == f"lint/{rule}":
            yield fault["location"]["path"]


def allowed(root: Path) -> Broken:
    text = (root / EXCEPTIONS).read_text(encoding="utf-8")
    return {name: Counter(files) for name, files in tomllib.loads(text).items()}


def complaints(found: Broken, listed: Broken) -> Iterator[str]:
    """Where what was found differs from the exceptions."""
    for name, mend in MENDS.items():
        now, before = found[name], listed.get(name, Counter())
        for path in sorted(now.keys() | before.keys()):
            if now[path] > before[path]:
                yield f"{path}: {now[path]} {name}, {before[path]} allowed: {mend}"
            elif now[path] < before[path]:
                yield (
                    f"{path}: {now[path]} {name}, and {EXCEPTIONS} lists {before[path]}: "
                    "run `python scripts/rules.py --shrink`"
                )


def shrunk(found: Broken, listed: Broken) -> str:
    """The list of exceptions without those that are mended."""
    head = (
        "# Files that broke a limit before it was set, with how often: see scripts/limits.py.\n"
        "# `python scripts/rules.py --shrink` takes out what is mended. A file that moves takes\n"
        "# its line along; no other line is added.\n"
    )
    sections = []
    for name in MENDS:
        still = found[name] & listed.get(name, Counter())
        lines = "".join(f'"{path}" = {still[path]}\n' for path in sorted(still))
        sections.append(f'\n["{name}"]\n{lines}')
    return head + "".join(sections)
