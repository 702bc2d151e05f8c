"""What the graphs of a merged stage share: avals, frames and scopes, each once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.compare.types import between

T = TypeVar("T")


class Tables:
    """Those of the later stage come first, as they are; of the earlier one what is used."""

    def __init__(self, before: schema.Stage, after: schema.Stage) -> None:
        self._before = before
        self._after = after
        self.avals = list(after.avals)
        self.frames = list(after.frames)
        self.scopes = list(after.scopes)
        self._avals = first([*map(_key, self.avals)])
        self._frames: dict[Hashable, int] = first(self.frames)
        self._scopes: dict[Hashable, int] = first(self.scopes)
        self._both: dict[tuple[int, int | None], int] = {}
        self._known: dict[int, int] = {}

    def aval(self, before: int, after: int | None) -> int:
        """Of a variable that both have, or that the earlier one has alone."""
        found = self._both.get((before, after))
        if found is None:
            aval = self._before.avals[before]
            if after is not None:
                aval = between(aval, self._after.avals[after])
            found = put(aval, _key(aval), self.avals, self._avals)
            self._both[before, after] = found
        return found

    def scope(self, before: int) -> int:
        text = self._before.scopes[before]
        return put(text, text, self.scopes, self._scopes)

    def frame(self, before: int | None) -> int | None:
        """Behind those that called it."""
        missing: list[int] = []
        at = before
        while at is not None and at not in self._known:
            missing.append(at)
            at = self._before.frames[at].parent
        for each in reversed(missing):
            one = self._before.frames[each]
            moved = replace(one, parent=None if one.parent is None else self._known[one.parent])
            self._known[each] = put(moved, moved, self.frames, self._frames)
        return None if before is None else self._known[before]


def first(things: Sequence[Hashable]) -> dict[Hashable, int]:
    """Where each thing is first."""
    return {thing: at for at, thing in reversed([*enumerate(things)])}


def put(thing: T, key: Hashable, things: list[T], known: dict[Hashable, int]) -> int:
    """Where a thing is, as the last one where it is new."""
    at = known.setdefault(key, len(things))
    if at == len(things):
        things.append(thing)
    return at


def _key(aval: schema.Aval) -> Hashable:
    """An aval holds a list."""
    return (aval.text, aval.kind, str(aval.shape), aval.weak_type, aval.sharding, aval.memory)
