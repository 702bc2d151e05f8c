"""A program as a bitmap."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
import resvg_py
from IPython.core.error import UsageError
from samples import HOSTILE, eqn, load, program

import jaxviz
from jaxviz.export.png import png
from jaxviz.magics.magic import save
from jaxviz.picture import picture

GOLDEN = Path(__file__).parent / "golden"


def size(data: bytes) -> tuple[int, int]:
    """Of a PNG, after its signature and with its first chunk whole."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert data[12:16] == b"IHDR"
    assert struct.unpack(">I", data[29:33])[0] == zlib.crc32(data[12:29])
    return struct.unpack(">II", data[16:24])


def test_it_is_the_picture_at_twice_its_size(tmp_path: Path) -> None:
    saved = jaxviz.load(GOLDEN / "scan_with_cond.json")
    saved.save(tmp_path / "p.png")
    root = ElementTree.fromstring(picture(saved.record))
    expected = [2 * float(root.get(side, "0")) for side in ("width", "height")]
    assert size((tmp_path / "p.png").read_bytes()) == pytest.approx(expected, abs=1)


def test_text_is_drawn() -> None:
    def drawn(name: str) -> bytes:
        return png(program([eqn("sin", [0], [1])], ["a", "b"], 1, name=name))

    assert drawn("loss") != drawn("lost")
    assert size(drawn("loss")) == size(drawn("lost"))


def test_a_hostile_name_is_text() -> None:
    name = HOSTILE + "</svg><image href='file:///etc/passwd'/>"
    assert size(png(program([eqn(name, [0], [1])], [name, name], 1, name=name)))


def test_without_resvg_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"pip install 'jupyterlab-jaxviz\[png\]'"):
        jaxviz.load(GOLDEN / "lesson.json").save(tmp_path / "p.png")
    with pytest.raises(UsageError, match="is not installed"):
        save(jaxviz.load(GOLDEN / "lesson.json"), str(tmp_path / "p.png"))
    assert list(tmp_path.iterdir()) == []


def test_without_a_font_it_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = resvg_py.svg_to_bytes

    def fontless(svg: str, zoom: float = 1) -> bytes:
        return real(svg, zoom=zoom, skip_system_fonts=True)

    monkeypatch.setattr(resvg_py, "svg_to_bytes", fontless)
    with pytest.raises(RuntimeError, match="no font is installed"):
        jaxviz.load(GOLDEN / "lesson.json").save(tmp_path / "p.png")


def test_no_graph_is_refused() -> None:
    record = msgspec.structs.replace(load(GOLDEN / "lesson.json"), stages=[])
    with pytest.raises(ValueError, match="no graph to draw of 'lesson'"):
        png(record)
