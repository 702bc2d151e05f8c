"""What Tab offers behind `%jaxviz`."""

from __future__ import annotations

import re
from typing import Any

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.interactiveshell import InteractiveShell

from jaxviz.magics.line import OPTIONS
from jaxviz.stages import KINDS


def completions(shell: InteractiveShell) -> Any:
    """A matcher for what stands behind `%jaxviz`: the user's names, and the options."""

    @context_matcher(identifier="jaxviz")
    def matcher(context: CompletionContext) -> SimpleMatcherResult:
        line = context.text_until_cursor.rpartition("\n")[2]
        if not re.match(r"\s*(?:[\w\s,]*=\s*)?%jaxviz\s", line):
            return SimpleMatcherResult(completions=[])
        token = context.token
        before = line[: len(line) - len(token)].split()
        if token.startswith("-"):
            found = [option for option in OPTIONS if option.startswith(token)]
        elif before[-1] == "--stage":
            found = [stage for stage in KINDS if stage.startswith(token)]
        elif "." in token:
            found = shell.Completer.attr_matches(token)
        else:
            found = shell.Completer.global_matches(token)
        return SimpleMatcherResult(
            completions=[SimpleCompletion(text=text) for text in found], suppress=bool(found)
        )

    return matcher
