"""Reads the options in the line `%%jaxviz …` above a cell."""

from __future__ import annotations

from typing import NamedTuple

from IPython.core.error import UsageError

OPTIONS = ("--hits", "--max-retraces")


class Heading(NamedTuple):
    """The options of the line."""

    hits: bool = False
    max_retraces: int | None = None


def heading(line: str) -> Heading:
    """Reads the line. Raises UsageError, with a sentence, for anything that is not an option."""
    found = Heading()
    words = [part for word in line.split() for part in halves(word)]
    while words:
        match words:
            case ["--hits", *words]:
                found = found._replace(hits=True)
            case ["--max-retraces", number, *words] if number.isdecimal():
                found = found._replace(max_retraces=int(number))
            case ["--max-retraces", number, *_]:
                raise UsageError(
                    f"--max-retraces takes a number of at least 0, not {number!r}: "
                    "write --max-retraces 0."
                )
            case ["--max-retraces"]:
                raise UsageError("--max-retraces needs a value: write --max-retraces 0.")
            case [word, *_] if word.startswith("-"):
                raise UsageError(
                    f"there is no option {word}: the options are {', '.join(OPTIONS)}; "
                    "%%jaxviz? tells of them."
                )
            case _:
                raise UsageError(
                    f"%%jaxviz runs the cell below it and takes no call: write %jaxviz {line}, "
                    "with one %, to see the program of a call."
                )
    return found


def halves(word: str) -> list[str]:
    """An option with its value, `--name=value`, as two words; any other word as it is."""
    name, equals, value = word.partition("=")
    return [name, value] if name in OPTIONS and equals else [word]
