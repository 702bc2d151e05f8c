"""The pages of the gallery: an index, and for each program its code with its recorded output.

`gallery/gallery.toml` has the programs with their texts, `gallery/records` what was captured of
them. Nothing is captured here. A page is a notebook that has its output already.
"""

from __future__ import annotations

import importlib
import json
import re
import sys
import tomllib
from base64 import b64decode
from pathlib import Path
from typing import Any

from jaxviz.display import wire
from jaxviz.program import Program

GALLERY = Path(__file__).resolve().parent.parent / "gallery"
sys.path.append(str(GALLERY))

calls: Any = importlib.import_module("calls")

CARD = """
:::{{grid-item-card}} {title}
:link: {name}
:link-type: doc
:img-top: {name}.svg
:class-card: gallery-card

{look}
:::
"""
METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
    "mystnb": {"execution_mode": "off"},
    "html_theme.sidebar_secondary.remove": True,
}
SIZE = re.compile(r'width="([\d.]+)" height="[\d.]+" viewBox="0 0 ([\d.]+) ([\d.]+)"')
"""The size of a still picture: its width as shown, and its own width and height."""
CARD_HEIGHT = 0.6
"""The height of a card's picture, as a share of its width."""
HEADING = 30
"""The height of the heading of a still picture, px."""


def write(folder: Path, language: str) -> None:
    """Writes the sources of all pages in one language into a folder."""
    folder.mkdir(parents=True)
    texts = tomllib.loads((GALLERY / "gallery.toml").read_text("utf-8"))
    parts = [
        "---\nhtml_theme.sidebar_secondary.remove: true\n---",
        f"# {texts['title'][language]}\n",
        f"{texts['introduction'][language]}\n",
    ]
    for section in texts["sections"]:
        programs = [in_language(program, language) for program in section["programs"]]
        for program in programs:
            write_page(folder, **program)
        cards = "".join(CARD.format(**program) for program in programs)
        grid = f"::::{{grid}} 1 2 3 4\n:gutter: 3\n{cards}\n::::\n"
        names = "\n".join(program["name"] for program in programs)
        toctree = f"```{{toctree}}\n:hidden:\n\n{names}\n```\n"
        parts += [f"## {section['title'][language]}\n", toctree, grid]
    (folder / "index.md").write_text("\n".join(parts), "utf-8")


def in_language(program: dict[str, Any], language: str) -> dict[str, str]:
    return {
        "name": program["name"],
        "title": program["title"][language],
        "look": program["look"][language],
    }


def write_page(folder: Path, name: str, title: str, look: str) -> None:
    output = Program(wire.decode((GALLERY / "records" / f"{name}.wire").read_bytes()))
    bundle = output._repr_mimebundle_()
    (folder / f"{name}.svg").write_text(card_picture(bundle["text/html"]), "utf-8")
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": f"# {title}\n\n{look}"},
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {"tags": ["beside"]},
            "source": calls.as_cell(calls.PROGRAMS / f"{name}.py"),
            "outputs": [{"output_type": "display_data", "data": bundle, "metadata": {}}],
        },
    ]
    book = {"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 4}
    (folder / f"{name}.ipynb").write_text(json.dumps(book), "utf-8")


def card_picture(html: str) -> str:
    """The upper part of the still picture in an output, as SVG, in the proportions of all cards.
    Of a low picture it is the middle."""
    svg = b64decode(html.split("data:image/svg+xml;base64,")[1].split('"')[0]).decode()
    return SIZE.sub(lambda found: cropped(*map(float, found.groups())), svg, count=1)


def cropped(shown: float, width: float, height: float) -> str:
    """The size of a card's picture, and the part of the still picture that it shows, in px."""
    part = min(width, (height - HEADING) / CARD_HEIGHT)
    view = f"{(width - part) / 2:.0f} {HEADING} {part:.0f} {part * CARD_HEIGHT:.0f}"
    return f'width="{shown:.0f}" height="{shown * CARD_HEIGHT:.0f}" viewBox="{view}"'
