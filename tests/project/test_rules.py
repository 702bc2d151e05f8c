"""`make check` bites: a fault of each kind is planted in a copy of this tree, and is found."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from planted import ROOT, WITH_TOOLS, only_python, planted, run

sys.path.append(str(ROOT / "scripts"))

import grain
import prose
import release
import rules
import subject

LONG = ["def long():", *["    print()"] * 60]
ALGORITHM = "    # Algorithm: first this, then that."


@pytest.fixture(autouse=True)
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tools of this checkout are found, wherever pytest was called from."""
    monkeypatch.setenv("PATH", WITH_TOOLS)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("js/src/stage/planted.tsx", "box.innerHTML = name;"),
        ("js/src/stage/planted.tsx", "return eval(source);"),
        ("js/src/hosts/planted.ts", "const answer = await fetch(url);"),
        ("js/style/planted.css", "src: url('https://fonts.example');"),
        ("js/src/facts/planted.ts", "const { num_carry } = eqn.params;"),
        ("jaxviz/analysis/planted.py", 'carried = eqn.params["num_carry"]'),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(path: str, line: str) -> None:
    assert rules.complaints(Path(path), ["", line])[0].startswith(f"{path}:2: ")
    assert rules.complaints(Path("tests", Path(path).name), ["", line]) == []


def test_the_viewer_alone_may_send_a_request() -> None:
    """`js/test/viewer.test.tsx` tests that it gets files of its own site alone."""
    may = Path("js/src/hosts/viewer/sources.ts")
    assert rules.complaints(may, ["const answer = await fetch(url);"]) == []
    assert rules.complaints(may.with_name("index.tsx"), ["fetch(url);"]) != []
    assert rules.complaints(may, ["box.innerHTML = name;"]) != []


def test_a_document_that_names_a_file_that_is_gone_is_found() -> None:
    lines = ["`tracing/trace.py` traces;", "`trace.py` too, `race.py` and `gone/trace.py` do not."]
    assert rules.strangers(Path("A.md"), lines, [Path("jaxviz/capture/tracing/trace.py")]) == [
        "A.md:2: there is no file race.py",
        "A.md:2: there is no file gone/trace.py",
    ]


@pytest.mark.parametrize(
    ("path", "line", "said"),
    [
        ("a.py", '"""What a cell took."""', ["begins with “What”"]),
        ("a.py", '    """Whether it did,', ["begins with “Whether”"]),
        ("a.py", '"""Whatever it is."""', []),
        ("a.py", '"""Returns the cell\'s time: Of itself."""', []),
        ("a.py", "told = mend  # told by JAX", ["“told”"]),
        ("a.py", 'x = f"a mend of {told}"', ["“mend”"]),
        ("a.py", 'x = {"told": "mended"}', []),
        ("a.py", "# the field `told`, recommended", []),
        ("a.ts", "/** How wide a box is. */", ["begins with “How”"]),
        ("a.ts", "const told = 1; // so many boxes", ["“so many”"]),
        ("a.tsx", "const text = `the cell ${told}, by which`;", ["“by which”"]),
        ("A.md", "Likewise told.", ["“Likewise”", "“told”"]),
        ("A.md", "See `program.told`.", []),
        ("a.json", '{"a": "is told so"}', None),
        ("tests/golden/a.md", "Likewise told.", None),
    ],
)
def test_prose_that_is_read_twice_is_found(path: str, line: str, said: list[str] | None) -> None:
    assert prose.is_read(Path(path)) is (said is not None)
    found = [] if said is None else prose.places(Path(path), "\n\n" + line)
    assert [*found] == [(3, why) for why in said or []]


def test_a_place_after_code_has_its_line() -> None:
    text = "# A page\n\n```python\ntold = 1\n```\n\nIt is told.\n"
    assert [*prose.places(Path("a.md"), text)] == [(7, "“told”")]


def test_a_folder_may_not_gain_such_prose(tmp_path: Path) -> None:
    planted(tmp_path, {"new/a.py": '"""What it is."""\n', "new/b.py": '"""Says why."""\n'})
    (said,) = prose.complaints(tmp_path, [Path("new/a.py"), Path("new/b.py")])
    assert said.startswith("new: 1 places break the rules of prose, and 0 may: ")


