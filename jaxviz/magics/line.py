"""Reads the lines of the magics: `%jaxviz` with a call and options, `%%jaxviz` with options, which
becomes the cell's first statement. Completes them for Tab, and parses the call.
"""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Sequence
from typing import Any

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import cell_magic
from IPython.core.interactiveshell import InteractiveShell

from jaxviz.capture.calls.evaluate import CALL_FILE
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
    """The cell with a call of the magic instead of its first line.

    So lines keep their numbers, and top-level `await`, the last value and tracebacks work as
    without the magic. Another magic (`%%time`) may follow. With `--help` the cell does not run.
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


def parse(text: str) -> ast.Call:
    """The call as a syntax tree. From now on tracebacks can show its text. Raises UsageError if the
    text is not a call."""
    try:
        expression = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(
            f"`{text}` is no call that Python can read: {reason}; "
            "write it as in %jaxviz loss(params, x)."
        ) from None
    if not isinstance(expression, ast.Call):
        if isinstance(expression, ast.Name | ast.Attribute):
            raise UsageError(f"`{text}` is not a call: write the call: %jaxviz {text}(…)")
        raise UsageError(f"`{text}` is not a call: write the call, as in %jaxviz loss(params, x).")
    linecache.cache[CALL_FILE] = (len(text), None, [f"{text}\n"], CALL_FILE)
    return expression


def value_named(text: str, user_ns: dict[str, Any], local_ns: dict[str, Any] | None) -> Any:
    """The value of a name such as `lowered`, `made.step` or `made['step']`. None if it has no
    value, or if the text is more than a name."""
    try:
        named = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    if not isinstance(named.body, ast.Name | ast.Attribute | ast.Subscript):
        return None
    try:
        return eval(compile(named, CALL_FILE, "eval"), user_ns, local_ns or {})
    except Exception:
        return None


def receiver(call: ast.Call) -> str:
    """The user's name of the array whose method is called: `x` in `x.sum(axis=0)` and in
    `x.at[0].set(1.0)`. Empty if it does not begin with a name."""
    if not isinstance(call.func, ast.Attribute):
        return ""
    value = call.func.value
    match value:
        case ast.Subscript(value=ast.Attribute(value=array, attr="at")):
            value = array
    part = value
    while isinstance(part, ast.Attribute | ast.Subscript):
        part = part.value
    return ast.unparse(value) if isinstance(part, ast.Name) else ""
