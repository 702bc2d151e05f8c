"""A program as Graphviz reads it (DOT)."""

from __future__ import annotations

import re
import shutil
import warnings
from pathlib import Path
from subprocess import CompletedProcess
from tempfile import TemporaryFile
from xml.etree import ElementTree

import msgspec
import pytest
from golden_jax import Golden
from hypothesis import given, settings
from patience import completed
from samples import ANY_TEXT, HOSTILE, PROGRAMS, eqn, graph, group, load, program
from svg import SVG

import jaxviz
from jaxviz.picture.draw import dot

HERE = Path(__file__).parents[1]
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
STATEMENT = re.compile(
    r"(?:di|sub)graph \w+ \{|\}|label=(?:\w+|\"\")"
    r"|(?:graph|node|edge|g\d+_(?:in|const|eqn|out)\d+)(?: -> g\d+_\w+)? \[.*\]"
)


def skeleton(source: str) -> list[str]:
    """The statements with every quoted string emptied: what no name may change."""
    return [line.strip() for line in QUOTED.sub('""', source).splitlines()]


def check(source: str) -> str:
    for line in skeleton(source):
        assert STATEMENT.fullmatch(line), line
    return source


@pytest.mark.parametrize("name", ["cond_two", "shared_jit"])
def test_golden(name: str, golden: Golden) -> None:
    written = dot(load(HERE / "golden" / f"{name}.json"))
    assert written == golden(HERE / "pictures" / f"{name}.dot", written)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_every_eqn_is_one_node(path: Path) -> None:
    record = load(path)
    nodes = re.findall(r"^\t+(g\d+_eqn\d+) \[", check(dot(record)), re.MULTILINE)
    eqns = [e for one in record.stages[0].graphs for e in one.eqns]
    assert len(nodes) == len(set(nodes)) == len(eqns)


def test_it_is_saved(tmp_path: Path) -> None:
    saved = jaxviz.load(HERE / "golden" / "lesson.json")
    saved.save(tmp_path / "p.dot")
    assert (tmp_path / "p.dot").read_text(encoding="utf-8") == dot(saved.record)


@settings(max_examples=100)
@given(ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_no_name_is_more_than_a_label(op: str, path: str, name: str) -> None:
    def written(op: str, path: str, name: str) -> str:
        held = graph([eqn(op, [0], [1])], [name, op], 1, paths=[path or "x"])
        held = msgspec.structs.replace(held, groups=[group(name, 0, 1)], results=[path])
        return dot(program([eqn(op, [0], [1], [1])], [path, op], 1, name=name, bodies=[held]))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(written(op, path, name)).encode()
    counts = [len(skeleton(written(*texts))) for texts in ((op, path, name), ("a", "b", "c"))]
    assert counts[0] == counts[1]


def test_a_body_held_by_many_is_drawn_once() -> None:
    bodies = [graph([eqn("jit", [0], [1], [i + 2])] * 2, ["a", "b"], 1) for i in range(30)]
    bodies.append(graph([eqn("sin", [0], [1])], ["a", "b"], 1))
    source = check(dot(program([eqn("jit", [0], [1], [1])], ["a", "b"], 1, bodies=bodies)))
    assert source.count("subgraph cluster_") == 31
    assert source.count("lhead=cluster_31") == 2


def test_of_a_large_program_the_outermost_is_drawn() -> None:
    eqns = [eqn(HOSTILE, [i], [i + 1]) for i in range(5_000)]
    source = check(dot(program(eqns, [f"v{i}" for i in range(5_001)], 1)))
    assert "5,000 eqns, too many to draw: these are the outermost 499" in source
    assert source.count("\tg0_eqn498 [") == 1
    assert "_eqn499" not in source


def test_of_a_deep_program_the_outermost_is_drawn() -> None:
    bodies = [graph([eqn("jit", [0], [1], [i + 2])], ["a", "b"], 1) for i in range(1_000)]
    bodies.append(graph([eqn("sin", [0], [1])], ["a", "b"], 1))
    source = check(dot(program([eqn("jit", [0], [1], [1])], ["a", "b"], 1, bodies=bodies)))
    assert "1,002 eqns, too many to draw: these are the outermost 41" in source


def test_no_graph_is_refused() -> None:
    record = msgspec.structs.replace(program([], ["x"], 1), stages=[])
    with pytest.raises(ValueError, match="no graph to draw of 'f'"):
        dot(record)


@pytest.mark.parametrize("name", ["hostile", "train_step", "identity", "shared_jit"])
def test_graphviz_draws_it(name: str) -> None:
    root = ElementTree.fromstring(rendered(dot(load(HERE / "golden" / f"{name}.json"))))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


@pytest.mark.parametrize("text", ["&lt;b&gt; &amp;", r"\N \G \l \" \\", "<b>x</b>", '"; x -> y;'])
def test_graphviz_shows_a_name_as_it_is(text: str) -> None:
    root = ElementTree.fromstring(rendered(dot(program([eqn(text, [0], [1])], ["a", "b"], 1))))
    shown = [("".join(found.itertext())).replace("\xa0", " ") for found in root.iter(f"{SVG}text")]
    assert text in shown


def test_a_saved_file_is_drawn_as_the_docs_say(tmp_path: Path) -> None:
    if "draws SVG alone" in run_dot("-Tpdf", "digraph {}").stderr:
        pytest.skip("this `dot` is Graphviz as WebAssembly, which draws SVG alone")
    jaxviz.load(HERE / "golden" / "lesson.json").save(tmp_path / "p.dot")
    assert completed(["dot", "-Tpdf", "p.dot", "-o", "p.pdf"], cwd=tmp_path).returncode == 0
    assert (tmp_path / "p.pdf").read_bytes().startswith(b"%PDF-")


def rendered(source: str) -> str:
    ran = run_dot("-Tsvg", source)
    assert ran.returncode == 0
    assert ran.stderr == ""
    return ran.stdout


def run_dot(form: str, source: str) -> CompletedProcess[str]:
    assert shutil.which("dot"), "Graphviz's `dot` is not installed: `make test` brings it"
    with TemporaryFile("w+", encoding="utf-8") as file:
        file.write(source)
        file.seek(0)
        return completed(["dot", form], stdin=file)