@pytest.fixture
def sources(tmp_path: Path) -> Callable[[dict[str, str]], list[str]]:
    """Writes files, and gives the complaints about their grain."""

    def written(texts: dict[str, str]) -> list[str]:
        for path, text in texts.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text, "utf-8")
        return grain.complaints(tmp_path, [Path(path) for path in texts], set())

    return written


def about(complaints: list[str]) -> list[str]:
    return [one.partition(":")[0] for one in complaints if not one.startswith("scripts/grain.py")]


def test_a_short_file_with_one_importer_is_found(
    sources: Callable[[dict[str, str]], list[str]],
) -> None:
    texts = {
        "jaxviz/main.py": "import jaxviz.parts.own\nfrom .parts import shared\nfrom . import near",
        "jaxviz/other.py": "from .parts import shared",
        "jaxviz/near.py": "",
        "jaxviz/parts/__init__.py": "from jaxviz.parts.defines import shared",
        "jaxviz/parts/defines.py": "shared = 1",
        "jaxviz/parts/own.py": "\n" * 119,
        "jaxviz/parts/long.py": "\n" * 120,
        "jaxviz/parts/unused.py": "from jaxviz.parts import long",
        "jaxviz/tools/short.py": "",
        "jaxviz/tools/user.py": "from jaxviz.tools import short",
        "js/src/main.ts": "import { a } from './a';\nconst later = () => import('./later');",
        "js/src/other.tsx": "export { a } from './a';",
        "js/src/a.ts": "",
        "js/src/later.tsx": "",
    }
    assert about(sources(texts)) == ["jaxviz/near.py", "jaxviz/parts/own.py", "js/src/later.tsx"]


def test_a_full_folder_is_found(sources: Callable[[dict[str, str]], list[str]]) -> None:
    files = {f"{folder}/m{n}.py": "" for folder in ("jaxviz/a", "jaxviz/pages") for n in range(12)}
    assert about(sources({**files, "jaxviz/a/__init__.py": ""})) == []
    more = {"jaxviz/a/more.py": "", "jaxviz/pages/more.py": ""}
    assert about(sources({**files, **more})) == ["jaxviz/a"]


