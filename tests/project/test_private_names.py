"""The site's page for JAX's developers lists the private names of JAX that the code reads."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest
from planted import ROOT

from jaxviz.capture.failure import _raising
from jaxviz.pages import LANGUAGES

PRIVATE = re.compile(r"_[a-z]\w*[a-z]")
OTHERS = {"_flax_dataclass", "_listener", "_listener_by_callback", "_listeners", "_replace", "_src"}
"""A name of Flax, parts of names of listeners, a method of named tuples, and JAX's folder."""


def read_by_code() -> set[str]:
    """The private names of JAX that files of `capture/` read: from modules of `jax._src`
    (`mesh.thread_resources`), of JAX's objects, and of functions whose local variables are read."""
    files = (ROOT / "jaxviz/capture").rglob("_[a-z]*.py")
    trees = [ast.parse(file.read_text("utf-8")) for file in files if file.stem != "_raising"]
    modules = {name for tree in trees for name in of_modules(tree)}
    known = OTHERS | {name.partition(".")[2] for name in modules}
    return modules | {name for tree in trees for name in of_objects(tree)} - known


def of_modules(tree: ast.Module) -> Iterator[str]:
    found = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    known = {alias.name for node in found if node.module == "jax._src" for alias in node.names}
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module)) if module.startswith("jax._src."):
                yield from (f"{last(module)}.{alias.name}" for alias in node.names)
            case ast.Call(ast.Name("private"), [ast.Constant("jax._src"), ast.Constant(str(name))]):
                yield name
            case ast.Call(ast.Name("private"), [ast.Constant(str(module)), ast.Constant(name)]):
                yield f"{last(module)}.{name}"
            case ast.Attribute(ast.Name(module), name) if module in known:
                yield f"{module}.{name}"
            case ast.Call(ast.Name("getattr"), [ast.Name(module), ast.Constant(name), *_]):
                if module in known:
                    yield f"{module}.{name}"


def last(module: str) -> str:
    return module.rpartition(".")[2]


def of_objects(tree: ast.Module) -> Iterator[str]:
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("self" | "cls")):
                pass
            case ast.Attribute(attr=name) | ast.Constant(str(name)):
                if PRIVATE.fullmatch(name) and name not in own:
                    yield name


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_lists_what_the_code_reads(language: str) -> None:
    page = (ROOT / "site" / language / "develop" / "jax-developers.md").read_text("utf-8")
    rows = re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert sorted(listed) == sorted(read_by_code())
    assert f"**{len(listed)}**" in page
    raising = {
        name for value in vars(_raising).values() if isinstance(value, tuple) for name in value
    }
    assert f"**{len(raising)}**" in page
