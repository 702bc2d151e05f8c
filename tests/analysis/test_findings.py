"""Findings: what is said of programs with a fault, and that nothing is said of near misses."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from msgspec.structs import replace
from shells import Run, shell_fixture
from truth.findings import Case, array, cases, expected, kind_and_level
from truth.findings.residual import FOUND as KEPT
from truth.libraries import programs

import jaxviz
from jaxviz.analysis.findings import KINDS, PYTHON_LOOP, RETRACES, indexed_program
from jaxviz.analysis.findings.indexed_program import Draft, IndexedProgram
from jaxviz.display.fit import reductions
from jaxviz.display.wire import decode, encode
from jaxviz.pages import page
from jaxviz.schema import MIME, literal
from jaxviz.schema.check import first_fault
from jaxviz.schema.smaller import Keep, smaller
from jaxviz.sentences import SENTENCES, part_names, sentence

CODE = re.compile(r"^```python\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
ON_DEVICES = {"collective", "reshard", "replicated", "indivisible"}
"""Kinds whose programs need several devices: they run in a process of their own."""


def found(one: Case) -> list[jaxviz.Finding]:
    one.trace_with_flag()
    program = jaxviz.inspect(one.fun)(*one.args)
    for stage in one.stages:
        assert program.stage(stage).error is None
    return program.findings


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")  # float64, as it is meant
@pytest.mark.parametrize("name", cases())
def test_a_program_has_the_findings_that_its_comments_say(name: str) -> None:
    one = cases()[name]
    findings = found(one)
    told = [(kind_and_level(each), each.at.line if each.at else 0) for each in findings]
    assert sorted(told) == expected(one), findings
    for said in (said for each in findings for said in (each.what, each.cost, each.fix)):
        names = part_names(SENTENCES[said.key])
        assert sentence(said.key, **dict(zip(names, said.parts, strict=True))) == said
        assert all(said.parts)


@pytest.mark.parametrize("one", KEPT, ids=lambda one: one.name)
def test_what_is_kept_for_the_backward_pass_can_be_saved(one: Case) -> None:
    def temporaries(**around: Any) -> int:
        memory = jaxviz.inspect(partial(one.fun, **around))(*one.args).stage("hlo").memory
        assert memory is not None
        return memory.temporaries or 0

    [told] = found(one)
    assert told.kind == "residual"
    assert 0 < (told.bytes or 0) <= temporaries() - temporaries(around=jax.checkpoint)


shell = shell_fixture("", "function")
IN_LOGS = [*RETRACES.values(), PYTHON_LOOP]


@pytest.mark.parametrize("kind", [*(one for one in KINDS if one not in ON_DEVICES), *IN_LOGS])
@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
def test_the_page_of_a_kind_has_it_first_and_then_fixes_it(
    shell: InteractiveShell, kind: str
) -> None:
    first, *mended = CODE.findall(page(kind).en)
    of = "log" if kind in IN_LOGS else "program"
    error = Run(shell, first).result.error_in_exec
    assert isinstance(error, AssertionError)
    told = error if isinstance(error, jaxviz.FindingsError) else shell.user_ns[of]
    assert [one.kind for one in told.findings] == [kind]
    assert mended
    for code in mended:
        Run(shell, code).result.raise_error()


@pytest.mark.slow
def test_compiled_programs_of_libraries_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The programs are small, so the limit is 1 KiB here."""
    monkeypatch.setattr(sys.modules[KINDS["blowup"].__module__], "LEAST_BLOW_UP_BYTES", 1 << 10)
    told = {}
    for name, make in programs().items():
        fun, args = make()
        program = jaxviz.inspect(fun)(*args)
        assert program.stage("hlo").error is None, name
        told[name] = program.findings
    assert {name: found for name, found in told.items() if found} == {}


def test_the_documentation_has_a_row_for_each_kind() -> None:
    page = (Path(__file__).parents[2] / "docs/finding.md").read_text("utf-8")
    first_cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    documented = {kind for cell in first_cells for kind in re.findall(r"`([\w-]+)`", cell)}
    assert {*KINDS, *RETRACES.values()} <= documented


def test_rows_that_a_loop_takes_are_eqns_of_its_iterations() -> None:
    def f(xs, x):
        for row in xs:
            x = jnp.tanh(x + row)
            x = x * 2
        return x

    program = jaxviz.inspect(f)(jnp.ones((20, 4)), jnp.ones(4))
    [one] = program.findings
    each = len(program.stage("jaxpr").graphs[0].eqns) // 20
    assert one.what.text.endswith(f"JAX recorded {each} eqns for each")


def test_a_kind_that_fails_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(indexed: IndexedProgram) -> list[Draft]:
        raise RuntimeError

    monkeypatch.setitem(KINDS, "upcast", broken)
    one = cases()["upcast.numpy_scalar"]
    assert found(one) == []


def broken_after(first: Draft) -> Iterator[Draft]:
    yield first
    raise RuntimeError