def test_a_file_that_has_grown_needs_no_reason(
    sources: Callable[[dict[str, str]], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"jaxviz/user.py": "from jaxviz import a, b", "jaxviz/a.py": "", "jaxviz/b.py": ""}
    monkeypatch.setattr(grain, "SMALL", {"jaxviz/a.py": "is looked for", "jaxviz/user.py": "was"})
    [short, needless] = sources(texts)
    assert short.startswith("jaxviz/b.py: shorter than 120 lines, and only jaxviz/user.py imports")
    assert needless == "scripts/grain.py: jaxviz/user.py needs no reason any more"


def test_what_is_too_long_is_found() -> None:
    within = [f"    {line}" for line in LONG]
    for path, lines, places in (
        ("jaxviz/long.py", [""] * 501, ["jaxviz/long.py"]),
        ("jaxviz/fits.py", [""] * 500, []),
        ("js/src/long.ts", [""] * 501, ["js/src/long.ts"]),
        ("js/src/schema.ts", [""] * 501, []),  # generated
        ("fitting.py", ["def fitting():", '    """Says', '    why."""', *LONG[2:]], []),
        ("algorithm.py", ["def scan():", '    """Says."""', ALGORITHM, *LONG[1:]], []),
        ("algorithms.py", ["def scan():", ALGORITHM, *LONG[1:], *LONG[1:]], ["algorithms.py:1"]),
        ("two.py", [*LONG, "class A:", *within], ["two.py:1", "two.py:63"]),
        ("waits.py", [f"async {LONG[0]}", *LONG[1:]], ["waits.py:1"]),
    ):
        said = rules.complaints(Path(path), lines)
        assert [one.partition(": ")[0] for one in said] == places


def test_long_functions_of_typescript_are_found_and_components_too(tmp_path: Path) -> None:
    lines = "  box();\n" * 59
    files = {
        "js/src/fits.ts": f"export const fits = () => {{\n{lines[9:]}}};\n",
        "js/src/long.ts": f"function first() {{\n{lines}}}\nconst second = () => {{\n{lines}}};\n",
        "js/src/steps.ts": f"function steps() {{\n  // Algorithm: this, that.\n{lines}}}\n",
        "js/src/box.tsx": "function Box() {\n  return (" + "<b>\n" * 59 + "</b>" * 59 + ");\n}\n",
        "js/test/long.test.ts": f"function cases() {{\n{lines}}}\n",
        "package.json": '{"type": "module"}',
    }
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    said = run(planted(tmp_path, files), "node", "scripts/functions.mjs").splitlines()
    assert sorted(one.partition(": ")[0] for one in said) == [
        "js/src/box.tsx:1", "js/src/long.ts:1", "js/src/long.ts:62"
    ]  # fmt: skip


def test_typescript_that_imports_in_a_circle_is_found_and_types_too(tmp_path: Path) -> None:
    files = {
        "js/src/a.ts": "import type { B } from './b';\n\nexport type A = B;\n",
        "js/src/b.ts": "import type { A } from './c';\n\nexport type B = A[];\n",
        "js/src/c.ts": "export type { A } from './a';\n",
        "js/src/alone.ts": "import type { A } from './a';\n\nexport type C = A;\n",
        "biome.json": (ROOT / "biome.json").read_text(),
    }
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    said = run(planted(tmp_path, files), "biome", "lint", ".")
    assert {*re.findall(r"(\S+):\d+:\d+ lint/suspicious/noImportCycles", said)} == {
        "js/src/a.ts", "js/src/b.ts", "js/src/c.ts"
    }  # fmt: skip


def test_python_that_imports_up_or_in_a_circle_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "jaxviz", tmp_path / "jaxviz", ignore=only_python)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    files = {
        "jaxviz/analysis/up.py": "def up():\n    from jaxviz.program import Program\n",
        "jaxviz/analysis/array.py": "import jax\n",
        "jaxviz/session/widget.py": "import anywidget\n",
        "jaxviz/schema/circle.py": "from jaxviz.schema import other\n",
        "jaxviz/schema/other.py": "TYPE_CHECKING = False\n"
        "if TYPE_CHECKING:\n    from jaxviz.schema import circle\n",
    }
    said = run(planted(tmp_path, files), "lint-imports", "--no-cache")
    assert said.count("BROKEN") == 4
    for fault in ("jaxviz.analysis.up ->", "jaxviz.analysis.array ->", "widget -> anywidget",
                  "No cycles are allowed in jaxviz.schema"):  # fmt: skip
        assert fault in said


@pytest.mark.parametrize(
    ("message", "faults"),
    [
        ("log: draw the end of a cell\n\nIt was nowhere to be seen.\n", 0),
        ("log: " + "x" * 55, 0),
        ("log: " + "x" * 56, 1),
        ("js/src/log: draw the end\nand its body at once", 1),
        ("# Please enter the commit message", 1),
        ("log: draw the end\n# Please enter the commit message", 0),
        ("The picture of a log says when it ended", 1),
        ("log: The end is drawn", 1),
    ],
)
def test_a_commit_has_a_short_subject_with_place_and_verb(
    tmp_path: Path, message: str, faults: int
) -> None:
    assert len([*subject.faults(message)]) == faults
    planted(tmp_path, {"message": message})
    assert subject.main(str(tmp_path / "message")) == min(faults, 1)


