"""Reads a static picture as a notebook would."""

from __future__ import annotations

from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


def check(text: str) -> ElementTree.Element:
    """The picture, if it is one that a notebook can show."""
    assert len(text.encode()) <= 40_000
    root = ElementTree.fromstring(text)
    assert float(root.get("width", "0")) <= 1000
    allowed = {"svg", "title", "desc", "style", "g", "rect", "path", "text", "tspan"}
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in allowed
        assert not {name for name in element.attrib if name in ("id", "href", "style")}
        assert not {name for name in element.attrib if name.startswith("on")}
    return root


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
