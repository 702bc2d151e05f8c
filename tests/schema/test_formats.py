"""Files that earlier versions of jaxviz saved can be read: there is one of every format."""

from __future__ import annotations

import importlib
import json
import re
import zlib
from base64 import b64decode
from pathlib import Path
from typing import Any

import msgspec
import pytest
import samples
from msgspec.structs import replace

import jaxviz
from jaxviz import schema
from jaxviz.display import decode
from jaxviz.schema.upgrade import ADDED, missing, read, roles_of, rule_of

FORMATS = sorted((Path(__file__).parents[1] / "formats").iterdir())
PROGRAMS = [path for folder in FORMATS for path in sorted(folder.glob("*.json"))]
PROGRAMS = [path for path in PROGRAMS if path.stem != "records"]
FOLLOWING = {"Eqn.roles", "Eqn.attributes"}
"""Fields that `jaxviz.schema.upgrade.complete` makes of others."""


def outputs(folder: Path, mime: str) -> list[Any]:
    """The data of a notebook's outputs of one MIME type."""
    cells = json.loads((folder / "notebook.ipynb").read_text())["cells"]
    found = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    return [data[mime] for data in found if mime in data]


def named(path: Path) -> str:
    return f"{path.parent.name}-{path.stem}"


@pytest.mark.parametrize("path", PROGRAMS, ids=named)
def test_a_saved_program_opens_with_all_that_was_saved(path: Path) -> None:
    saved = json.loads(path.read_bytes())
    program = jaxviz.load(path)
    found = json.loads(msgspec.json.encode(program.record))
    assert found.pop("version") == schema.VERSION
    version = saved.pop("version")
    assert version == int(path.parent.name)
    assert without(found, "Program", {*missing(version)}) == unsaid(saved)
    assert str(program).startswith(program.name + "(") or program.record.compared is not None
    assert schema.MIME in program._repr_mimebundle_()


def unsaid(data: Any) -> Any:
    """The JSON without the params that `Eqn.roles` stands for."""
    if isinstance(data, list):
        counts = {"num_consts", "num_carry", "cond_nconsts", "body_nconsts"}
        return [
            unsaid(one)
            for one in data
            if not isinstance(one, dict) or one.get("name") not in counts
        ]
    return {key: unsaid(one) for key, one in data.items()} if isinstance(data, dict) else data


def without(data: Any, name: str, fields: set[str]) -> Any:
    """A record's JSON without these fields, each checked to have the value that the table says, but
    for what follows from other fields."""
    if isinstance(data, list):
        return [without(one, name, fields) for one in data]
    if not isinstance(data, dict):
        return data
    if name == "Sentence" and "Sentence.key" in fields:
        assert (data["key"], [*data["parts"]]) == ("", [])
        return data["text"]
    kept: dict[str, Any] = {}
    for field in data:
        if f"{name}.{field}" in fields:
            values = [table.get(f"{name}.{field}") for table in ADDED.values()]
            assert data[field] in json.loads(json.dumps(values)) or f"{name}.{field}" in FOLLOWING
        else:
            kept[field] = without(data[field], inner(name, field), fields)
    return kept


def inner(name: str, field: str) -> str:
    """The record that a field holds, or a list of it."""
    text = str(getattr(schema, name).__annotations__[field])
    names = [one for one in schema.__all__ if one in re.findall(r"\w+", text)]
    return names[0] if names else ""


@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_a_notebooks_programs_are_those_that_were_saved_beside_it(folder: Path) -> None:
    shown = outputs(folder, schema.MIME)
    found = [decode(b64decode(display["program"])) for display in shown]
    saved = [
        jaxviz.load(folder / f"{name}.json").record for name in ("program", "compared", "part")
    ]
    assert found == saved
    assert [display["partial"] is None for display in shown] == [True, True, False]


def test_loops_of_format_1_carry_what_they_carried() -> None:
    jaxpr, stablehlo, hlo = jaxviz.load(FORMATS[0] / "program.json").record.stages
    [scan] = [eqn for graph in jaxpr.graphs for eqn in graph.eqns if eqn.op == "scan"]
    assert scan.roles == ("const", "carry", "xs")
    assert [param.name for param in scan.params] == ["length", "reverse", "unroll"]
    for stage, op in ((stablehlo, "stablehlo.while"), (hlo, "while")):
        [loop] = [eqn for graph in stage.graphs for eqn in graph.eqns if eqn.op == op]
        assert set(loop.roles[: len(loop.outvars)]) == {"carry"}
    [choice] = [eqn for graph in jaxpr.graphs for eqn in graph.eqns if eqn.op == "cond"]
    assert choice.roles[0] == "index"


