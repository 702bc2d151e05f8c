"""The output that a notebook gets: all that fits in 200 kB, as a bundle that any host can show."""

from __future__ import annotations

import html
import json
import re
import sys
from base64 import b64decode, b64encode
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import anywidget
import jax
import jax.numpy as jnp
import library_models
import msgspec
import pytest
from msgspec.structs import replace
from records import loose_ends

import jaxviz
from jaxviz import schema
from jaxviz.display import bundle, decode, encode, mimebundle, widget
from jaxviz.display.bundle import HINT
from jaxviz.display.fit import fit, overview
from jaxviz.schema.record import literal
from jaxviz.schema.smaller import smaller
from jaxviz.stages import Stages


def lesson(x: Any) -> Any:
    return jnp.sum(x**2 + jnp.sin(x)) / 2


def flat(count: int) -> schema.Program:
    def repeat(x: Any) -> Any:
        for _ in range(count // 2):
            x = jnp.sin(x) * 2.0
        return x

    return jaxviz.inspect(repeat)(jax.ShapeDtypeStruct((3,), jnp.float32)).record


def step() -> schema.Program:
    fun, args = library_models.nnx_step()
    return jaxviz.inspect(fun)(*args).record


HLO = schema.Opening(stage="hlo")
SMALL = jaxviz.inspect(lesson)(jnp.ones(3)).record


def shown(record: schema.Program) -> tuple[schema.Display, schema.Program, dict[str, Any]]:
    data = mimebundle(Stages(record, None))
    assert len(json.dumps(data)) <= 200_000
    display = msgspec.convert(data[schema.MIME], schema.Display)
    return display, decode(b64decode(display.program)), data


@pytest.mark.parametrize("program", [lambda: SMALL, step, lambda: flat(20_000)])
def test_a_program_is_saved_whole(program: Any) -> None:
    record = program()
    display, saved, _ = shown(record)
    assert display.partial is None
    assert saved == record


def test_of_a_program_too_large_an_overview_is_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    record = step()
    beside = mimebundle(Stages(record, None), exclude={schema.MIME})
    monkeypatch.setattr(bundle, "BUNDLE_BYTES", len(json.dumps(beside)) + 8_000)
    display, saved, data = shown(record)
    count = sum(len(graph.eqns) for graph in record.stages[0].graphs)
    assert count > 1_000
    assert str(display.partial) == (
        f"To keep the notebook small, only an overview of its {count:,} eqns is saved: "
        "run the cell again to see all."
    )
    [graph] = saved.stages[0].graphs
    assert 50 <= len(graph.eqns) <= 400
    assert saved.args == record.args
    assert loose_ends(saved.stages[0]) == []
    assert re.search(r"of them in \d+ bodies", data["text/plain"])


def test_less_and_less_is_saved() -> None:
    fun, args = library_models.nnx_step()
    record = jaxviz.inspect(fun)(*args).record
    whole = encode(record)
    missing: list[str | None] = []
    limit = 100_000
    while (display := fit(record, whole, schema.UNCHOSEN, "", limit)) is not None:
        saved = decode(b64decode(display.program))
        assert loose_ends(saved.stages[0]) == []
        missing.append(str(display.partial) if display.partial else None)
        limit = len(display.program) - 1
    kinds = [
        None,
        "the program's text and params are not saved",
        "the program's text, params and nested bodies are not saved",
    ]
    eqns = sum(len(graph.eqns) for graph in record.stages[0].graphs)
    overviews = [f"only an overview of its {eqns:,} eqns is saved"] * (len(missing) - len(kinds))
    assert overviews
    assert missing == [
        kind and f"To keep the notebook small, {kind}: run the cell again to see all."
        for kind in kinds + overviews
    ]


def test_of_several_stages_the_first_is_saved_last() -> None:
    fun, args = library_models.nnx_step()
    program = jaxviz.inspect(fun)(*args)
    program.stage("stablehlo")
    program.stage("hlo")
    record = program.record
    whole = encode(record)
    found: list[tuple[str | None, list[str], bool]] = []
    limit = len(b64encode(whole))
    while (display := fit(record, whole, HLO, "", limit)) is not None:
        assert display.opening == HLO
        saved = decode(b64decode(display.program))
        linked = any(
            eqn.origin for stage in saved.stages for graph in stage.graphs for eqn in graph.eqns
        )
        partial = str(display.partial) if display.partial else None
        found.append((partial, [stage.kind for stage in saved.stages], linked))
        limit = len(display.program) - 1
    missing = ["other stages are not", "other stages are not", "other stages, text and params are"]
    assert found[0] == (None, ["jaxpr", "stablehlo", "hlo"], True)
    assert [found[1][1:], *(one[1:] for one in found[2:])] == [
        (["jaxpr", "hlo"], True),
        *[(["hlo"], False)] * (len(found) - 2),
    ]
    for (partial, _, _), part in zip(found[1:], missing, strict=False):
        assert partial is not None
        assert part in partial


def test_where_the_first_stage_failed_the_jaxpr_is_saved_last() -> None:
    program = jaxviz.inspect(lesson)(jnp.ones(3))
    failed = replace(
        program.stage("hlo"),
        graphs=[],
        avals=[],
        frames=[],
        scopes=[],
        text="",
        error=literal("No."),
    )
    record = replace(SMALL, stages=[SMALL.stages[0], program.stage("stablehlo"), failed])
    whole = encode(record)
    display = fit(record, whole, HLO, "", len(b64encode(whole)) - 1)
    assert display is not None
    saved = decode(b64decode(display.program))
    assert [stage.kind for stage in saved.stages] == ["jaxpr", "hlo"]


def held(stage: schema.Stage, group: schema.Group) -> int:
    return schema.count_eqns(stage.graphs, stage.graphs[0].eqns[group.start : group.stop])


def test_an_overview_keeps_the_flow() -> None:
    record = step()
    stage = record.stages[0]
    small = smaller(record, overview(100)).stages[0].graphs[0]
    assert len(small.eqns) <= 100
    groups = {f"{g.name} · {held(stage, g):,} eqns" for g in stage.graphs[0].groups}
    boxes = {eqn.name for eqn in small.eqns if eqn.op == "group"}
    assert len(boxes) > 5
    assert boxes <= groups
    made = set(small.invars) | set(small.constvars)
    for eqn in small.eqns:
        assert all(small.vars[var].literal or var in made for var in eqn.invars)
        made.update(eqn.outvars)
    assert all(small.vars[var].literal or var in made for var in small.outvars)


def test_the_picture_is_an_image_with_a_text() -> None:
    text = mimebundle(Stages(SMALL, None))["text/html"]
    found = re.fullmatch(
        r'<div class="jaxviz-output jaxviz-program jaxviz-opening-e30">'
        r'<img alt="([^"<>]*)" style="max-width:100%" src="data:image/svg\+xml;base64,([\w+/=]*)">'
        rf'<div class="jaxviz-hint" style="[^"]*">{re.escape(HINT)}</div></div>',
        text,
    )
    assert found
    assert html.unescape(found[1]) == "lesson(x) → f32[]: 5 eqns"
    assert ElementTree.fromstring(b64decode(found[2])).tag.endswith("svg")


def test_names_are_text_everywhere() -> None:
    hostile = "\"><script>alert(1)</script>`${x}`'"
    record = replace(SMALL, name=hostile)
    text = mimebundle(Stages(record, None))["text/html"]
    assert "<script" not in text
    assert text.count('"') == 12
    assert html.unescape(text).count(hostile) == 1


def test_where_nothing_can_be_drawn_the_summary_is_shown() -> None:
    stage = replace(
        SMALL.stages[0],
        graphs=[],
        avals=[],
        frames=[],
        scopes=[],
        text="",
        error=literal("<b> is too deep."),
    )
    data = mimebundle(Stages(replace(SMALL, stages=[stage]), None))
    assert data["text/html"].partition("<pre>")[2].startswith("lesson(x)")
    assert "&lt;b&gt; is too deep." in data["text/html"]
    assert data[schema.MIME]["partial"] is None


def test_include_and_exclude() -> None:
    assert set(mimebundle(Stages(SMALL, None), include={"text/plain"})) == {"text/plain"}
    assert set(mimebundle(Stages(SMALL, None), exclude={"text/html"})) == {
        schema.MIME,
        "text/plain",
    }


def test_where_no_host_needs_one_there_is_no_widget() -> None:
    assert bundle.WIDGET not in mimebundle(Stages(SMALL, None))


def test_colab_needs_a_widget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))
    assert bundle.WIDGET in mimebundle(Stages(SMALL, None))


