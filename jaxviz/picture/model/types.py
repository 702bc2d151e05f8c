"""A type as it is written beside an edge. As `js/src/facts/types.ts`."""

from __future__ import annotations

import re

from jaxviz import schema

LONGEST = 30
"""What fits beside an edge."""


def type_label(stage: schema.Stage, aval: schema.Aval) -> str:
    """As the stage has it, with how it is split over devices.

    `f32[8@data,64]` is split along a named axis of the mesh, as jaxprs say it; `f32[8/4,64]` into
    four parts. Optimized HLO is the program of one device: `f32[2×4,64]` is one of four such parts.
    """
    if aval.kind == "tuple":
        return _tuple(aval)
    splits = _splits(aval)
    if not any(splits):
        return aval.text
    sizes: list[str] = []
    for axis, size in enumerate(aval.shape or ()):
        split = splits[axis] if axis < len(splits) else ""
        by = "@" if re.search(r"[^0-9]", split) else "×" if stage.kind == "hlo" else "/"
        sizes.append(f"{size}{by}{split}" if split else str(size))
    return f"{aval.text[: aval.text.index('[')]}[{','.join(sizes)}]"


_DEVICES = re.compile(r"devices=\[([0-9,]+)\]")
_AXES = re.compile(r"\[(\s*\{[^\]]*\}\s*)\]")


def _splits(aval: schema.Aval) -> list[str]:
    """For each dimension the axes or the number of parts that it is split in, empty where it is
    whole. `{devices=[4,1]<=[4]}` is XLA's form, `<@mesh, [{"data"}, {}]>` that of Shardy."""
    if aval.sharding is None or aval.shape is None or "@" in aval.text or "[" not in aval.text:
        return []
    parts = _DEVICES.search(aval.sharding)
    if parts:
        return ["" if one == "1" else one for one in parts[1].split(",")[: len(aval.shape)]]
    axes = _AXES.search(aval.sharding)
    names = re.findall(r"\{([^}]*)\}", axes[1]) if axes else []
    return [".".join(re.findall(r'"([^"]*)"', one)) for one in names]


def _tuple(aval: schema.Aval) -> str:
    """Many values are counted."""
    if len(aval.text) <= LONGEST:
        return aval.text
    depth = count = 0
    for char in aval.text:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 1:
            count += 1
    return f"({count + 1} values)"
