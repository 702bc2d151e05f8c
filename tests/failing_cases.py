"""The cases of `tests/failing`: programs that fail, and what is true of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "failing"
_MEND = re.compile(r"^(same result|other result|sketch): ?(.*)$((?:\n.+)*)", re.MULTILINE)
_FACT = re.compile(r"^(\w+): ?(.*)$", re.MULTILINE)


class Truth(NamedTuple):
    """A mend as its author would write it."""

    promise: str
    where: str
    """The lines that it replaces, `3-5`; of a sketch a word of it."""
    lines: list[str]


class Case(NamedTuple):
    """A cell that fails, and what is true of it."""

    name: str
    source: str
    error: str
    kind: str
    expression: str
    facts: dict[str, str]
    mend: Truth | None


def case(block: str) -> Case:
    name, _, rest = block.partition("\n")
    marked, _, truth = rest.partition("\n---\n")
    head, _, below = truth.strip().partition("\n")
    error, _, kind = head.partition(": ")
    found = _MEND.search(below)
    facts = dict(_FACT.findall(below))
    return Case(
        name=name,
        source=re.sub("[«»]", "", marked).strip("\n"),
        error=error,
        kind=kind,
        expression=facts.get("expression", marked[marked.index("«") + 1 : marked.index("»")]),
        facts=facts,
        mend=Truth(found[1], found[2], found[3].strip("\n").splitlines()) if found else None,
    )


CASES = [
    case(block)
    for file in sorted(FOLDER.glob("*.txt"))
    for block in re.split(r"^=== ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
]
