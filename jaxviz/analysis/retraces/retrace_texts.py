"""The text of a retrace in one line: its reason, its cause, and a hint on how to avoid it.

A hint needs evidence in the log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from jaxviz.analysis.retraces.new_objects import JITS, Creation
from jaxviz.schema import Cause, Change, Sentence, literal
from jaxviz.schema.signature import Static
from jaxviz.sentences import SENTENCES, joined, part_names, sentence

_DIMENSIONS = re.compile(r"[^\[]*\[([^\]]*)\]")
_CALL_REASONS = {
    "first": "first call",
    "unknown": "reason unknown",
    "cleared": "its cache was cleared",
    "function": "a new function object of the same code",
}
"""The texts of reasons that no argument causes."""


class _Texts(NamedTuple):
    """A change with both sides in English."""

    kind: str
    where: str
    before: str
    after: str


def _texts(change: Change) -> _Texts:
    return _Texts(change.kind, change.where, str(change.before), str(change.after))


def reason_text(reason: Sequence[Change]) -> str:
    """Returns the changes in one line: `x: f32[8→5, 32]; lr: ~f32[] (float) → f32[]`. Arguments
    with the same change are listed together: `q, k, v: f32→bf16[4]`."""
    return _joined([(change, _values([change])) for change in map(_texts, reason)])


def cause_text(cause: Cause) -> str:
    """Returns the changes of all events of a cause in one line: `x: f32[16→32→64]`, if each begins
    where the last one ended; else `x: f32[16→8], f32[16→4]`."""
    reasons = [value.reason for value in cause.values]
    if len(reasons) < 2 or any(len(reason) != len(reasons[0]) for reason in reasons):
        return reason_text(cause.reason)
    if is_chain(cause):
        steps = [[*map(_texts, changes)] for changes in zip(*reasons, strict=True)]
        return _joined([(changes[0], _values(changes)) for changes in steps])
    first, *others = map(reason_text, reasons)
    rest = [text.partition(": ")[2] or text for text in others]
    more = [f"{cause.others:,} more"] if cause.others else []
    return ", ".join([first, *(rest if len(reasons[0]) == 1 else others), *more])


def is_chain(cause: Cause) -> bool:
    """True if each change of a cause begins with the value at which the last one ended."""
    reasons = [value.reason for value in cause.values]
    if len(reasons) < 2 or cause.others or cause.times != len(reasons):
        return False
    return all(
        len(before) == len(after)
        and all(a.after == b.before for a, b in zip(before, after, strict=True))
        for before, after in pairwise(reasons)
    )


def _joined(texts: Sequence[tuple[_Texts, str]]) -> str:
    """The changes with their texts; changes with one text are joined."""
    places: dict[tuple[str, str], list[str]] = {}
    for change, text in texts:
        where = change.where or change.kind
        wheres = places.setdefault((_head(change), text), [])
        if where not in wheres:
            wheres.append(where)
    parts = [head.format(where=", ".join(wheres)) + text for (head, text), wheres in places.items()]
    return "; ".join(parts)


def _head(change: _Texts) -> str:
    """The text before the values of a change, with `{where}` for the arguments."""
    if change.kind in _CALL_REASONS or change.kind == "class":
        return ""
    is_static = change.kind == "static" and " (static)" not in change.before + change.after
    return "static {where}: " if is_static else "{where}: "


def _values(changes: Sequence[_Texts]) -> str:
    """The steps from each value to the next: `f32[8→5, 32]`."""
    first = changes[0]
    if first.kind == "class":
        place = f" ({changes[-1].after})" if changes[-1].after else ""
        return f"`{first.where}` was defined again{place}"
    if first.kind in _CALL_REASONS:
        return _CALL_REASONS[first.kind]
    if first.kind == "order":
        return f"{first.before} and {first.after}, in unknown order"
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


BY_KIND = {
    *("style", "none", "pytree", "config", "options", "cleared"),
    *("committed", "device", "sharding", "mesh"),
}
"""Kinds of changes whose hint needs no evidence; its key is the kind."""
_NUMBER = re.compile(r"-?\d[\d_.]*(?:e[+-]?\d+)?")
_PYTHON = re.compile(r"~.* \((int|float|complex)\)")
_NO_FIELDS: Mapping[str, Static] = {}
_NO_TYPES: Mapping[str, int] = {}
_NO_CREATIONS: Mapping[str, Creation] = {}


class Evidence(NamedTuple):
    """The evidence for a hint, from the line of a retrace."""

    looped: bool = False
    """True if the line, or a line that called it, is in a loop."""
    here: bool = False
    """True if the earlier trace, with which this one is compared, came from the same line."""
    types: Mapping[str, int] = _NO_TYPES
    """The number of types that each changed argument had at this line, including this one."""
    new_objects: int = 0
    """The number of times, including this one, that the function object at this line replaced one
    that no longer existed."""
    body: bool = False
    """True if the function is the body of a loop or branch outside of jit: `step (scan)`."""
    statics: Mapping[str, Static] = _NO_FIELDS
    """The static values of the call, by path."""
    declared: frozenset[str] = frozenset()
    """The arguments that `static_argnums` or `static_argnames` made static in one of the calls."""
    made: Mapping[str, Creation] = _NO_CREATIONS
    """The places where the user's code creates static values that are never equal, by path."""
    jit: Creation | None = None
    """The jit that the line creates for this call only."""


