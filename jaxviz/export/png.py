"""The static picture as a bitmap, for slides and for places that take no SVG."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.picture import picture

SCALE = 2
"""Pixels of a px of the picture, so that it is crisp on a dense screen."""

_PROBE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">'
    '<text y="15" font-size="12" font-family="monospace">{text}</text></svg>'
)


def png(record: schema.Program) -> bytes:
    """The picture at twice its size. Drawn by resvg, which runs no script and asks for no file.

    Raises ValueError where the program has no graph to draw, ImportError where resvg is not
    installed, RuntimeError where the machine has no font.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ImportError(
            "a picture is saved as .png by resvg_py, which is not installed: "
            "run `pip install 'jupyterlab-jaxviz[png]'`, or save it as .svg."
        ) from error
    drawn = picture(record)
    if svg_to_bytes(_PROBE.format(text="x")) == svg_to_bytes(_PROBE.format(text="")):
        raise RuntimeError(
            "no font is installed here to write the picture's text with: install one "
            "(`apt install fonts-dejavu-core`), or save the picture as .svg."
        )
    return svg_to_bytes(drawn, zoom=SCALE)
