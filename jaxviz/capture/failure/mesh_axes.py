"""Fixes for names of axes that no mesh has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from difflib import get_close_matches

from jax.sharding import Mesh

from jaxviz.capture.failure.edits import edited, sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.written import quoted_like
from jaxviz.capture.shown.objects import is_a
from jaxviz.schema import Mend
from jaxviz.sentences import sentence


def mesh_axes(call: FailedCall) -> list[str]:
    """The axes of the mesh that the expression names, or else of all that the line sees."""
    known = {name: value for name, value in call.held.items() if is_a(value, Mesh)}
    meshes = [known[name] for name in call.names(call.node) if name in known] or known.values()
    return [*dict.fromkeys(str(axis) for mesh in meshes for axis in mesh.axis_names)]


def on_mesh(call: FailedCall, names: list[ast.Constant]) -> Iterator[Mend]:
    """The only axis of the mesh in place of names that it has not, or the axis spelled alike."""
    axes = mesh_axes(call)
    wrong = [one for one in names if one.value not in axes]
    found = [axes if len(axes) == 1 else get_close_matches(str(n.value), axes, 2) for n in wrong]
    if wrong and all(len(alike) == 1 for alike in found):
        new = [alike[0] for alike in found]
        changes = [(n, quoted_like(call, n, name)) for n, name in zip(wrong, new, strict=True)]
        listed = ", ".join(dict.fromkeys(new))
        yield edited(call, sentence("the axis that the mesh", listed=listed), *changes)
    else:
        yield sketch(
            sentence("name an axis, listed", names=", ".join(axes))
            if axes
            else sentence("name an axis that the mesh")
        )
