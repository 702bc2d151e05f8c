"""The call (`Stage.call`) of a stage that is made from other stages: of StableHLO and HLO from the
jaxpr, of a merged stage from two jaxprs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.schema import Call, Fixed

Value = TypeVar("Value")
Places = Sequence[tuple[int | None, int | None]]
"""The index of each item in the earlier program and in the later one; None if a program does not
have it."""

ABSENT = "absent"
"""The text of an argument that one of two programs does not have."""


def with_call(stage: schema.Stage, jaxpr: schema.Stage | None) -> schema.Stage:
    """The later stage with the call of its jaxpr. JAX drops unused inputs, so inputs are matched by
    their paths. Results are matched if both stages have the same number."""
    if jaxpr is None or jaxpr.call is None or jaxpr.error is not None:
        return stage
    call, own, root = jaxpr.call, jaxpr.graphs[0], stage.graphs[0]
    by_path = {path: at for at, path in enumerate(own.args)}
    inputs = [by_path.get(path) for path in root.args]
    same = root.results == own.results
    count = len(own.args)
    places = [*inputs, *(count + at if same else None for at in range(len(root.outvars)))]
    shardings = [
        "" if stage.avals[root.vars[var].aval].sharding else _at(call.shardings, at, "")
        for at, var in zip(places, [*root.invars, *root.outvars], strict=True)
    ]
    own_call = Call(
        fixed=call.fixed,
        consts=[],
        donated=[at for at, before in enumerate(inputs) if before in call.donated],
        shardings=shardings if any(shardings) else [],
        results=call.results if same else [],
        mesh=call.mesh,
    )
    return replace(stage, call=own_call)


def call_of_both(
    before: Call, after: Call, consts: Places, inputs: Places, results: Places
) -> Call:
    """The call of two programs as one. Fields that both programs have are taken from the later one,
    except fixed arguments whose value changed: they show both (`'train' → 'eval'`)."""
    first, second = (sum(one[side] is not None for one in inputs) for side in (0, 1))
    shifted = [
        (None if a is None else first + a, None if b is None else second + b) for a, b in results
    ]
    shardings = _both(before.shardings, after.shardings, [*inputs, *shifted], "")
    return Call(
        fixed=_fixed(before.fixed, after.fixed),
        consts=_both(before.consts, after.consts, consts, ""),
        donated=[
            at
            for at, (a, b) in enumerate(inputs)
            if (a in before.donated if b is None else b in after.donated)
        ],
        shardings=shardings if any(shardings) else [],
        results=_both(before.results, after.results, results, ""),
        mesh=after.mesh if before.mesh == after.mesh else [],
    )


def _fixed(before: Sequence[Fixed], after: Sequence[Fixed]) -> list[Fixed]:
    texts = {one.path: one.text for one in before}
    others = {one.path: one.text for one in after}
    arguments = {one.path: one for one in (*before, *after)}
    sides = ((texts.get(path, ABSENT), others.get(path, ABSENT)) for path in arguments)
    return [
        one if a == b else replace(one, text=f"{a} → {b}")
        for one, (a, b) in zip(arguments.values(), sides, strict=True)
    ]


def _both(
    before: Sequence[Value], after: Sequence[Value], places: Places, empty: Value
) -> list[Value]:
    return [_at(before, a, empty) if b is None else _at(after, b, empty) for a, b in places]


def _at(values: Sequence[Value], at: int | None, empty: Value) -> Value:
    return values[at] if at is not None and at < len(values) else empty