def test_what_nobody_uses_is_found(tmp_path: Path) -> None:
    files = {
        "jaxviz/planted.py": "def used():\n    return 1\n\n\ndef unused():\n    return used()\n",
        "scripts/planted.py": "",
        "js/src/hosts/widget.ts": "import { used } from './used';\n\nused();\n",
        "js/src/hosts/used.ts": "export const used = () => 1;\nexport const unused = () => 2;\n",
        "js/src/hosts/alone.ts": "export {};\n",
    }
    planted(tmp_path, files)
    for name in ("pyproject.toml", "knip.json", "package.json"):
        shutil.copy(ROOT / name, tmp_path)
    assert "unused function 'unused'" in run(tmp_path, "vulture", returns=3)
    said = run(tmp_path, "knip")
    assert "unused" in said
    assert "js/src/hosts/alone.ts" in said


def test_a_test_of_wrong_types_is_found(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    planted(tmp_path, {"tests/test_planted.py": "assert len(3)\n"})
    assert "reportArgumentType" in run(tmp_path, "pyright", "tests/test_planted.py")


WORKFLOW = """name: planted
on: pull_request
permissions: {}
jobs:
  one:
    runs-on: ubuntu-24.04
    steps:
      - uses: actions/checkout@v7
      - run: echo ${{ github.event.pull_request.title }}
"""


def test_a_workflow_that_runs_strangers_code_is_found(tmp_path: Path) -> None:
    path = ".github/workflows/planted.yml"
    said = run(planted(tmp_path, {path: WORKFLOW}), "zizmor", "--offline", ".", returns=14)
    for fault in ("template-injection", "unpinned-uses", "artipacked"):
        assert fault in said
    planted(tmp_path, {path: WORKFLOW.replace("runs-on", "runs_on")})
    run(tmp_path, "check-jsonschema", "--builtin-schema", "vendor.github-workflows", path)


def test_a_release_writes_its_version_everywhere(tmp_path: Path) -> None:
    for path in ["CHANGELOG.md", *release.COPIES]:
        planted(tmp_path, {path: (ROOT / path).read_text(encoding="utf-8")})
    assert [*release.strangers(tmp_path)] == []
    (said,) = release.release(tmp_path, "12.3.4", "2031-01-02")
    assert said.startswith('package.json has no "homepage"')
    package = json.loads((tmp_path / "package.json").read_text(encoding="utf-8"))
    package |= {"homepage": "https://jaxviz.example/", "repository": {"url": "git@f.example:j.git"}}
    planted(tmp_path, {"package.json": json.dumps(package, indent=2)})
    (said,) = release.release(tmp_path, "12.3.4", "2031-01-02")
    assert "which no browser opens" in said
    package |= {"repository": {"url": "https://f.example/j"}}
    planted(tmp_path, {"package.json": json.dumps(package, indent=2)})
    assert [*release.release(tmp_path, "12.3.4", "2031-01-02")] == []
    assert [*release.strangers(tmp_path, "12.3.4")] == []
    changes = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "## Unreleased\n\n## 12.3.4 (2031-01-02)\n" in changes
    lock = (tmp_path / "package-lock.json").read_text(encoding="utf-8")
    assert lock.count('"version": "12.3.4"') == 2


@pytest.mark.parametrize("path", release.COPIES)
def test_a_version_that_differs_is_named(tmp_path: Path, path: str) -> None:
    for copy in release.COPIES:
        planted(tmp_path, {copy: (ROOT / copy).read_text(encoding="utf-8")})
    text = (tmp_path / path).read_text(encoding="utf-8")
    (found, *_) = release.copies(path, text)
    planted(tmp_path, {path: text[: found.start(1)] + "9.9.9" + text[found.end(1) :]})
    assert any("9.9.9" in fault for fault in release.strangers(tmp_path))


def test_a_public_function_needs_a_docstring_in_numpy_s_form(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    source = 'def bare():\n    return 1\n\n\ndef told():\n    """Returns one\n    of them."""\n'
    for path in ("jaxviz/watch.py", "jaxviz/inner.py"):
        planted(tmp_path, {path: f'"""A module."""\n\n\n{source}'})
    said = run(tmp_path, "ruff", "check", "--no-cache", "--output-format", "concise", ".")
    assert {line.split()[1] for line in said.splitlines() if "watch.py" in line} == {
        "D103", "D205", "D209", "D401"
    }  # fmt: skip
    assert "inner.py" not in said
