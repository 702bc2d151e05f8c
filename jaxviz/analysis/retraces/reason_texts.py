"""Writes reasons and causes as the reader reads them, in one line each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from jaxviz.schema import Cause, Change

_DIMENSIONS = re.compile(r"[^\[]*\[([^\]]*)\]")
_WHOLE = {
    "first": "first call",
    "unknown": "not known why",
    "cleared": "its cache was cleared",
    "function": "a new function object of the same code",
}
"""The reasons that are not at an argument."""


def reason_text(reason: Sequence[Change]) -> str:
    """The changes in one line: `x: f32[8→5, 32]; lr: ~f32[] (float) → f32[]`. Arguments with the
    same change are listed together: `q, k, v: f32→bf16[4]`."""
    return _joined([(change, _values([change])) for change in reason])


def cause_text(cause: Cause) -> str:
    """The changes of all events of a cause in one line: `x: f32[16→32→64]`, if each begins where
    the last one ended; else `x: f32[16→8], f32[16→4]`."""
    reasons = [value.reason for value in cause.values]
    if len(reasons) < 2 or any(len(reason) != len(reasons[0]) for reason in reasons):
        return reason_text(cause.reason)
    if is_chain(cause):
        steps = [list(changes) for changes in zip(*reasons, strict=True)]
        return _joined([(changes[0], _values(changes)) for changes in steps])
    first, *others = map(reason_text, reasons)
    rest = [text.partition(": ")[2] or text for text in others]
    return ", ".join([first, *(rest if len(reasons[0]) == 1 else others), *_more(cause)])


def _more(cause: Cause) -> list[str]:
    return [f"{cause.others:,} more"] if cause.others else []


def is_chain(cause: Cause) -> bool:
    """Whether each change of a cause begins where the last one ended."""
    reasons = [value.reason for value in cause.values]
    if len(reasons) < 2 or cause.others or cause.times != len(reasons):
        return False
    return all(
        len(before) == len(after)
        and all(a.after == b.before for a, b in zip(before, after, strict=True))
        for before, after in pairwise(reasons)
    )


def _joined(texts: Sequence[tuple[Change, str]]) -> str:
    """The changes with their texts, those of the same kind and text together."""
    places: dict[tuple[str, str], list[str]] = {}
    for change, text in texts:
        where = change.where or change.kind
        wheres = places.setdefault((_head(change), text), [])
        if where not in wheres:
            wheres.append(where)
    parts = [head.format(where=", ".join(wheres)) + text for (head, text), wheres in places.items()]
    return "; ".join(parts)


def _head(change: Change) -> str:
    """The text before the values of a change, with `{where}` for the arguments."""
    if change.kind in _WHOLE or change.kind == "class":
        return ""
    is_static = change.kind == "static" and " (static)" not in change.before + change.after
    return "static {where}: " if is_static else "{where}: "


def _values(changes: Sequence[Change]) -> str:
    """The steps from each value to the next: `f32[8→5, 32]`."""
    first = changes[0]
    if first.kind == "class":
        place = f" ({changes[-1].after})" if changes[-1].after else ""
        return f"`{first.where}` was defined again{place}"
    if first.kind in _WHOLE:
        return _WHOLE[first.kind]
    if first.kind == "order":
        return f"{first.before} and {first.after}, which came first is not known"
    values = [first.before, *(change.after for change in changes)]
    return (first.kind in ("shape", "dtype") and _merged(values)) or " → ".join(values)


def dimensions(text: str) -> list[str]:
    """`["8", "32"]` of the type `f32[8,32]`."""
    found = _DIMENSIONS.fullmatch(text)
    return found[1].split(",") if found and found[1] else []


def _merged(values: Sequence[str]) -> str:
    """`f32[8→5, 32]`, if only dimensions or the dtype differ; else empty."""
    sizes = [dimensions(value) for value in values]
    whole = any("[" not in value or " (" in value for value in values)
    if whole or len({len(one) for one in sizes}) > 1:
        return ""
    types = [value.partition("[")[0] for value in values]
    inner = ", ".join(_arrow(axis) for axis in zip(*sizes, strict=True))
    return f"{_arrow(types)}[{inner}]"


def _arrow(values: Sequence[str]) -> str:
    return values[0] if len({*values}) == 1 else "→".join(values)
