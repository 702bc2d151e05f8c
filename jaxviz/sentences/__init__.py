"""The sentences of the kernel that a page shows: each has a key, its English text, and named parts.

`scripts/sentences.py` writes the tables to `js/src/sentences.ts`, where the page translates them. A sentence whose
wording depends on a count is a pair: the text for one, and the text for any other `{count}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from string import Formatter

from jaxviz.schema.sentence import Sentence, literal
from jaxviz.sentences.findings import FINDINGS
from jaxviz.sentences.hints import HINTS

Texts = str | tuple[str, str]
TABLES: tuple[Mapping[str, Texts], ...] = (FINDINGS, HINTS)
SENTENCES: Mapping[str, Texts] = {key: text for table in TABLES for key, text in table.items()}


def sentence(key: str, **parts: str | int | Sentence) -> Sentence:
    """The sentence of a key, with its parts filled in. Numbers are written with their thousands parted."""
    texts = SENTENCES[key]
    if isinstance(texts, tuple):
        one, more = texts
        template = one if parts["count"] == 1 else more
    else:
        template = texts
    written = {
        name: f"{part:,}" if isinstance(part, int) else str(part) for name, part in parts.items()
    }
    return Sentence(
        key=key,
        parts=tuple(parts[name] for name in part_names(texts)),
        text=template.format(**written),
    )


def part_names(texts: Texts) -> list[str]:
    """The names of the parts: `count` first in a pair, and all others by their first places in the last text."""
    more = texts if isinstance(texts, str) else texts[-1]
    names = [name for _, name, _, _ in Formatter().parse(more) if name]
    return list(dict.fromkeys(names if isinstance(texts, str) else ["count", *names]))


def joined(sentences: Sequence[Sentence]) -> Sentence:
    """All of them as one sentence, with semicolons; an empty one of none."""
    if not sentences:
        return literal("")
    return reduce(lambda first, second: sentence("joined", first=first, second=second), sentences)
