"""Reads the line after `%jaxviz`: a call, with options before or after it."""

from __future__ import annotations

import re

from IPython.core.error import UsageError

from jaxviz.schema.opening import OPTIONS as OPENING

EXAMPLES = {
    **{f"--{name}": str(option.example) for name, option in OPENING.items()},
    "--static-argnames": "mode",
    "--save": "p.json",
}
"""The options that take a value, each with an example."""
OPTIONS = (*EXAMPLES, "-o")
SWITCH = ("on", "off")
"""What may stand in place of a call."""
OPTION = re.compile(r"(?<!\S)-(?:-[\w-]+|[A-Za-z])(?:=\S*)?(?!\S)")


def separate(line: str) -> tuple[str, list[str]]:
    """The text of the call, and the words of the options before and after it."""
    bare = masked(line)
    words: list[str] = []
    call: list[str] = []
    at = 0
    for found in OPTION.finditer(bare):
        if found.start() < at:
            continue
        call.append(line[at : found.start()])
        stop = found.end()
        words.append(line[found.start() : stop])
        value = re.compile(r"\s+(\S+)").match(bare, stop)
        if found.group() in EXAMPLES and value:
            stop = value.end()
            words.append(unquoted(line[value.start(1) : stop]))
        at = stop
    return "".join([*call, line[at:]]).strip().rstrip(";"), words


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


def checked(words: list[str]) -> list[str]:
    """The same words. Raises UsageError for an unknown option, and for one without its value."""
    for index, word in enumerate(words):
        name = word.partition("=")[0]
        if re.match(r"-\D", word) and name not in OPTIONS:
            raise UsageError(
                f"there is no option {name}: the options are {', '.join(OPTIONS)}; "
                "%jaxviz? tells of them."
            )
        if name in EXAMPLES and "=" not in word and index + 1 == len(words):
            raise UsageError(f"{name} needs a value: write {name} {EXAMPLES[name]}.")
    return words
