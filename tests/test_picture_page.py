"""The picture looks as the page does: their constants are the same."""

from __future__ import annotations

import re
from pathlib import Path

from jaxviz.picture.colours import DARK, LIGHT
from jaxviz.picture.layout import caption, measure
from jaxviz.picture.model import detail, outline, pytree
from jaxviz.picture.model.family import family_of

HERE = Path(__file__).parent


def page(file: str) -> str:
    """A file of the page, some of whose constants are the picture's too."""
    return (HERE.parent / "js" / "src" / file).read_text()


def constant(file: str, name: str) -> list[float]:
    """The numbers of a constant of the page."""
    found = re.search(rf"^(?:export )?const {name} = (.+);$", page(file), re.MULTILINE)
    assert found, name
    return [float(number) for number in re.findall(r"[\d.]+", found[1])]


def test_lengths_are_those_of_the_page() -> None:
    box = [measure.BOX_HEIGHT, measure.BOX_LEAST, measure.BOX_SIDE]
    pill = [measure.PILL_HEIGHT, measure.PILL_LEAST, measure.PILL_SIDE]
    frame = [measure.FRAME_TITLE, measure.FRAME_SIDE, measure.FRAME_END]
    assert constant("layout/measure.ts", "BOX") == box
    assert constant("layout/measure.ts", "PILL") == pill
    assert constant("layout/measure.ts", "FRAME") == frame
    for name in ("FONT", "SMALL", "COLUMN", "APART", "MARGIN"):
        assert constant("layout/measure.ts", name) == [getattr(measure, name)]
    for name in ("ROOM", "LANE"):
        room = getattr(caption, name)
        assert constant("layout/caption.ts", name) == [room.label, room.note]
    for name in ("LITERAL", "TYPE"):
        assert constant("layout/caption.ts", name) == [getattr(caption, name)]
    assert constant("facts/outline.ts", "MOST_BINDERS") == [outline.MOST_BINDERS]
    assert constant("facts/pytree.ts", "MOST_BELOW_ROOT") == [pytree.MOST_BELOW_ROOT]


def test_colours_are_those_of_the_page() -> None:
    """Of the style sheet, which gives the light theme first."""
    light, dark = page("../style/colours.css").split("[data-jp-theme-light='false']")[:2]
    for sheet, theme in ((light, LIGHT), (dark.partition("}")[0], DARK)):
        for name in ("ground", "ink", "faint", "edge"):
            assert re.findall(rf"--jxv-{name}: (#\w+);", sheet) == [getattr(theme, name)]
        for name, colours in {**theme.paints, **theme.changes}.items():
            assert tuple(re.findall(rf"--jxv-{name}-(?:fill|line): (#\w+);", sheet)) == colours


def test_telling_params_are_those_of_the_page() -> None:
    found = re.search(r"const TELLING = \[(.*?)\];", page("facts/detail.ts"), re.DOTALL)
    assert found
    assert tuple(re.findall(r"'(\w+)'", found[1])) == detail.TELLING


def test_families_are_those_of_the_page() -> None:
    found = re.findall(r"^  (\w+):\s+'([^']+)'", page("facts/family.ts"), re.MULTILINE)
    assert len(found) == 9
    for family, names in found:
        for name in names.split():
            assert family_of(name, bodies=0) == family
    assert family_of("sin", bodies=0) == "elementwise"
    assert family_of("my_call", bodies=1) == "call"
