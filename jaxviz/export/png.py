"""The static picture as a bitmap, for slides and for places that take no SVG."""

from __future__ import annotations

from jaxviz import schema
from jaxviz.export.glyphs import FAMILY, FILES, with_glyphs
from jaxviz.picture import picture

SCALE = 2
"""How many pixels a px of the picture takes, so that it is crisp on a dense screen."""


def png(record: schema.Program, opening: schema.Opening) -> bytes:
    """The picture at twice its size. resvg draws it, which runs no script and reads no other file
    than our fonts.

    Raises ValueError where the program has no graph to draw, ImportError where resvg is not
    installed.
    """
    try:
        from resvg_py import svg_to_bytes
    except ImportError as error:
        raise ImportError(
            "a picture is saved as .png by resvg_py, which is not installed: "
            "run `pip install 'jupyterlab-jaxviz[png]'`, or save it as .svg."
        ) from error
    return svg_to_bytes(
        with_glyphs(picture(record, opening)),
        zoom=SCALE,
        skip_system_fonts=True,
        font_files=FILES,
        monospace_family=FAMILY,
    )
