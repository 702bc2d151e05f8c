"""The sentences of the kernel that a page shows: each has a key, its English text, and named parts.

`scripts/sentences.py` writes the tables to `js/src/sentences.ts`, where the page translates them. A
sentence whose wording depends on a count is a pair: the text for one, and the text for any other
`{count}`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from string import Formatter

from jaxviz.schema.record import NOTHING, Sentence, literal
from jaxviz.sentences.answers import ANSWERS
from jaxviz.sentences.clauses import CLAUSES
from jaxviz.sentences.findings import FINDINGS
from jaxviz.sentences.fixes import FIXES
from jaxviz.sentences.hints import HINTS
from jaxviz.sentences.reports import REPORTS
from jaxviz.sentences.stages import STAGES

Texts = str | tuple[str, str]
TABLES: tuple[Mapping[str, Texts], ...] = (
    FINDINGS,
    HINTS,
    FIXES,
    STAGES,
    ANSWERS,
    REPORTS,
    CLAUSES,
)
SENTENCES: Mapping[str, Texts] = {key: text for table in TABLES for key, text in table.items()}


def sentence(key: str, **parts: str | int | Sentence) -> Sentence:
    """The sentence of a key, with its parts filled in. Numbers have thousands separators."""
    texts = SENTENCES[key]
    if isinstance(texts, tuple):
        one, more = texts
        template = one if parts["count"] == 1 else more
    else:
        template = texts
    texts_of_parts = {
        name: f"{part:,}" if isinstance(part, int) else str(part) for name, part in parts.items()
    }
    return Sentence(
        key=key,
        parts=tuple(parts[name] for name in part_names(texts)),
        text=template.format(**texts_of_parts),
    )


def sentence_of(error: BaseException) -> Sentence:
    """The sentence that an exception was raised with, or its message."""
    return next((one for one in error.args if isinstance(one, Sentence)), literal(str(error)))


def part_names(texts: Texts) -> list[str]:
    """The names of the parts: `count` first in a pair, and the others in the order of the last
    text."""
    more = texts if isinstance(texts, str) else texts[-1]
    names = [name for _, name, _, _ in Formatter().parse(more) if name]
    return list(dict.fromkeys(names if isinstance(texts, str) else ["count", *names]))


def joined(sentences: Sequence[Sentence]) -> Sentence:
    """All sentences as one, joined by semicolons; an empty one if there are none."""
    return _in_one("joined", sentences)


def in_a_row(sentences: Sequence[Sentence]) -> Sentence:
    """All sentences one after the other, each once, without empty ones."""
    return _in_one("in a row", [*filter(None, dict.fromkeys(sentences))])


def _in_one(key: str, sentences: Sequence[Sentence]) -> Sentence:
    if not sentences:
        return NOTHING
    return reduce(lambda first, second: sentence(key, first=first, second=second), sentences)


def with_texts(one: Sentence, change: Callable[[str], str]) -> Sentence:
    """The sentence, with `change` applied to its parts that are text, in order to clean text of a
    program."""
    if one.key == "":
        return literal(change(one.text))
    parts = {
        name: part
        if isinstance(part, int)
        else change(part)
        if isinstance(part, str)
        else with_texts(part, change)
        for name, part in zip(part_names(SENTENCES[one.key]), one.parts, strict=True)
    }
    return sentence(one.key, **parts)
