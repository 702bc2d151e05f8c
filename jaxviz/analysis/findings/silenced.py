"""Which findings a comment silences: `# jaxviz: ignore upcast`, or all with `# jaxviz: ignore`.

It may stand on the line of the finding, on any line of that expression, and on a line that called
the function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxviz.analysis.findings.searched import Found, Searched

_COMMENT = re.compile(r"#\s*jaxviz:\s*ignore\b([^#]*)")
_KIND = re.compile(r"[a-z][\w-]*")


def is_ignored(kind: str, found: Found, searched: Searched) -> bool:
    return any(
        not kinds or kind in kinds for line in lines(found, searched) for kinds in ignored(line)
    )


def ignored(line: str) -> Iterator[list[str]]:
    """The kinds that a line silences; an empty list where it silences all."""
    for comment in _COMMENT.finditer(line):
        yield _KIND.findall(comment[1])


def lines(found: Found, searched: Searched) -> Iterator[str]:
    """The lines on which a comment counts."""
    if found.at is not None:
        yield from searched.lines(found.at)
    if found.places:
        for frame in searched.chain(searched.eqn(found.places[0]).frame):
            yield from searched.lines(frame)
