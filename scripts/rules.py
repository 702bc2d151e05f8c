"""Checks that no linter has: lengths of Python files and functions, markup made from strings,
requests to the network, params of JAX that are read in one place, files that documents name, our
English (`prose.py`), and files and folders that are too small or too full (`grain.py`).
`functions.mjs` checks the lengths of TypeScript functions.

    python scripts/rules.py                 all checks
    python scripts/rules.py --prose PATH…   prints each place that breaks the rules of prose
    python scripts/rules.py --lower         lowers the limits of prose to the counts of today
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import grain
import prose

ROOT = Path(__file__).resolve().parent.parent
LONGEST_FILE = 500
LONGEST_FUNCTION = 60
"""Lines from `def` to its end, without the docstring."""
LONGEST_ALGORITHM = 120
"""The same of a function whose body begins with a comment `# Algorithm: …`, in some steps."""
GENERATED = {
    Path("jaxviz/capture/stages/hlo/descriptor.py"),
    Path("js/src/schema.ts"),
    Path("js/src/ops.ts"),
    Path("js/src/words/params/op-words.ts"),
    Path("js/src/sentences.ts"),
}
MARKUP = re.compile(
    r"\b(innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment)\b"
    r"|\bdocument\.write|\beval\(|\bnew Function\("
)
STRUCTURAL = re.compile(
    r"\b(num_carry|num_consts|ft_in|ft_out|cond_nconsts|body_nconsts|const_lengths|cond_jaxpr)\b"
)
"""Params of JAX that say which operands of an eqn are what."""
READS_STRUCTURE = {
    Path("jaxviz/capture/jaxprs/structure.py"),
    Path("jaxviz/schema/upgrade.py"),
    Path("jaxviz/capture/_called.py"),  # local variables of JAX's functions, not params
    *GENERATED,
}
REQUEST = re.compile(r"\bfetch\(|XMLHttpRequest|\bimport\(\s*['\"]https?:|url\(\s*['\"]?https?:")
NO_REQUESTS = "the page asks nothing of the network"
MAY_REQUEST = Path("js/src/hosts/viewer/sources.ts")
"""The viewer of the site, which reads files of the same site alone."""
SOURCES = {".py", ".ts", ".tsx", ".css", ".mjs"}
DOCUMENTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "SECURITY.md", "docs/**/*.md")
NAMED = re.compile(r"`((?:[\w.-]+/)*[\w-]+\.(?:py|tsx?|mjs|toml|json|css|proto))`")
"""A file of ours, as documents name it: `capture/tracing/trace.py`."""


def main(arguments: list[str]) -> int:
    known = tracked(ROOT)
    texts = [path for path in known if prose.is_read(path)]
    if arguments[:1] == ["--prose"]:
        prose.printed(ROOT, texts, arguments[1:])
        return 0
    if arguments == ["--lower"]:
        prose.lower(ROOT, texts)
    paths = [path for path in known if path.suffix in SOURCES]
    said = [one for path in paths for one in complaints(path, lines_of(ROOT / path))]
    for document in [path for pattern in DOCUMENTS for path in sorted(ROOT.glob(pattern))]:
        said += strangers(document.relative_to(ROOT), lines_of(document), known)
    said += prose.complaints(ROOT, texts)
    said += grain.complaints(ROOT, known, GENERATED)
    print("\n".join(said) or "rules: no complaint")
    return 1 if said else 0


def tracked(root: Path) -> list[Path]:
    """The files that git knows or would add, from the root."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout
    return [path for path in map(Path, listed.splitlines()) if (root / path).is_file()]


def complaints(path: Path, lines: list[str]) -> list[str]:
    """Rules that a file at this path with these lines breaks."""
    return [*long(path, lines), *structural(path, lines), *unsafe(path, lines)]


def long(path: Path, lines: list[str]) -> list[str]:
    if path in GENERATED:
        return []
    is_long = len(lines) > LONGEST_FILE
    tree = ast.parse("\n".join(lines) if path.suffix == ".py" else "")
    return [
        *([f"{path}: more than {LONGEST_FILE} lines: split it by its ideas"] if is_long else []),
        *(
            f"{path}:{node.lineno}: more than {most} lines: give a part of it a name"
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and length(node) > (most := longest_of(node, lines))
        ),
    ]


def longest_of(function: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    second = function.body[:2][-1]
    top = lines[function.lineno : second.lineno]
    states_algorithm = any(line.lstrip().startswith("# Algorithm: ") for line in top)
    return LONGEST_ALGORITHM if states_algorithm else LONGEST_FUNCTION


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    is_told = ast.get_docstring(function) is not None
    return spanned(function) - (spanned(function.body[0]) if is_told else 0)


def spanned(node: ast.stmt) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def structural(path: Path, lines: list[str]) -> list[str]:
    """In our sources, each of these names means a version of JAX that another one breaks."""
    ours = path.is_relative_to("jaxviz") or path.is_relative_to("js/src")
    if not ours or path in READS_STRUCTURE:
        return []
    why = "only jaxviz/capture/jaxprs/structure.py reads it of JAX: records have roles"
    return at(path, lines, STRUCTURAL, why)


def unsafe(path: Path, lines: list[str]) -> list[str]:
    if not (path.is_relative_to("js/src") or path.is_relative_to("js/style")):
        return []
    return [
        *at(path, lines, MARKUP, "strings of a program are text, never markup or code"),
        *(at(path, lines, REQUEST, NO_REQUESTS) if path != MAY_REQUEST else ()),
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
    sys.exit(main(sys.argv[1:]))
