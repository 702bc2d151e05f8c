"""Programs made of parts: what changes between calls, what was jitted, and who looks at it when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from .program import WATCH, Program


class Call(NamedTuple):
    """One call, with what it makes JAX do."""

    args: str
    why: str
    """The changes for which the function is traced; `again: …` where it is compiled alone; empty
    where JAX's caches know the call."""
    context: str = ""
    """The `with` that it stands in."""
    before: str = ""
    """A line that stands above it."""


class Kind(NamedTuple):
    """A kind of change: calls of one function."""

    name: str
    calls: tuple[Call, ...]
    needs: str = ""
    """Requirements on a subject: `tree` (x may be any pytree), `y`, `mode`, `rank`."""


@dataclass(frozen=True)
class Subject:
    """The jitted function, and the way of jitting it."""

    name: str
    setup: str
    """The lines that define it."""
    fun: str
    """The name of the called function: `step`."""
    truth: str = "step: {why}"
    """The expected report of a trace, with `{why}` in place of its changes."""
    args: str = "{args}"
    """The arguments, around those of a kind's call."""
    has: str = ""
    """Requirements of kinds that it meets."""
    where: dict[str, str] = field(default_factory=dict)
    """The paths of arguments that are others than a kind's own."""
    kinds: tuple[Kind, ...] = ()
    """Changes that are its own."""
    own: bool = False
    """True if it has only kinds of its own."""
    without: tuple[str, ...] = ()
    """Kinds that are another matter for it."""
    types: bool = True
    """True if the report has the passed types: under vmap an axis is missing."""
    looks: bool = True
    """True if `inspect` accepts a call of it."""
    library: str = "JAX"
    """Given by `cases.MODULES`."""


def _calls(*calls: tuple[str, ...]) -> tuple[Call, ...]:
    return tuple(Call(*call) for call in calls)


ROWS = "shape x f32[8,4]→f32[16,4]"
LAST = "shape x f32[8,4]→f32[5,4]"
KINDS = (
    Kind("a hit", _calls(("x8", "first"), ("x8", ""), ("x8 + 1", ""))),
    Kind("NumPy array", _calls(("x8", "first"), ("n8", ""))),
    Kind("shape", _calls(("x8", "first"), ("x16", ROWS), ("x8", ""))),
    Kind("dtype", _calls(("x8", "first"), ("h8", "dtype x f32[8,4]→bf16[8,4]"), ("h8", ""))),
    Kind(
        "three shapes",
        _calls(("x8", "first"), ("x16", ROWS), ("x5", "shape x"), ("x16", ""), ("x8", "")),
    ),
    Kind("shape and dtype", _calls(("x16", "first"), ("h8", "shape x + dtype x"), ("x16", ""))),
    Kind("committed", _calls(("x8", "first"), ("put(x8)", "again: committed x"), ("x8", ""))),
    Kind("cleared caches", _calls(("x8", "first"), ("x8", "cleared", "", "jax.clear_caches()"))),
    Kind(
        "matmul precision",
        _calls(
            ("x8", "first"),
            ("x8", "config jax_default_matmul_precision None→float32", "precise()"),
            ("x8", ""),
        ),
    ),
    Kind(
        "x64", _calls(("x8", "first"), ("x8", "config jax_enable_x64 False→True", "x64()")), "x64"
    ),
    Kind(
        "weak type",
        _calls(("x8, one", "first"), ("x8, 2.0", "weak type y"), ("x8, 3.0", ""), ("x8, one", "")),
        "y",
    ),
    Kind(
        "None",
        _calls(("x8", "first"), ("x8, x8", "style y | none y"), ("x8, None", "style y | none y")),
        "y",
    ),
    Kind("None to array", _calls(("x8, None", "first"), ("x8, one", "none y None→f32[]")), "y"),
    Kind("keyword", _calls(("x8, one", "first"), ("x8, y=one", "style y"), ("x8, y=one", "")), "y"),
    Kind(
        "a leaf more",
        _calls(("{'a': x8}", "first"), ("{'a': x8, 'b': x8}", "pytree x['b'] absent→f32[8,4]")),
        "tree",
    ),
    Kind(
        "a leaf's shape",
        _calls(("{'a': [x8]}", "first"), ("{'a': [x16]}", "shape x['a'][0] f32[8,4]→f32[16,4]")),
        "tree",
    ),
    Kind("list to tuple", _calls(("[x8]", "first"), ("(x8,)", "pytree x"), ("[x8]", "")), "tree"),
    Kind("rank", _calls(("x8", "first"), ("x8[0]", "shape x f32[8,4]→f32[4]")), "rank"),
    Kind(
        "static value",
        _calls(
            ("x8, mode='sin'", "first"),
            ("x8, mode='cos'", "static mode 'sin'→'cos'"),
            ("x8, mode='sin'", ""),
        ),
        "mode",
    ),
    Kind(
        "static and shape",
        _calls(("x8, mode='sin'", "first"), ("x16, mode='cos'", "static mode + shape x")),
        "mode",
    ),
    Kind(
        "static of another type",
        _calls(("x8, mode=1", "first"), ("x8, mode=2", "static mode 1→2"), ("x8, mode=1", "")),
        "mode",
    ),
)
LOOKINGS = (
    *("not looked at", "looked at before", "looked at each before", "looked at while watched"),
    *("looked at after", "stage opened before", "stage opened while watched"),
    *("magic before", "magic while watched", "magic with a stage", "within %%jaxviz"),
)


