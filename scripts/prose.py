"""Counts openings and words that our English avoids, in docstrings, comments, strings, documents.

    python scripts/rules.py --prose PATH…   prints each place in these files or folders
    python scripts/rules.py --lower         lowers the limits to the counts of today

`prose.json` has a limit for each top folder. `scripts/rules.py` fails if a count is above it.
Names in code are not counted: the words are about what a person reads.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

LIMITS = Path(__file__).with_name("prose.json")
OPENING = re.compile(r'(?:"""|/\*\*)\s*(What|Whether|Of|So many|How|As|Those that)\b')
"""A docstring or a JSDoc comment that begins so: the reader waits for its subject."""
WORD = re.compile(r"\b(told|mend(?:s|ed|ing)?|of which|by which|so many|likewise)\b", re.IGNORECASE)
CODE_IN_TEXT = re.compile(r"```.*?```|~~~.*?~~~|`[^`\n]*`", re.DOTALL)
"""Code within a document or a comment: names of the program, not words."""
SCRIPT_PARTS = re.compile(
    r"/\*.*?\*/|//[^\n]*"
    r"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"|`(?:\\.|[^`\\])*`",
    re.DOTALL,
)
"""Comments and strings of TypeScript, JavaScript and CSS."""
INSERTED = re.compile(r"\$\{[^}]*\}")
SCRIPTS = {".ts", ".tsx", ".mjs", ".mts", ".css"}
TEXTS = {".md", ".toml", ".yml", ".sh", ""}
NOT_OURS = ("tests/golden/", "tests/formats/", "js/src/schema.ts", "js/src/ops.ts",
            "js/src/sentences.ts", "js/src/words/params/op-words.ts", "scripts/prose.py",
            "tests/project/test_rules.py", "LICENSE")  # fmt: skip
"""Generated files, and those that are about these words."""

Place = tuple[int, str]
"""A line number, and the words found there."""


def complaints(root: Path, paths: list[Path]) -> list[str]:
    """The folders with more of these places than their limit, as sentences."""
    limits = json.loads(LIMITS.read_text(encoding="utf-8"))
    return [
        f"{folder}: {count} places break the rules of prose, and {limits.get(folder, 0)} may: "
        f"python scripts/rules.py --prose {folder}"
        for folder, count in sorted(counts(root, paths).items())
        if count > limits.get(folder, 0)
    ]


def counts(root: Path, paths: list[Path]) -> Counter[str]:
    """The number of places by top folder; files at the root are counted under their names."""
    return Counter(
        path.parts[0]
        for path in paths
        for _ in places(path, (root / path).read_text(encoding="utf-8"))
    )


def is_read(path: Path) -> bool:
    ours = not path.as_posix().startswith(NOT_OURS)
    return ours and path.suffix in {".py", ".ipynb", *SCRIPTS, *TEXTS}


def places(path: Path, text: str) -> Iterator[Place]:
    """Each avoided opening and word of a file, with its line, in any order."""
    if path.suffix in {".py", *SCRIPTS}:
        for found in OPENING.finditer(text):
            yield text.count("\n", 0, found.start(1)) + 1, f"begins with “{found[1]}”"
    if WORD.search(text) is None:
        return
    for line, part in prose(path, text):
        words = CODE_IN_TEXT.sub(blank, part)
        for found in WORD.finditer(words):
            yield line + words.count("\n", 0, found.start()), f"“{found[1]}”"


def prose(path: Path, text: str) -> Iterator[Place]:
    """The parts of a file that a person reads as sentences, each with its first line."""
    if path.suffix == ".py":
        yield from python_prose(text)
    elif path.suffix == ".ipynb":
        for cell in json.loads(text)["cells"]:
            source = "".join(cell["source"])
            yield from [(1, source)] if cell["cell_type"] == "markdown" else python_prose(source)
    elif path.suffix in SCRIPTS:
        for found in SCRIPT_PARTS.finditer(text):
            if " " in found[0]:
                line = text.count("\n", 0, found.start()) + 1
                yield line, INSERTED.sub(blank, found[0].strip("`"))
    else:
        yield 1, text


def python_prose(text: str) -> Iterator[Place]:
    """Comments, and strings with a space: one without is a name or a key."""
    try:
        tree = ast.parse(text)
        tokens = [*tokenize.generate_tokens(io.StringIO(text).readline)]
    except (SyntaxError, tokenize.TokenError):
        return  # a lesson's cell with a magic, or a file that is meant to be wrong
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            yield node.lineno, node.value


def blank(found: re.Match[str]) -> str:
    """Line breaks alone, so that later places keep their lines."""
    return "\n" * found[0].count("\n") or " "


def printed(root: Path, paths: list[Path], chosen: list[str]) -> None:
    for path in paths:
        if any(path.is_relative_to(one) for one in chosen):
            for line, why in sorted(places(path, (root / path).read_text(encoding="utf-8"))):
                print(f"{path}:{line}: {why}")


def lower(root: Path, paths: list[Path]) -> None:
    """Writes the limits anew: the counts of today, where these are lower."""
    found = counts(root, paths)
    limits = json.loads(LIMITS.read_text(encoding="utf-8"))
    kept = {name: least for name in limits if (least := min(limits[name], found[name]))}
    LIMITS.write_text(json.dumps(kept, indent=2, sort_keys=True) + "\n", encoding="utf-8")
