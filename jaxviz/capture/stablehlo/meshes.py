"""Writes groups of devices as XLA does: `mesh['data'=4,'model'=2] {'data'}`.

From 0.11 on JAX writes them as axes of a mesh, which it defines once in the module and then names.
"""

from __future__ import annotations

import re
from typing import Any

_GROUPS = re.compile(r"#stablehlo\.replica_group_mesh_axes<mesh = @([\w.$-]+), axes = \[(.*)\]>")
_AXIS = re.compile(r'#stablehlo\.axis_ref<name = "([^"]*)">')
_SIZE = re.compile(r'"([^"]*)"=(\d+)')


def meshes_of(module: Any) -> dict[str, str]:
    """The axes and sizes of each mesh that a module defines, by the mesh's name:
    `'data'=4,'model'=2`."""
    found: dict[str, str] = {}
    for block in module.regions[0].blocks:
        for op in block.operations:
            if op.operation.name == "sdy.mesh":
                held = op.operation.attributes
                sizes = _SIZE.findall(str(held["mesh"]))
                found[held["sym_name"].value] = ",".join(f"'{axis}'={n}" for axis, n in sizes)
    return found


def with_meshes(printed: str, meshes: dict[str, str]) -> str:
    """The attribute with the mesh in place of its name. It stays as it is if it has no mesh, an
    unknown one, or only part of an axis."""
    groups = _GROUPS.fullmatch(printed)
    if groups is None or groups[1] not in meshes:
        return printed
    axes = groups[2].split(", ") if groups[2] else []
    names = [_AXIS.fullmatch(axis) for axis in axes]
    if None in names:
        return printed
    listed = ",".join(f"'{name[1]}'" for name in names if name)
    return f"mesh[{meshes[groups[1]]}] {{{listed}}}"
