"""A page of a Sphinx site contains the data of a jaxviz output."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import jax
import pytest
from hypothesis import given
from samples import ANY_TEXT

import jaxviz
from jaxviz.schema.record import LOG_MIME, MIME
from jupyterlab_jaxviz.page_data import element, texts


class Page(HTMLParser):
    """The elements of a page, and the text in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


def held(mime_type: str, content: dict[str, Any] | str) -> dict[str, Any]:
    """The data of the one element that a browser finds."""
    page = Page(element(mime_type, content) or "")
    assert page.tags == [("script", {"type": "application/json", "class": "jaxviz-data"})]
    return json.loads(page.text)


@pytest.mark.parametrize("written", [lambda data: data, json.dumps], ids=["object", "text"])
def test_a_page_holds_a_program_whole(written: Any) -> None:
    def f(x: jax.Array) -> jax.Array:
        return x + 1

    data = jaxviz.inspect(f)(1.0)._repr_mimebundle_()[MIME]
    assert held(MIME, written(data)) == {"what": "program", **data}


@given(ANY_TEXT)
def test_no_text_of_a_program_ends_the_element(text: str) -> None:
    hostile = f"</script><script>{text}<!--"
    assert held(LOG_MIME, {"log": "", "title": hostile}) == {
        "what": "log",
        "log": "",
        "title": hostile,
    }


def test_a_page_holds_the_card_of_an_error() -> None:
    data = {"program": "", "report": {"tool": "explain"}}
    assert held(MIME, data) == {"what": "program", **data}


def test_a_page_holds_nothing_of_what_is_not_ours() -> None:
    assert element(MIME, {}) == ""
    assert element("text/html", "<p>hello") is None


def test_a_site_in_korean_has_the_texts_of_the_view_and_others_have_none() -> None:
    korean = texts("ko")
    assert korean is not None
    assert korean["Clear"] == ["지우기"]
    assert texts("en") is None