NO_EVIDENCE = Evidence()
NO_HINT = literal("")


class _Hint(NamedTuple):
    """A sentence whose arguments are not filled in yet, so that equal hints are joined."""

    key: str
    parts: tuple[tuple[str, str], ...] = ()

    def of(self, where: str) -> Sentence:
        parts = dict(self.parts)
        if "where" in part_names(SENTENCES[self.key]):
            parts["where"] = where
        return sentence(self.key, **parts)


EACH = _Hint("each value")


def hint(reason: Sequence[Change], evidence: Evidence = NO_EVIDENCE) -> Sentence:
    """Returns the advice on a reason: one hint for all arguments with the same change. Empty if
    nothing helps, or the cause is unknown."""
    wheres: dict[tuple[_Hint, ...], list[str]] = {}
    for change in map(_texts, reason):
        found = tuple(_hints(change, evidence))
        if change.where not in wheres.setdefault(found, []):
            wheres[found].append(change.where)
    return joined([one.of(", ".join(where)) for found, where in wheres.items() for one in found])


def _hints(change: _Texts, evidence: Evidence) -> list[_Hint]:
    if _is_other_key(change):
        return [_Hint("one kind of key")]
    if change.kind == "shape":
        return _shape_hints(change, evidence)
    if change.kind == "function":
        return _function_hints(evidence)
    if change.kind == "class":
        return _class_hints(change, evidence)
    if change.kind == "dtype":
        return _dtype_hints(change)
    if change.kind == "weak type":
        return _weak_type_hints(change)
    if change.kind == "static":
        return _static_hints(change, evidence)
    return [_Hint(change.kind)] if change.kind in BY_KIND else []


def _is_other_key(change: _Texts) -> bool:
    """True for a key of `jax.random.key` in place of one of `PRNGKey`, or of another
    implementation."""
    types = {text.partition("[")[0] for text in (change.before, change.after)}
    return len(types) == 2 and any(one.startswith("key<") for one in types)


_MANY_TYPES = 3
"""The fewest types of one argument at one line for which the hint is to pad to a few sizes."""


def _shape_hints(change: _Texts, evidence: Evidence) -> list[_Hint]:
    """The hint for sizes that change at one line in a loop; none if the rank changes."""
    before, after = dimensions(change.before), dimensions(change.after)
    if not before or len(before) != len(after) or not (evidence.looped and evidence.here):
        return []
    if evidence.types.get(change.where, 1) >= _MANY_TYPES:
        return [_Hint("few sizes")]
    sizes = before[0], after[0]
    smaller = all(size.isdecimal() for size in sizes) and int(after[0]) < int(before[0])
    if smaller and before[1:] == after[1:]:
        return [_Hint("last batch")]
    return []


def advises_padding(hint: Sentence) -> bool:
    """True for a hint to pad, alone or among others."""
    if hint.key == "joined":
        return any(isinstance(one, Sentence) and advises_padding(one) for one in hint.parts)
    return hint.key in ("last batch", "few sizes")


def _function_hints(evidence: Evidence) -> list[_Hint]:
    if evidence.jit is not None:
        return [_creation_hint(evidence.jit, evidence, False)]
    if evidence.new_objects < 2:
        return []
    if evidence.body:
        return [_Hint("body")]
    if evidence.looped:
        return [_Hint("jit out of the loop")]
    return [_Hint("jit once")]


