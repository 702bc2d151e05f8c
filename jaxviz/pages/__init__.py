"""Pages of text on kinds of errors: what each means, an example, and what to write instead.

A page is a file of Markdown in each language, `en/KIND.md` and `ko/KIND.md`, with the same
examples. It begins with a title and one paragraph that gives the reason. A title ends with words
that people search, in parentheses: exceptions, or "recompilation". Cards and lists of findings have
the title without them. To add a kind, add its two files.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from jaxviz.schema import Page

FOLDER = Path(__file__).parent
LANGUAGES = Page.__struct_fields__
SEARCHED = re.compile(r" \([^()]*\)$")
"""The searched words at the end of a title."""


def kinds() -> list[str]:
    """The kinds that have a page."""
    return sorted(path.stem for path in (FOLDER / LANGUAGES[0]).glob("*.md"))


@cache
def page(kind: str) -> Page:
    """The page of a kind. Raises ValueError, with a sentence, where there is none."""
    if kind not in kinds():
        raise ValueError(f"there is no page {kind!r}: the kinds are {', '.join(kinds())}.")
    files = (FOLDER / language / f"{kind}.md" for language in LANGUAGES)
    return Page(*(file.read_text(encoding="utf-8") for file in files))


def heading(text: str) -> tuple[str, str]:
    """The title of a page without the searched words at its end, and its first paragraph."""
    title, why, *_ = text.split("\n\n")
    return SEARCHED.sub("", title.removeprefix("# ")), why