@pytest.mark.parametrize("kind", [*KINDS])
def test_a_failure_hides_no_other_finding(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of a kind stays, with those of all other kinds."""
    one = cases()["upcast.wide_scale"]
    [upcast] = jaxviz.inspect(one.fun)(*one.args).findings
    first = Draft(upcast.what, upcast.cost, upcast.fix)
    monkeypatch.setitem(KINDS, kind, lambda _: broken_after(first))
    kinds = [found.kind for found in jaxviz.inspect(one.fun)(*one.args).findings]
    assert kinds == [name for name in KINDS if name in ("upcast", kind)]


@pytest.mark.parametrize("step", ["is_ignored", "page", "sentence"])
def test_a_finding_that_cannot_be_made_hides_no_other(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(kind: str, *_: object) -> bool:
        if kind.startswith("upcast"):
            raise RuntimeError
        return False

    one = cases()["upcast.wide_scale"]
    other = Draft(literal("it is so"), literal("a lot"), literal("do not"))
    monkeypatch.setitem(KINDS, "unused", lambda _: [other])
    if step == "is_ignored":
        monkeypatch.setattr("jaxviz.analysis.findings.is_ignored", failing)
    else:
        known = getattr(indexed_program, step)
        monkeypatch.setattr(indexed_program, step, lambda key: failing(key) or known(key))
    found = jaxviz.inspect(one.fun)(*one.args).findings
    assert [one.what.text for one in found if one.kind == "unused"] == ["it is so"]


@pytest.mark.filterwarnings("ignore:Explicitly requested dtype")
def test_a_finding_is_a_few_lines() -> None:
    for name, one in cases().items():
        for found in jaxviz.inspect(one.fun)(*one.args).findings:
            for text in (repr(found), str(found)):
                assert len(text) < 700, name
                assert len(text.splitlines()) == 3
                assert all(
                    str(part) in text for part in (found.kind, found.what, found.cost, found.fix)
                )
                assert "##" not in text
            assert len(repr(found.page)) < 100


def test_they_are_an_output_of_their_own() -> None:
    """A cell that ends with `program.findings` shows a list, not the whole program."""
    one = cases()["upcast.wide_scale"]
    findings = jaxviz.inspect(one.fun)(*one.args).findings
    data = findings._repr_mimebundle_()
    shown = data[MIME]
    alone = decode(b64decode(shown["program"]))
    assert first_fault(alone) is None
    assert alone.findings == [replace(finding, eqns=[]) for finding in findings]
    assert shown["report"] == {"tool": "findings"}
    assert len(json.dumps(data)) < 10_000
    assert data["text/plain"] == str(findings)
    assert str(findings).splitlines()[:2] == ["1 finding", ""]
    assert str(jaxviz.inspect(jnp.sin)(1.0).findings) == "0 findings"
    assert {*findings._repr_mimebundle_(include={"text/plain"})} == {"text/plain"}


def test_they_travel_with_a_program(tmp_path: Path) -> None:
    one = cases()["upcast.wide_scale"]
    program = jaxviz.inspect(one.fun)(*one.args)
    program.save(tmp_path / "it.json")
    again = jaxviz.load(tmp_path / "it.json")
    assert again == program
    assert again.findings == program.findings != []
    assert decode(encode(program.record)).findings == program.findings
    [told] = program.findings
    text = " ".join(str(program).split())
    assert all(str(part) in text for part in (told.what, told.cost, told.fix))


def test_an_overview_does_not_point_at_eqns_that_it_lacks() -> None:
    def f(x):
        for _ in range(3000):  # jaxviz: ignore unrolled
            x = jnp.sin(x) + jnp.cos(x)
        return x * np.float32(2)

    record = jaxviz.inspect(f)(array("bfloat16", 1024, 1024)).record
    whole = encode(record)
    for saved in [decode(data) for _, data in reductions(record, whole, "jaxpr")]:
        [one] = saved.findings
        last = sum(len(graph.eqns) for graph in saved.stages[0].graphs)
        ops = [eqn.op for graph in saved.stages[0].graphs for eqn in graph.eqns]
        assert all(number < last for number in one.eqns)
        assert {ops[number] for number in one.eqns} <= {"convert_element_type"}


def test_without_its_jaxpr_a_program_has_findings_that_name_no_eqns() -> None:
    one = cases()["upcast.wide_scale"]
    program = jaxviz.inspect(one.fun)(*one.args)
    program.stage("hlo")
    record = replace(program.record, findings=program.findings)
    [found] = record.findings
    assert found.eqns
    for without in ((), ("Stage.text",), ("Eqn.bodies",)):
        keep = Keep(stages=("hlo",), without=without)
        assert smaller(record, keep).findings == [replace(found, eqns=[])]


def test_values_that_come_from_other_devices() -> None:
    """In a process of its own, which has 8 of them; the page of this kind among them."""
    script = Path(__file__).parents[1] / "truth" / "findings_on_devices.py"
    run = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    programs = json.loads(run.stdout)
    assert len(programs) > 20
    for name, (told, meant) in programs.items():
        assert told == meant, name
