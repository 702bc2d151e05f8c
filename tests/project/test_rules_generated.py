"""`make check` bites: generated files, layers, types and the schemas of others."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from planted import ROOT, planted, run

pytestmark = pytest.mark.slow

COPIED = (
    "jaxviz", "js/src", "js/style", "jupyterlab_jaxviz", "package.json", "schema", "scripts",
    "tests/formats",
)  # fmt: skip
GENERATORS = {
    "python scripts/schema.py": ["js/src/schema.ts"],
    "python scripts/ops.py": [
        "js/src/ops.ts",
        "js/src/words/params/op-words.ts",
    ],
    "python scripts/sentences.py": ["js/src/sentences.ts"],
    "python scripts/proto.py": ["jaxviz/capture/stages/hlo/descriptor.py"],
    "node scripts/colours.mjs": ["js/src/picture/colours.ts"],
}
KOREAN = "jupyterlab_jaxviz/locale/ko_KR/LC_MESSAGES/jupyterlab_jaxviz.json"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what files are generated from, and of these."""
    built = shutil.ignore_patterns("static", "labextension", "__pycache__")
    for path in COPIED:
        if (ROOT / path).is_dir():
            shutil.copytree(ROOT / path, tmp_path / path, ignore=built)
        else:
            shutil.copy(ROOT / path, tmp_path / path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    return tmp_path


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_generated_file_that_was_edited_is_found(tree: Path, generator: str) -> None:
    run(tree, *generator.split(), "--check", returns=0)
    for path in GENERATORS[generator]:
        text = (tree / path).read_text(encoding="utf-8")
        planted(tree, {path: f"{text}\n"})
        assert Path(path).name in run(tree, *generator.split(), "--check")
        planted(tree, {path: text})


def test_records_that_differ_from_the_released_ones_are_found(tree: Path) -> None:
    check = ("python", "scripts/formats.py", "--check")
    run(tree, *check, returns=0)
    text = (tree / "js/src/schema.ts").read_text(encoding="utf-8")
    (line,) = [line for line in text.splitlines() if line.startswith("  Leaf: {")]
    planted(tree, {"js/src/schema.ts": text.replace(line, line.replace("STRING", "INTEGER"))})
    said = run(tree, *check)
    assert "Leaf.path" in said or "VERSION" in said  # before and after the number was raised


def test_a_text_without_a_translation_is_found(tree: Path) -> None:
    check = ("node", "scripts/language.mjs", "--check")
    run(tree, *check, returns=0)
    wrapped = "const text = __('Planted here');\n"
    marked = "const TEXTS = N_('Known', 'Planted here');\n"
    bare = "const Box = () => <b>Planted here</b>;\n"
    for text in (wrapped, marked, bare):
        planted(tree, {"js/src/stage/planted.tsx": text})
        assert "Planted here" in run(tree, *check)


def test_layers_and_format_of_typescript_are_held(tmp_path: Path) -> None:
    shutil.copy(ROOT / "biome.json", tmp_path)
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    fine = "import { now } from '../stage/now';\n\nexport const later = now;\n"
    for path, fault in (
        ("js/src/facts/up.ts", "noRestrictedImports"),
        ("js/src/hosts/down.ts", ""),
    ):
        planted(tmp_path, {path: fine})
        assert fault in run(tmp_path, "biome", "check", path, returns=1 if fault else 0)
    planted(tmp_path, {"js/src/hosts/wide.ts": "export const  later = 1;\n"})
    assert "format" in run(tmp_path, "biome", "check", "js/src/hosts/wide.ts")


@pytest.mark.parametrize("folder", ["js", "ui-tests"])
def test_typescript_of_wrong_types_is_found(tmp_path: Path, folder: str) -> None:
    path = {"js": "js/src/planted.ts", "ui-tests": "ui-tests/tests/planted.ts"}[folder]
    planted(tmp_path, {path: "export const one: number = 'one';\n"})
    shutil.copy(ROOT / folder / "tsconfig.json", tmp_path / folder)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    assert "TS2322" in run(tmp_path, "tsc", "-p", folder, "--noEmit", returns=2)


def test_format_and_private_names_of_jax_are_held(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    private = "from jax._src import core\n\nprint(core)\n"
    files = {"jaxviz/capture/_jax.py": private, "jaxviz/capture/tracing/trace.py": private}
    planted(tmp_path, files)
    said = run(tmp_path, "ruff", "check", "--no-cache", "--output-format", "concise", ".")
    assert [line.split(":")[0] for line in said.splitlines() if "TID251" in line] == [
        "jaxviz/capture/tracing/trace.py"
    ]
    run(tmp_path, "ruff", "format", "--no-cache", "--check", ".", returns=0)
    planted(tmp_path, {"jaxviz/wide.py": "one = [ 1 ]\n"})
    assert "jaxviz/wide.py" in run(tmp_path, "ruff", "format", "--no-cache", "--check", ".")


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        ("vendor.dependabot", "version: 3\nupdates: []\n"),
        ("vendor.github-issue-forms", "name: Planted\ndescription: without a body\n"),
        ("vendor.github-issue-config", "blank_issues_enabled: perhaps\n"),
        ("vendor.citation-file-format", "cff-version: 1.2.0\ntitle: without authors\n"),
    ],
)
def test_a_file_of_the_forge_that_breaks_its_schema_is_found(
    tmp_path: Path, schema: str, text: str
) -> None:
    planted(tmp_path, {"planted.yml": text})
    run(tmp_path, "check-jsonschema", "--builtin-schema", schema, "planted.yml")