SCAN = {"num_consts": "1", "num_carry": "1"}


@pytest.mark.parametrize(
    ("op", "params", "roles"),
    [
        ("scan", SCAN, ("const", "carry", "xs")),
        ("scan", {**SCAN, "num_carry": "1 → 2"}, ()),
        ("scan", {"ft_in": "((None,), (None,), (None,))"}, ()),
        ("scan", {**SCAN, "num_carry": "9" * 400}, ()),
        ("while", {"cond_nconsts": "1", "body_nconsts": "0"}, ("cond const", "carry", "carry")),
        ("while", {}, ("carry", "carry", "const")),
        ("custom_jvp_call", {"num_consts": "0"}, ()),
        ("add", {}, ()),
    ],
)
def test_operands_of_format_1(op: str, params: dict[str, str], roles: tuple[str, ...]) -> None:
    named = tuple(schema.Param(name=name, value=text, size=1) for name, text in params.items())
    older = replace(samples.eqn(op, [0, 1, 2], [3, 4]), params=named)
    rule = rule_of(older)
    assert (roles_of(older, rule) if rule else ()) == roles


@pytest.mark.parametrize("folder", FORMATS, ids=lambda folder: folder.name)
def test_a_notebooks_logs_open_with_all_that_was_saved(folder: Path) -> None:
    shown = outputs(folder, schema.LOG_MIME)
    texts = [zlib.decompress(b64decode(display["log"])) for display in shown]
    for text in texts:
        saved = json.loads(text)
        found = msgspec.to_builtins(read(text, schema.Log))
        assert found.pop("version") == schema.VERSION
        assert without(found, "Log", {*missing(saved.pop("version"))}) == saved
    assert [display["strip"] for display in shown] == [False, True]


def test_every_released_format_has_samples_of_all_kinds() -> None:
    names = {"compared.json", "notebook.ipynb", "part.json", "program.json", "records.json"}
    for number, folder in enumerate(FORMATS, 1):
        assert folder.name == str(number)
        reports = {"reports.ipynb"} if number >= 5 else set[str]()
        assert {path.name for path in folder.iterdir()} == names | reports


def test_a_field_that_came_later_gets_the_value_of_the_table(monkeypatch: Any) -> None:
    path = FORMATS[0] / "program.json"
    record = jaxviz.load(path).record
    older = json.loads(path.read_bytes())
    for stage in older["stages"]:
        del stage["took"]
        for graph in stage["graphs"]:
            for eqn in graph["eqns"]:
                del eqn["trips"]
    added = {**ADDED[schema.VERSION], "Stage.took": 7, "Eqn.trips": None}
    monkeypatch.setitem(ADDED, schema.VERSION, added)
    found = read(json.dumps(older).encode(), schema.Program)
    assert {stage.took for stage in found.stages} == {7}
    assert {eqn.trips for graph in found.stages[0].graphs for eqn in graph.eqns} == {None}
    assert [stage.text for stage in found.stages] == [stage.text for stage in record.stages]


EQN = {"op": {"type": "string"}, "trips": {"type": "integer"}}
BEFORE = {"Eqn": EQN}


@pytest.mark.parametrize(
    ("version", "eqn", "added", "wrong"),
    [
        (1, EQN, {}, ""),
        (2, EQN, {}, ""),
        (2, {**EQN, "role": {"type": "string"}}, {"Eqn.role": ""}, ""),
        (1, {**EQN, "role": {"type": "string"}}, {}, "so VERSION in .* must be 2; it is 1"),
        (3, EQN, {}, "so VERSION in .* must be 2; it is 3"),
        (2, {**EQN, "role": {"type": "string"}}, {}, "Eqn.role is new: its value in older records"),
        (2, {**EQN, "trips": {"type": "string"}}, {}, "Eqn.trips was of format 1: it must keep"),
        (2, {"op": {"type": "string"}}, {}, "Eqn.trips was of format 1: it must keep"),
        (2, EQN, {"Eqn.op": ""}, "Eqn.op stands in ADDED.2. .* and is not new"),
    ],
)
def test_a_changed_format_needs_a_new_number(
    version: int, eqn: Any, added: Any, wrong: str, monkeypatch: Any
) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "scripts"))
    formats = importlib.import_module("formats")
    monkeypatch.setattr(formats, "ADDED", {version: added})
    found = "".join(formats.misfits(version, {"Eqn": eqn}, 1, BEFORE))
    assert bool(found) == bool(wrong)
    assert re.search(wrong, found)