def test_marimo_is_given_the_widget() -> None:
    program = jaxviz.inspect(jnp.sin)(1.0)
    shown = program._display_()
    assert isinstance(shown, widget.ProgramWidget)
    assert decode(shown.payload) == program.record


def test_the_widget_sends_the_payload_and_nothing_else() -> None:
    payload = encode(SMALL)
    shown = widget.ProgramWidget("", payload=payload, opening={"depth": 1})
    state = shown.get_state()
    own = set(state) - set(anywidget.AnyWidget().get_state())
    traits = {"what", "payload", "opening", "report", "can_step", "_esm", "_css"}
    assert own == traits - set(anywidget.AnyWidget().get_state())
    assert state["payload"] == payload
    shown.close()


def test_what_cannot_be_shown_still_says_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError("no room")

    monkeypatch.setattr(bundle, "fit", fails)
    [text] = mimebundle(Stages(SMALL, None)).values()
    assert text.endswith("\njaxviz cannot show more of it: no room")


def test_a_card_is_in_a_widget_where_the_host_needs_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def f(x: jax.Array) -> int:
        return 1 if x > 0 else 2

    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        jax.jit(f)(1.0)
    card = jaxviz.explain(caught.value)
    assert card is not None
    assert bundle.WIDGET not in card._repr_mimebundle_()
    monkeypatch.setattr(bundle, "needs_widget", lambda: True)
    assert bundle.WIDGET in card._repr_mimebundle_()


def test_a_widget_that_fails_costs_its_own_entry_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bundle, "needs_widget", lambda: True)
    assert bundle.WIDGET in mimebundle(Stages(SMALL, None))
    monkeypatch.setitem(sys.modules, "jaxviz.display.widget", None)
    assert set(mimebundle(Stages(SMALL, None))) == {schema.MIME, "text/plain", "text/html"}
    widget.built.cache_clear()
    monkeypatch.setattr(widget, "STATIC", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"widget\.js is missing: .*npm run build"):
        widget.built("widget.js")
    widget.built.cache_clear()