def _class_hints(change: _Texts, evidence: Evidence) -> list[_Hint]:
    """The hint for a redefined class: its cell ran again, or its line did."""
    if change.before != change.after and change.after.startswith("cell"):
        return [_Hint("cell of the class")]
    return [_Hint("class, loop" if evidence.looped else "class")]


def _dtype_hints(change: _Texts) -> list[_Hint]:
    """The hint for a changed dtype. Python numbers of two types are to be written as one type, not
    converted."""
    if _is_other_rank(change):
        return []
    before, after = _PYTHON.fullmatch(change.before), _PYTHON.fullmatch(change.after)
    if before and after:
        types = ("int", "float", "complex")
        wider = max(before[1], after[1], key=types.index)
        return [_Hint("as one type", (("type", wider),))]
    return [_Hint("one dtype")]


def _is_other_rank(change: _Texts) -> bool:
    """True if the rank changed: then no dtype gives both values one type. A type may be followed by
    its origin: `~f32[3] (array)`."""
    before, after = (text.partition(" ")[0] for text in (change.before, change.after))
    return len(dimensions(before)) != len(dimensions(after))


def _weak_type_hints(change: _Texts) -> list[_Hint]:
    if _is_other_rank(change):
        return []
    weak = change.before if change.before.startswith("~") else change.after
    strong = change.after if weak is change.before else change.before
    dtype = _DTYPE_NAMES.get(strong.partition("[")[0])
    if "(float)" in weak or "(int)" in weak or "(complex)" in weak:
        scalar = (("scalar", f"jnp.{dtype}(…)"),)
        return [_Hint("scalar of a dtype", scalar) if dtype else _Hint("scalar")]
    if weak.endswith("[]"):  # traced outside of a call: a Python number, or a scalar
        return [_Hint("dtype of its own", (("dtype", f"{_short(dtype)}(…)"),))]
    return [_Hint("dtype of its own", (("dtype", f".astype({_short(dtype)})"),))]


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


def _static_hints(change: _Texts, evidence: Evidence) -> list[_Hint]:
    if change.after.startswith("another "):
        return _unequal_hints(change, evidence)
    sides = change.before, change.after
    if any(side.endswith(" (static)") for side in sides):
        if change.where in evidence.declared:
            return [_Hint("options")]
        return [] if "absent" in sides else [_Hint("as an array")]
    if not all(map(_NUMBER.fullmatch, sides)):
        return [EACH]
    if change.where.isidentifier():
        return [EACH, _Hint("pass an array")]
    static = evidence.statics.get(change.where)
    is_private = change.where.rpartition(".")[2].startswith("_")
    if static is None or is_private:  # a part of a static object, or a library's own field
        return [EACH]
    if static.is_field:
        return [EACH, _Hint("make a data field")]
    return [EACH, _Hint("make an array")]


def _unequal_hints(change: _Texts, evidence: Evidence) -> list[_Hint]:
    """The hint for an unequal value with the same text: where it is created, and how to avoid
    that."""
    static, made = evidence.statics.get(change.where), evidence.made.get(change.where)
    is_function = change.after.startswith("another function ")
    is_users = static is not None and static.package == "" and not is_function
    if made is None:
        if is_function:
            return [_Hint("same function")]
        if not change.after.endswith(", not equal to it"):
            return [EACH]
        if is_users:
            return [_Hint("give it __eq__")]
        return [_Hint("same object")]
    if made.in_class and made.name in JITS:
        key = "jitted anew, class" if made.of == "lambda" else "jitted anew"
        return [_Hint(key, _place(change.where.rpartition(".")[2], made))]
    return [_creation_hint(made, evidence, is_users)]


def _creation_hint(made: Creation, evidence: Evidence, is_users: bool) -> _Hint:
    key = "defined anew" if made.kind == "function" else "made anew"
    if made.in_class:
        key += ", class"
    elif evidence.looped:
        key += ", loop"
    if is_users and made.kind == "call" and not made.in_class:
        key += ", __eq__"
    return _Hint(key, _place(made.name, made))


def _place(name: str, made: Creation) -> tuple[tuple[str, str], ...]:
    return ("name", name), ("file", made.file), ("line", str(made.line))
