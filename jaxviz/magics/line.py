"""The lines that contain the magics: `%jaxviz` with a call, and options before or after it;
`%%jaxviz` above a cell, with its options, which becomes the cell's first statement; and what Tab
offers there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.inputtransformer2 import cell_magic
from IPython.core.interactiveshell import InteractiveShell

from jaxviz.magics.options import CELL, HELP, MAGICS, Magic
from jaxviz.pages import kinds
from jaxviz.tools.option import Option

SWITCH = ("on", "off")
EXPLAIN = "explain"
"""A word in place of a call, like `on` and `off`."""

OPTION = re.compile(r"(?<!\S)(-(?:-[\w-]+|[A-Za-z]))(=\S*)?(?!\S)")
HEADING = re.compile(r"%%jaxviz(?![\w?])[ \t]*(.*)")
MAGIC = re.compile(r"\s*(?:[\w\s,]*=\s*)?(%%?jaxviz)\s")


def read(magic: Magic, line: str) -> tuple[str, dict[Option, Any]]:
    """The text of the call, and the options before and after it with their values. Raises
    UsageError, with one sentence, for options that are wrong."""
    bare = masked(line)
    written: list[tuple[str, str | None]] = []
    call: list[str] = []
    at = 0
    for found in OPTION.finditer(bare):
        if found.start() < at:
            continue
        call.append(line[at : found.start()])
        word, at = found[1], found.end()
        text = line[found.start(2) + 1 : at] if found[2] else None
        option = magic.named(word)
        value = re.compile(r"\s+(\S+)").match(bare, at)
        if text is None and value and option and option.value:
            text, at = line[value.start(1) : value.end()], value.end()
        written.append((word, None if text is None else unquoted(text)))
    return "".join([*call, line[at:]]).strip().rstrip(";"), magic.read(written)


def masked(line: str) -> str:
    """The line with `x` for each character in brackets or quotes, so that no option is found
    there."""
    bare: list[str] = []
    depth = 0
    quote = ""
    escaped = False
    for char in line:
        inside = depth > 0 or quote != ""
        if quote:
            quote = "" if char == quote and not escaped else quote
            escaped = char == "\\" and not escaped
        elif char in "'\"":
            quote = char
            inside = True
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth = max(0, depth - 1)
            inside = depth > 0
        bare.append("x" if inside else char)
    return "".join(bare)


def unquoted(word: str) -> str:
    return word[1:-1] if len(word) > 1 and word[0] == word[-1] and word[0] in "'\"" else word


def first_statement(lines: list[str]) -> list[str]:
    """The cell with a call of the magic in place of its first line, and otherwise unchanged.

    So lines keep their numbers, and top-level `await`, the last value and tracebacks work as
    without the magic. A further magic (`%%time`) may stand below. With `--help` the cell does not
    run.
    """
    found = HEADING.match(lines[0]) if lines else None
    if found is None:
        return lines
    body = [] if HELP in map(CELL.named, found[1].split()) else lines[1:]
    start = next((index for index, line in enumerate(body) if line.strip()), 0)
    call = f"get_ipython().run_cell_magic('jaxviz', {found[1].strip()!r}, None)\n"
    return [call, *body[:start], *cell_magic(body[start:])]


def completions(shell: InteractiveShell) -> Any:
    """IPython's matcher for what follows the magics: the user's names, and the options."""

    @context_matcher(identifier="jaxviz")
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.text_until_cursor.rpartition("\n")[2]
        found = MAGIC.match(line)
        if found is None:
            return SimpleMatcherResult(completions=[])
        before = line[found.end() : len(line) - len(context.token)].split()
        magic = next(one for one in MAGICS if one.name == found[1])
        texts = in_line(shell, magic, before, context.token)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text=text) for text in texts], suppress=bool(texts)
        )

    return matcher


def in_line(shell: InteractiveShell, magic: Magic, before: list[str], token: str) -> list[str]:
    """Completions of `token` after a magic and the words `before`."""
    option = magic.named(before[-1]) if before else None
    if option is not None and option.value is not None:
        return beginning(token, option.value.words)
    if token.startswith("-") or not magic.call:
        return beginning(token, magic.names)
    if before == [EXPLAIN]:
        return beginning(token, kinds())
    if "." in token:
        return [*shell.Completer.attr_matches(token)]
    switch = [] if before else beginning(token, (*SWITCH, EXPLAIN))
    return [*switch, *shell.Completer.global_matches(token)]


def beginning(token: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith(token)]
