"""Checks the grain of `jaxviz/` and `js/src/`: short files that one other file imports, and folders
with too many files.

A reader jumps for each of them. A short file with one importer is merged into it, unless readers
look for it by its name: `SMALL` has these, with the reason.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

SHORTEST = 120
"""Lines from which a file with one importer is long enough."""
MOST_FILES = 12
"""Files at the top of a folder."""
MOST_SMALL = 20
SMALL: dict[str, str] = {
    "jaxviz/analysis/retraces/owners.py": "the rule that says if a trace is the user's",
    "jaxviz/capture/_recording.py": "private names of JAX are in files that begin with `_`",
    "jaxviz/capture/failure/_raising.py": "private names of JAX are in files that begin with `_`",
    "jaxviz/capture/failure/libraries/numpyro.py": "each library has a file",
    "jaxviz/capture/jaxprs/listing.py": "the source text that is shown beside a program",
    "jaxviz/display/channel.py": "the only entrance for what pages send",
    "jaxviz/magics/objects.py": "how JAX's own objects are drawn, which is no magic",
    "jaxviz/ops/targets.py": "the table of custom calls, beside those of primitives",
    "js/src/hosts/catalogue.ts": "the language of pages without JupyterLab",
    "js/src/hosts/viewer/sources.ts": "the one file that may send a request",
    "js/src/hosts/widget.ts": "the entrance of anywidget's hosts",
    "js/src/shell/saved-files.ts": "loaded when something is saved",
    "js/src/stage/on-mesh.tsx": "loaded when a value on a mesh is selected",
    "js/src/words/margin-words.ts": "its importer needs JupyterLab, which tests of words lack",
    "js/src/words/params/about.ts": "sentences are in `words/`, its importer is in `panel/`",
}
"""Files that stay small, and why a reader looks for each by its name."""
ROOTS = ("jaxviz/", "js/src/")
EXEMPT = ("jaxviz/tools/", "js/src/tools/")
"""A tool is a folder with the same files as every other tool, however short."""
FULL = ("jaxviz/pages/",)
"""Folders that may have more files: one for each subject."""
SCRIPT_IMPORT = re.compile(r"(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']*)'")
SUFFIXES = ("", ".ts", ".tsx", "/index.ts", "/index.tsx")

Users = dict[str, set[str]]
"""Files by path, each with the files that import it."""


def complaints(root: Path, paths: list[Path], generated: set[Path]) -> list[str]:
    """The files and folders that break the two rules, as sentences."""
    sources = [
        path.as_posix()
        for path in paths
        if path.as_posix().startswith(ROOTS) and path.suffix in {".py", ".ts", ".tsx"}
    ]
    texts = {path: (root / path).read_text(encoding="utf-8") for path in sources}
    counted = [path for path in sources if Path(path) not in generated and not is_package(path)]
    return [*full(counted), *small({path: texts[path] for path in counted}, users(texts))]


def full(sources: list[str]) -> Iterator[str]:
    folders = Counter(posixpath.dirname(path) for path in sources if not path.startswith(FULL))
    for folder, count in sorted(folders.items()):
        if count > MOST_FILES:
            yield f"{folder}: {count} files, and {MOST_FILES} may be: merge or make a folder"


def small(texts: dict[str, str], users: Users) -> Iterator[str]:
    found = {
        path: next(iter(users[path]))
        for path, text in texts.items()
        if len(users[path]) == 1 and text.count("\n") < SHORTEST and not path.startswith(EXEMPT)
    }
    for path, user in found.items():
        if path not in SMALL:
            yield f"{path}: shorter than {SHORTEST} lines, and only {user} imports it: merge them"
    for path in sorted(SMALL.keys() - found.keys()):
        yield f"scripts/grain.py: {path} needs no reason any more"
    if len(SMALL) > MOST_SMALL:
        yield f"scripts/grain.py: {len(SMALL)} files in SMALL, and {MOST_SMALL} may be"


def users(texts: dict[str, str]) -> Users:
    """The importers of each file. A name imported from a package counts for the file that defines
    it."""
    modules = {module_of(path): path for path in texts if path.endswith(".py")}
    imports = {path: list(names_in(path, texts[path])) for path in modules.values()}
    exported = {
        (module_of(path), name): module
        for path, names in imports.items()
        if is_package(path)
        for module, name in names
    }
    found: Users = defaultdict(set)
    for path, names in imports.items():
        for module, name in names:
            target = f"{module}.{name}" if f"{module}.{name}" in modules else module
            for used in {target, exported.get((target, name), target)} & modules.keys():
                found[modules[used]].add(path)
    for path in texts.keys() - imports.keys():
        for target in scripts_in(path, texts):
            found[target].add(path)
    return defaultdict(set, {path: without_packages(path, found) for path in found})


def without_packages(path: str, found: Users) -> set[str]:
    """The importers of a file; those of its package if nothing else imports it."""
    modules = {user for user in found[path] if not is_package(user)}
    return modules or {user for package in found[path] for user in found.get(package, {package})}


def names_in(path: str, text: str) -> Iterator[tuple[str, str]]:
    """The pairs of module and name that a Python file imports; of `import a.b` the pair (a, b)."""
    package = module_of(path) if is_package(path) else module_of(path).rpartition(".")[0]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                module, _, name = alias.name.rpartition(".")
                yield module, name
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: package.count(".") + 2 - node.level]
            module = ".".join([*(above if node.level else []), *filter(None, [node.module])])
            yield from ((module, alias.name) for alias in node.names)


def scripts_in(path: str, texts: dict[str, str]) -> Iterator[str]:
    """The files that a TypeScript file imports."""
    for relative in SCRIPT_IMPORT.findall(texts[path]):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(path), relative))
        stem = target.removesuffix(".js")
        yield from (stem + suffix for suffix in SUFFIXES if stem + suffix in texts)


def module_of(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def is_package(path: str) -> bool:
    return path.endswith("__init__.py")
