"""What a page draws of a log: all that is counted, and of too much the parts that matter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from jaxviz.schema import Cause, Function

FUNCTIONS = 500
CAUSES = 200
EVENTS = 500
"""The first, and as many of the latest."""


def functions_and_causes(
    functions: Sequence[Function], causes: Sequence[Cause]
) -> tuple[list[Function], list[Cause]]:
    """The functions that took longest, in their order, and the others summed up in one; the
    causes that took longest, with these functions' indices."""
    kept = list(causes[:CAUSES])
    if len(functions) <= FUNCTIONS:
        return list(functions), kept
    longest = sorted(range(len(functions)), key=lambda i: -functions[i].seconds)
    shown, others = sorted(longest[: FUNCTIONS - 1]), longest[FUNCTIONS - 1 :]
    index = {number: i for i, number in enumerate(shown)}
    rest = _summed([functions[number] for number in others])
    return [*(functions[number] for number in shown), rest], _renumbered(kept, index)


def _renumbered(causes: Sequence[Cause], index: Mapping[int, int]) -> list[Cause]:
    return [replace(c, function=index.get(c.function, FUNCTIONS - 1)) for c in causes]


def _summed(functions: Sequence[Function]) -> Function:
    hits = [function.hits for function in functions if function.hits is not None]
    return Function(
        name=f"… {len(functions):,} functions more",
        definition=None,
        traces=sum(function.traces for function in functions),
        retraces=sum(function.retraces for function in functions),
        lowerings=sum(function.lowerings for function in functions),
        relowerings=sum(function.relowerings for function in functions),
        compiles=sum(function.compiles for function in functions),
        recompiles=sum(function.recompiles for function in functions),
        seconds=sum(function.seconds for function in functions),
        reason=[],
        hint="",
        hits=[sum(slices) for slices in zip(*hits, strict=True)] if hits else None,
    )
