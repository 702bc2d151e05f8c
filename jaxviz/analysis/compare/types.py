"""The type of a variable that has another type in each program."""

from __future__ import annotations

import re

from msgspec.structs import replace

from jaxviz import schema

_ARRAY = re.compile(r"([^\[\]{}]+)\[([^\[\]]*)\]")


def between(before: schema.Aval, after: schema.Aval) -> schema.Aval:
    """`after`, with both in its text: `f32[8→5,32]`, `f32→bf16[8]`, `f32[8]→f32[8,1]`."""
    if before == after:
        return after
    return replace(after, text=text(before, after))


def text(before: schema.Aval, after: schema.Aval) -> str:
    if before.text == after.text:
        return f"{told(before, after)}→{told(after, before)}"
    weak = before.weak_type != after.weak_type
    one, other = _ARRAY.fullmatch(before.text), _ARRAY.fullmatch(after.text)
    if one and other and not weak:
        dims, sizes = one[2].split(","), other[2].split(",")
        if len(dims) == len(sizes) and bool(one[2]) == bool(other[2]):
            inner = ",".join(map(arrow, dims, sizes))
            return f"{arrow(one[1], other[1])}[{inner}]"
    return f"{told(before, after)}→{told(after, before)}"


def arrow(before: str, after: str) -> str:
    return after if before == after else f"{before}→{after}"


def told(aval: schema.Aval, other: schema.Aval) -> str:
    """The type, with what its text leaves out where the other has another: `~f32[]` is weak, as
    JAX writes it."""
    weak = "~" if aval.weak_type and not other.weak_type else ""
    rest = [
        str(own or "default")
        for own, others in ((aval.sharding, other.sharding), (aval.memory, other.memory))
        if own != others and aval.text == other.text
    ]
    return f"{weak}{aval.text}{''.join(f'@{one}' for one in rest)}".replace(" ", "")
