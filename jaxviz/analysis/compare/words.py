"""What differs between two eqns that are matched, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from jaxviz import schema
from jaxviz.analysis.compare import types
from jaxviz.analysis.compare.values import value_of

LONGEST = 190
"""Characters that are shown of a param in one program where it differs in the other."""
ABSENT = "absent"

Both = tuple[str, str]
"""The same in the earlier program and in the later one."""


class Marked(NamedTuple):
    """As `schema.Mark` has it."""

    kind: str
    before: str = ""
    after: str = ""


def also(marked: Marked | None, before: str, after: str) -> Marked:
    """With one difference more."""
    if marked is None or marked.kind != "changed":
        return Marked("changed", before, after)
    return Marked("changed", f"{marked.before} {before}", f"{marked.after} {after}")


def merged_params(before: list[schema.Param], after: list[schema.Param]) -> list[schema.Param]:
    """Both lists as one, by name; what differs reads `before → after`."""
    if before == after:
        return after
    old = {param.name: param for param in before}
    new = {param.name: param for param in after}
    return [_param(old.get(name), new.get(name)) for name in sorted({**old, **new})]


def _param(before: schema.Param | None, after: schema.Param | None) -> schema.Param:
    if before == after and after is not None:
        return after
    held = after or before
    assert held is not None
    value = " → ".join(apart(_value(before), _value(after), LONGEST))
    sizes = [param.size for param in (before, after) if param is not None]
    return schema.Param(name=held.name, value=value, size=max(len(value), *sizes))


def params(before: list[schema.Param], after: list[schema.Param]) -> Iterator[Both]:
    """Of each param that differs `axes=(0,)`."""
    if before == after:
        return
    old = {param.name: param for param in before}
    new = {param.name: param for param in after}
    for name in sorted({**old, **new}):
        one, other = old.get(name), new.get(name)
        if one != other:
            values = apart(_value(one), _value(other), LONGEST)
            yield f"{name}={values[0]}", f"{name}={values[1]}"


def _value(param: schema.Param | None) -> str:
    return ABSENT if param is None else param.value


def roles(before: list[str], after: list[str]) -> Iterator[Both]:
    """How many operands are what to the bodies: `operands: 1 const, 2 carry`."""
    if before != after:
        yield _counted(before), _counted(after)


def _counted(roles: list[str]) -> str:
    counts = ", ".join(f"{count} {role}" for role, count in Counter(roles).items() if role)
    return f"operands: {counts or 'none'}"


def bodies(before: list[schema.Body], after: list[schema.Body]) -> Iterator[Both]:
    """Which there are, where one has others."""
    labels, others = [body.label for body in before], [body.label for body in after]
    if labels != others:
        yield f"bodies: {', '.join(labels)}", f"bodies: {', '.join(others)}"


def apart(before: str, after: str, width: int) -> Both:
    """Two texts of at most `width` characters, from a little before where they differ."""
    if max(len(before), len(after)) <= width:
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    at = next((i for i, (a, b) in pairs if a != b), min(len(before), len(after)))
    start = max(at - width // 3, 0)
    return _cut(before, start, width - 2), _cut(after, start, width - 2)


def _cut(text: str, start: int, width: int) -> str:
    stop = start + width
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def literal(before: schema.Var, after: schema.Var, text: str) -> str:
    """`2.0→3.0:f32[]`, where `text` is the merged type."""
    return f"{types.arrow(value_of(before.name), value_of(after.name))}:{text}"


def typed(aval: schema.Aval) -> str:
    more = [aval.sharding, aval.memory, "weak type" if aval.weak_type else None]
    told = [one for one in more if one]
    return f"{aval.text} ({', '.join(told)})" if told else aval.text


def retyped(pairs: Sequence[tuple[schema.Aval, schema.Aval]]) -> Both:
    """Types that differ, each pair of them once, and how often it comes."""
    counts = Counter((typed(one), typed(other)) for one, other in pairs)
    shown = [
        (f"{one}{times(count)}", f"{other}{times(count)}")
        for (one, other), count in counts.most_common(4)
    ]
    if len(counts) > 4:
        shown.append(("…", "…"))
    return ", ".join(one for one, _ in shown), ", ".join(other for _, other in shown)


def times(count: int) -> str:
    return f" × {count}" if count > 1 else ""


def changes(
    where: str, before: schema.Aval | None, after: schema.Aval | None
) -> Iterator[schema.Change]:
    """How an input or a result differs, which one of the programs may not have."""
    if before is None or after is None:
        yield change("pytree", where, *(one.text if one else ABSENT for one in (before, after)))
        return
    for kind, differs in (
        ("shape", before.shape != after.shape),
        ("dtype", (before.kind, before.dtype) != (after.kind, after.dtype)),
        ("sharding", before.sharding != after.sharding),
    ):
        if differs:
            yield change(kind, where, before.text, after.text)
    if before.weak_type != after.weak_type:
        told = (f"weak {one.text}" if one.weak_type else one.text for one in (before, after))
        yield change("weak type", where, *told)


def change(kind: str, where: str, before: str, after: str) -> schema.Change:
    return schema.Change(kind=kind, where=where, before=before, after=after)
