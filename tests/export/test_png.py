"""A program as a PNG."""

from __future__ import annotations

import struct
import sys
import unicodedata
import zlib
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
import resvg_py
from IPython.core.error import UsageError
from samples import HOSTILE, eqn, load, program

import jaxviz
from jaxviz.export.png import FILES, MISSING, code_points, png, with_glyphs
from jaxviz.magics.magic import save
from jaxviz.picture.draw import picture
from jaxviz.schema import UNCHOSEN

GOLDEN = Path(__file__).parents[1] / "golden"


def size(data: bytes) -> tuple[int, int]:
    """The size of a PNG, after checks of its signature and its first chunk."""
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
        return png(picture(program([eqn("sin", [0], [1])], ["a", "b"], 1, name=name), UNCHOSEN))

    assert drawn("loss") != drawn("lost")
    assert size(drawn("loss")) == size(drawn("lost"))


def test_a_hostile_name_is_text() -> None:
    name = HOSTILE + "</svg><image href='file:///etc/passwd'/>"
    drawn = png(picture(program([eqn(name, [0], [1])], [name, name], 1, name=name), UNCHOSEN))
    assert min(size(drawn)) > 0


def test_without_resvg_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"pip install 'jupyterlab-jaxviz\[png\]'"):
        jaxviz.load(GOLDEN / "lesson.json").save(tmp_path / "p.png")
    with pytest.raises(UsageError, match="is not installed"):
        save(jaxviz.load(GOLDEN / "lesson.json"), str(tmp_path / "p.png"))
    assert list(tmp_path.iterdir()) == []


def test_it_is_the_same_without_the_machines_fonts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def probe(text: str) -> bytes:
        svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9">{text}'
        return resvg_py.svg_to_bytes(f"{svg}</text></svg>", font_family="DejaVu Sans")

    record = program([eqn("sin → 한글", [0], [1])], ["a", "b"], 1, name="손실")
    drawn = png(picture(record, UNCHOSEN))
    nowhere = f"<fontconfig><dir>{tmp_path}</dir></fontconfig>"
    (tmp_path / "fonts.conf").write_text('<?xml version="1.0"?>' + nowhere)
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    assert probe("x") == probe("")
    assert png(picture(record, UNCHOSEN)) == drawn


@pytest.mark.parametrize("char", "→×·…⟵⟶▸▾↻≥≤−²³₂Σ∂µü한글손실ㄱ�")
def test_what_we_and_koreans_write_has_a_glyph(char: str) -> None:
    def drawn(text: str) -> bytes:
        return png(picture(program([eqn(text, [0], [1])], ["a", "b"], 1), UNCHOSEN))

    assert ord(char) in code_points()
    assert drawn(f"({char})") != drawn("( )")


def test_each_font_is_read() -> None:
    assert [Path(file).name for file in FILES] == [
        "DejaVuSansMono-Bold.ttf", "DejaVuSansMono.ttf", "NotoSansMonoCJKkr-Hangul.otf"
    ]  # fmt: skip
    assert {ord("A"), ord("가"), ord("힝"), ord("∫"), ord("Ж")} <= code_points()
    assert not {ord("日"), ord("뷁"), 0x1F600} & code_points()


def test_what_has_no_glyph_is_named() -> None:
    drawn = with_glyphs(picture(program([eqn("日本 한글 <😀>", [0], [1])], ["a", "b"], 1)))
    texts = [text.strip() for text in ElementTree.fromstring(drawn).itertext()]
    assert f"{MISSING}{MISSING} 한글 <{MISSING}>" in texts
    foot = " ".join(texts[-2:])
    named = "U+65E5, U+672C, U+1F600"
    assert foot == f"{MISSING} stands for {named}, not in this picture's font: save it as .svg."


def test_of_many_without_a_glyph_some_are_named() -> None:
    drawn = with_glyphs(picture(program([eqn("一二三四五六七八", [0], [1])], ["a", "b"], 1)))
    assert "U+516D and 2 more, not in" in " ".join(ElementTree.fromstring(drawn).itertext())


def test_where_every_character_has_a_glyph_nothing_is_added() -> None:
    for name in ("scan_with_cond", "hostile", "train_step"):
        drawn = picture(load(GOLDEN / f"{name}.json"))
        assert with_glyphs(drawn) == drawn


def test_a_name_that_is_written_in_parts_is_drawn() -> None:
    name = unicodedata.normalize("NFD", "손실")
    drawn = with_glyphs(picture(program([eqn("sin", [0], [1])], ["a", "b"], 1, name=name)))
    assert "손실" in drawn
    assert MISSING not in drawn


def test_no_graph_is_refused() -> None:
    record = msgspec.structs.replace(load(GOLDEN / "lesson.json"), stages=[])
    with pytest.raises(ValueError, match="no graph to draw of 'lesson'"):
        png(picture(record, UNCHOSEN))