def programs(subject: Subject, lookings: tuple[str, ...] = LOOKINGS[:1]) -> Iterator[Program]:
    """All that can be made of the subject."""
    for kind in subject.kinds if subject.own else (*KINDS, *subject.kinds):
        if kind.name not in subject.without and set(kind.needs.split()) <= set(subject.has.split()):
            yield from (program(subject, kind, looking) for looking in lookings)
    if {"loop"} <= set(subject.has.split()):
        yield from (_last_batch(subject, looking) for looking in lookings)


def program(subject: Subject, kind: Kind, looking: str) -> Program:
    """The calls of a kind, of one subject."""
    head = [subject.setup.strip("\n")]
    body: list[str] = []
    for number, call in enumerate(kind.calls):
        args = subject.args.format(args=call.args)
        look, place = _look(subject.fun, args, looking, number == 0)
        if place == "before":
            head += _within(call.context, look)
        if call.before:
            body.append(call.before)
        if place == "ahead":
            body += _within(call.context, look)
        body += _within(call.context, _call(subject, call, args))
        if place == "after":
            body += _within(call.context, look)
    text = "\n".join([*head, WATCH, *_cell(looking), *body])
    counted = looking in ("not looked at", "within %%jaxviz")
    return Program(subject.library, kind.name, subject.name, looking, text, counted)


def _call(subject: Subject, call: Call, args: str) -> str:
    line = f"{subject.fun}({args})"
    if not call.why:
        return line
    why = _moved(call.why, subject)
    if why.startswith("again: "):
        name = subject.truth.split(";")[-1].partition(":")[0]
        told = f"{name.strip(' (~')} {why}"
    else:
        told = subject.truth.format(why=why)
    return f"{line}  #> {told}"


def _moved(why: str, subject: Subject) -> str:
    """The changes, at the subject's own paths."""
    words = [subject.where.get(word, word) for word in why.split(" ")]
    return " ".join(word for word in words if subject.types or not re.search(r"\]→|→\S*\[", word))


def _within(context: str, line: str) -> list[str]:
    return [f"with {context}:", f"    {line}"] if context else [line]


def _look(fun: str, args: str, looking: str, first: bool) -> tuple[str, str]:
    """The line that looks at a call, and where it stands: `before` watching, `ahead` of the call,
    or `after` it."""
    look = f"jaxviz.inspect({fun})({args})"
    if looking == "looked at before" and first:
        return look, "before"
    if looking == "looked at each before":
        return look, "before"
    if looking == "looked at while watched":
        return look, "ahead"
    if looking == "looked at after":
        return look, "after"
    if looking == "stage opened before" and first:
        return f"{look}.stage('hlo')", "before"
    if looking == "stage opened while watched":
        return f"{look}.stage('stablehlo')", "ahead"
    if looking == "magic before" and first:
        return f"%jaxviz {fun}({args})", "before"
    if looking == "magic while watched":
        return f"%jaxviz {fun}({args})", "ahead"
    if looking == "magic with a stage" and first:
        return f"%jaxviz {fun}({args}) --stage hlo", "ahead"
    return "", ""


def _cell(looking: str) -> list[str]:
    return ["%%jaxviz"] if looking == "within %%jaxviz" else []


def _last_batch(subject: Subject, looking: str) -> Program:
    """A loop over batches; the last one is smaller."""
    args = subject.args.format(args="batch")
    shape = _moved(LAST, subject)
    told = "; ".join(subject.truth.format(why=why) for why in ("first", shape))
    look, place = _look(subject.fun, subject.args.format(args="x8"), looking, True)
    head = [subject.setup.strip("\n"), *([look] if place == "before" else [])]
    body = [
        "for batch in batches:",
        *([f"    {look}"] if place == "ahead" else []),
        f"    {subject.fun}({args})  #> {told}",
        *([look] if place == "after" else []),
    ]
    text = "\n".join([*head, WATCH, *_cell(looking), *body])
    counted = looking in ("not looked at", "within %%jaxviz")
    return Program(subject.library, "smaller last batch", subject.name, looking, text, counted)
