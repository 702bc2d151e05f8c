"""What Tab offers after `%jaxviz` and `%%jaxviz`."""

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
from IPython.core.interactiveshell import InteractiveShell

from jaxviz.magics import heading
from jaxviz.magics.line import OPTIONS, SWITCH
from jaxviz.schema.opening import OPTIONS as OPENING

MAGIC = re.compile(r"\s*(?:[\w\s,]*=\s*)?(%%?)jaxviz\s")


def completions(shell: InteractiveShell) -> Any:
    """IPython's matcher for what follows `%jaxviz`: the user's names, and the options."""

    @context_matcher(identifier="jaxviz")
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.text_until_cursor.rpartition("\n")[2]
        magic = MAGIC.match(line)
        if magic is None:
            return SimpleMatcherResult(completions=[])
        before = line[magic.end() : len(line) - len(context.token)].split()
        if magic[1] == "%%":
            found = beginning(context.token, heading.OPTIONS)
        else:
            found = in_line(shell, before, context.token)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text=text) for text in found], suppress=bool(found)
        )

    return matcher


def in_line(shell: InteractiveShell, before: list[str], token: str) -> list[str]:
    """What `token` may be completed to, after `%jaxviz` and the words `before`."""
    if token.startswith("-"):
        return beginning(token, OPTIONS)
    option = OPENING.get(before[-1].removeprefix("--")) if before else None
    if option is not None and before[-1].startswith("--"):
        return beginning(token, option.choices)
    if "." in token:
        return [*shell.Completer.attr_matches(token)]
    switch = [] if before else beginning(token, SWITCH)
    return [*switch, *shell.Completer.global_matches(token)]


def beginning(token: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith(token)]
