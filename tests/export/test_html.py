"""A program or a log as a page that needs nothing else."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import jax
import msgspec
import pytest
from hypothesis import given, settings
from samples import ANY_TEXT, HOSTILE, eqn, load, program

import jaxviz
from jaxviz import schema
from jaxviz.display import widget, wire
from jaxviz.export.html import fallback, html, script
from jaxviz.schema import UNCHOSEN

GOLDEN = Path(__file__).parents[1] / "golden"


class Page(HTMLParser):
    """The elements of a page, each with its attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.within = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))
        self.within = True

    def handle_endtag(self, tag: str) -> None:
        self.within = False

    def handle_data(self, data: str) -> None:
        if self.within:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def all(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


TAGS = ["html", "head", "meta", "meta", "meta", "title", "style", "body", "main", "noscript"]


def test_it_holds_the_program_and_one_script_that_its_policy_allows(tmp_path: Path) -> None:
    saved = jaxviz.load(GOLDEN / "train_step.json")
    saved.save(tmp_path / "p.html")
    page = Page((tmp_path / "p.html").read_text(encoding="utf-8"))
    assert [tag for tag, _, _ in page.found] == [*TAGS, "img", "pre", "script", "script"]
    (data, payload), (module, code) = page.all("script")
    assert data["type"] == "application/octet-stream"
    assert wire.decode(b64decode(payload)) == saved.record
    assert module == {"type": "module"}
    digest = b64encode(sha256(code.encode()).digest()).decode()
    policy = next(a["content"] for a, _ in page.all("meta") if "http-equiv" in a)
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digest}' blob:; "
        "style-src 'unsafe-inline'; img-src data:"
    )


def test_without_scripts_it_shows_the_picture_and_the_summary() -> None:
    record = load(GOLDEN / "lesson.json")
    page = Page(fallback(record, UNCHOSEN))
    assert [tag for tag, _, _ in page.found] == ["img", "pre"]
    assert page.all("pre")[0][1] == str(jaxviz.Program(record))
    none = msgspec.structs.replace(record, stages=[])
    assert [tag for tag, _, _ in Page(fallback(none, UNCHOSEN)).found] == ["pre"]


def test_a_log_is_a_page_too(tmp_path: Path) -> None:
    function = jax.jit(lambda x: x + 1)
    with jaxviz.watch() as log:
        function(1.0)
    log.save(tmp_path / "log.html")
    page = Page((tmp_path / "log.html").read_text(encoding="utf-8"))
    assert [tag for tag, _, _ in page.found] == [*TAGS, "pre", "script", "script"]
    (data, payload), _ = page.all("script")
    assert data["data-what"] == "log"
    assert msgspec.json.decode(zlib.decompress(b64decode(payload)), type=schema.Log) == log.record()
    assert page.all("pre")[0][1] == repr(log)
    with pytest.raises(ValueError, match=r"must end in \.json, \.svg, \.png or \.html\."):
        log.save(tmp_path / "log.dot")


@settings(max_examples=40)
@given(ANY_TEXT, ANY_TEXT)
def test_no_name_is_markup(op: str, name: str) -> None:
    def tags(op: str, name: str) -> list[str]:
        record = program([eqn(op, [0], [1])], [name, op], 1, name=name)
        return [tag for tag, _, _ in Page(fallback(record, UNCHOSEN)).found]

    assert tags(op, name) == ["img", "pre"]


def test_a_hostile_name_is_a_title() -> None:
    name = HOSTILE.replace("\ud800", "")
    page = Page(
        html(program([eqn("sin", [0], [1])], ["a", "b"], 1, name=f"</title>{name}"), UNCHOSEN)
    )
    assert [tag for tag, _, _ in page.found] == [*TAGS, "img", "pre", "script", "script"]
    assert page.all("title")[0][1].startswith("</title><script>alert(1)</script> ]]>")


@pytest.mark.parametrize(
    "bundle",
    [
        "export{a as default};\n",
        "export {\n  a as default\n};\n",
        "export{b as attend,a as default,c as speakAs};\n",
    ],
)
def test_the_bundle_cannot_end_its_script(bundle: str) -> None:
    code = script("var a='</SCRIPT><!--<script>';" + bundle)
    assert not re.search(r"</script|<!--|<script", code, re.IGNORECASE)
    assert code.startswith(r"var a='\x3c/SCRIPT>\x3c!--\x3cscript>';")
    assert "export" not in code
    assert "(a).render(" in code


def test_a_bundle_that_is_not_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(widget, "STATIC", tmp_path)
    widget.built.cache_clear()
    saved = jaxviz.load(GOLDEN / "lesson.json")
    with pytest.raises(FileNotFoundError, match=r"widget\.js is missing: .* run `npm run build`"):
        saved.save(tmp_path / "p.html")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "widget.js").write_text("export const other = 1;")
    with pytest.raises(ValueError, match="has no default export"):
        saved.save(tmp_path / "p.html")
    widget.built.cache_clear()
