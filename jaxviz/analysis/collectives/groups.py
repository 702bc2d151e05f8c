"""Reads which devices exchange with each other, as jaxprs, StableHLO and HLO write it."""

from __future__ import annotations

import math
import re

from jaxviz import schema


def named_axes(eqn: schema.Eqn) -> list[str]:
    """The named axes of a collective of a jaxpr: `axes=('a', 0)` and `axis_name=a` name `a`."""
    values = (param.value for param in eqn.params if param.name in ("axes", "axis_name"))
    text = next(values, "")
    quoted = [one or other for one, other in _QUOTED.findall(text)]
    return quoted if text.startswith("(") else [text] if text else []


_QUOTED = re.compile("""'([^']*)'|"([^"]*)\"""")


def group_size(text: str) -> int | None:
    """How many devices each group has: 2 in `{{0,1},{2,3}}`, `[[0, 1], [2, 3]]`, `[2,2]<=[4]`,
    `mesh['a'=2,'b'=4] {'a'}` and `dense<…> : tensor<2x2xi64>`. None where the text does not say."""
    if found := re.match(r"mesh\[([^\]]*)\][^{]*\{([^}]*)\}", text):
        sizes = dict(re.findall(r"'([^']*)'=(\d+)", found[1]))
        used = re.findall(r"'([^']*)'(?::\(\d+\)(\d+))?", found[2])
        return math.prod(int(part or sizes.get(axis, 0)) for axis, part in used) or None
    if found := re.match(r"\[\d+,(\d+)\]<=", text):
        return int(found[1])
    if found := re.match(r"\W*dense\w*<[^>]*>\s*:\s*tensor<\d+x(\d+)xi64>", text):
        return int(found[1])
    groups = re.findall(r"[\[{(]\s*(\d+(?:\s*,\s*-?\d+)*)\s*,?\s*[\]})]", text)
    return max((len(one.split(",")) for one in groups), default=None)


def pairs(text: str) -> int:
    """How many devices send to another: 2 of `[[0, 1], [1, 0], [2, 2]]`. Where the pairs are left
    out, how many pairs there are."""
    if found := re.match(r"\W*dense\w*<[^>]*>\s*:\s*tensor<(\d+)x2xi64>", text):
        return int(found[1])
    found = re.findall(r"[\[{(]\s*(\d+)\s*,\s*(\d+)\s*[\]})]", text)
    return sum(one != other for one, other in found)


def written(stage: schema.Stage, eqn: schema.Eqn, param: str) -> str:
    """The whole text of one of an eqn's params, and more where a record holds but its beginning.
    Empty where it has none of that name."""
    found = next((one for one in eqn.params if one.name == param), None)
    if found is None:
        return ""
    is_part = found.value.startswith("mesh[") and "{" not in found.value  # the rest follows a comma
    if found.size <= len(found.value) and not is_part:
        return found.value
    text = stage.text[slice(*eqn.span)] if eqn.span else ""
    return text.partition(f"{param}=")[2] or text.partition(f"{param} =")[2]
