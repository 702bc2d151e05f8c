"""Ids name what is seen, as paths from the root: `3.0/5`. As `js/src/facts/ids.ts`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import quote

ROOT = ""


@dataclass(frozen=True)
class Step:
    """What the last step of an id stands for."""

    kind: str
    """`eqn`, `body`, `group`, `binder` or `gathered`."""
    index: int = -1
    eqn: int = -1
    """Of a body the eqn that holds it."""
    binder: str = ""
    """`in`, `out` or `const`."""


def _join(path: str, step: str) -> str:
    return f"{path}/{step}" if path else step


def eqn_id(path: str, index: int) -> str:
    return _join(path, str(index))


def body_id(path: str, eqn: int, index: int) -> str:
    return _join(path, f"{eqn}.{index}")


def group_id(path: str, index: int) -> str:
    return _join(path, f"g{index}")


def binder_id(path: str, binder: str, index: int) -> str:
    return _join(path, f"{binder}{index}")


def gathered_id(path: str, binder: str, prefix: str) -> str:
    formed = quote(re.sub("[\ud800-\udfff]", "\ufffd", prefix), safe="!'()*")
    return _join(path, f"{binder}:{formed}")


_STEP = re.compile(r"(\d+)|(\d+)\.(\d+)|g(\d+)|(in|out|const)(\d+)|(in|out|const):(.*)", re.ASCII)


@lru_cache(maxsize=10_000)
def parse(id: str) -> tuple[str, Step]:
    """The path of an id's graph, and its last step."""
    path, _, last = id.rpartition("/")
    match = _STEP.fullmatch(last)
    if match is None:
        raise ValueError(f"not an id: {id}")
    eqn, holder, body, group, binder, index, gathered, _ = match.groups()
    if eqn is not None:
        return path, Step("eqn", int(eqn))
    if holder is not None:
        return path, Step("body", int(body), int(holder))
    if group is not None:
        return path, Step("group", int(group))
    if binder is not None:
        return path, Step("binder", int(index), binder=binder)
    return path, Step("gathered", binder=gathered)
