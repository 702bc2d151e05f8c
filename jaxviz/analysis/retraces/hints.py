"""Reasons as the user reads them, and what to do about each: one line of text.

A hint is given only where the log has the evidence for it; else the reason stands alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from jaxviz.schema import Change

HINTS_BY_KIND = {
    "style": "pass {where} the same way every time",
    "pytree": "keep the structure of {where} the same from call to call",
    "config": "set {where} once, before the first call",
    "committed": "put {where} on its device once, with jax.device_put, before the first call",
    "device": "keep {where} on one device",
    "sharding": "give {where} one sharding, with jax.device_put, before the first call",
    "mesh": "call it under one mesh",
    "options": "make the jit once: another one with other options is another program",
    "cleared": "do not clear JAX's caches between calls",
}
"""What to do about a change of each kind, where that needs no evidence."""
_NUMBER = re.compile(r"-?\d[\d_.]*(?:e[+-]?\d+)?")
_DIMENSIONS = re.compile(r"[^\[]*\[([^\]]*)\]")


class Evidence(NamedTuple):
    """What else is known of the line at which a function was traced again."""

    looped: bool = False
    """The line stands in a loop, or a line that called it does."""
    here: bool = False
    """The earlier trace that the reason compares with came from the same line."""
    types: int = 1
    """How many types the first argument that changed has had at this line, this one included."""
    anew: int = 0
    """How often the function object replaced one that was gone, at this line and this time
    included."""
    body: bool = False
    """The function is the body of a loop or branch outside of jit: `step (scan)`."""


NO_EVIDENCE = Evidence()


def hint(reason: Sequence[Change], evidence: Evidence = NO_EVIDENCE) -> str:
    """What to do about a reason; empty where there is nothing to do, or nothing is known."""
    if not reason:
        return ""
    change = reason[0]
    if _is_another_kind_of_key(change):
        return f"make the random key {change.where} the same way every time"
    if change.kind == "shape":
        return _of_shape(change, evidence)
    if change.kind == "function":
        return _of_function(evidence)
    if change.kind == "dtype":
        return f"convert {change.where} to one dtype before the call"
    if change.kind == "weak type":
        return _of_weak_type(change)
    if change.kind == "static":
        return _of_static(change)
    if change.kind == "none":
        return _of_none(change)
    return HINTS_BY_KIND.get(change.kind, "").format(where=change.where)


def _is_another_kind_of_key(change: Change) -> bool:
    """A key of `jax.random.key` in place of one of `PRNGKey`, or of another implementation."""
    types = {text.partition("[")[0] for text in (change.before, change.after)}
    return len(types) == 2 and any(one.startswith("key<") for one in types)


_MANY_TYPES = 3
"""Types of one argument at one line from which padding to a few sizes is the advice."""


def _of_shape(change: Change, evidence: Evidence) -> str:
    """A hint only for sizes that change at one line in a loop: not for another rank."""
    before, after = _dimensions(change.before), _dimensions(change.after)
    if not before or len(before) != len(after) or not (evidence.looped and evidence.here):
        return ""
    if evidence.types >= _MANY_TYPES:
        return f"pad {change.where} to one of a few sizes"
    sizes = before[0], after[0]
    smaller = all(size.isdecimal() for size in sizes) and int(after[0]) < int(before[0])
    if smaller and before[1:] == after[1:]:
        return "if this is a smaller last batch, pad it to the size of the others, or drop it"
    return ""


def _of_function(evidence: Evidence) -> str:
    if evidence.anew < 2:
        return ""
    if evidence.body:
        return "define the function once, and pass the same one every time"
    if evidence.looped:
        return "hoist the jit out of the loop, and keep the function it made"
    return "make the jitted function once, and keep it"


def _dimensions(text: str) -> list[str]:
    """`["8", "32"]` of the type `f32[8,32]`."""
    found = _DIMENSIONS.fullmatch(text)
    return found[1].split(",") if found and found[1] else []


def _of_weak_type(change: Change) -> str:
    weak = change.before if change.before.startswith("~") else change.after
    strong = change.after if weak is change.before else change.before
    dtype = _DTYPE_NAMES.get(strong.partition("[")[0])
    if "(float)" in weak or "(int)" in weak or "(complex)" in weak:
        made = f"jnp.{dtype}(…)" if dtype else "a jnp scalar"
        return f"pass {made} for {change.where} every time, not a Python number"
    return f"give {change.where} a dtype of its own: .astype({_short(dtype)})"


_DTYPE_NAMES = {
    **{f"f{bits}": f"float{bits}" for bits in (16, 32, 64)},
    **{f"i{bits}": f"int{bits}" for bits in (8, 16, 32, 64)},
    **{f"u{bits}": f"uint{bits}" for bits in (8, 16, 32, 64)},
    "bf16": "bfloat16",
    "c64": "complex64",
    "c128": "complex128",
}


def _short(dtype: str | None) -> str:
    return f"jnp.{dtype}" if dtype else "…"


def _of_static(change: Change) -> str:
    if change.after.startswith("another function "):
        return f"define {change.where} once, and pass the same function every time"
    if change.after.endswith(", not equal to it"):
        return f"give {change.where} __eq__ and __hash__, or pass the same object every time"
    own = f"each value of {change.where} is a program of its own"
    numbers = _NUMBER.fullmatch(change.before) and _NUMBER.fullmatch(change.after)
    numbers = numbers and change.where.isidentifier()
    return f"{own}; pass it as an array, unless a shape or a loop needs it" if numbers else own


def _of_none(change: Change) -> str:
    """Whole arguments alone can be static."""
    if change.where.isidentifier():
        return f"pass an array every time, or make {change.where} static"
    return f"pass an array for {change.where} every time"


def reason_text(reason: Sequence[Change]) -> str:
    """The changes in one line: `x: f32[8→5, 32]; lr: ~f32[] (float) → f32[]`."""
    shown: list[str] = []
    for change in reason:
        text = _change_text(change)
        if text not in shown:
            shown.append(text)
    return "; ".join(shown)


def _change_text(change: Change) -> str:
    if change.kind == "first":
        return "first call"
    if change.kind == "unknown":
        return "not known why"
    if change.kind == "cleared":
        return "its cache was cleared"
    if change.kind == "function":
        return "a new function object of the same code"
    if change.kind == "static":
        return f"static {change.where}: {change.before} → {change.after}"
    where = f"{change.where}: " if change.where else f"{change.kind}: "
    if change.kind == "order":
        return f"{where}{change.before} and {change.after}, which came first is not known"
    if change.kind in ("shape", "dtype"):
        return where + _merged(change.before, change.after)
    return f"{where}{change.before} → {change.after}"


def _merged(before: str, after: str) -> str:
    """`f32[8→5, 32]`, where only dimensions or the dtype differ, and no type is weak."""
    left, right = _dimensions(before), _dimensions(after)
    types = before.partition("[")[0], after.partition("[")[0]
    whole = "[" not in before or "[" not in after or "~" in before + after
    if whole or len(left) != len(right):
        return f"{before} → {after}"
    sizes = [_arrow(a, b) for a, b in zip(left, right, strict=True)]
    return f"{_arrow(*types)}[{', '.join(sizes)}]"


def _arrow(before: str, after: str) -> str:
    return before if before == after else f"{before}→{after}"
