"""The lines that hold the magics: `%jaxviz` with a call, and options before or after it; `%%jaxviz`
above a cell, with its options, which becomes the cell's first statement; and what Tab offers there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from IPython.core.completer import (
    CompletionContext,
    SimpleCompletion,
    SimpleMatcherResult,
    context_matcher,
)
from IPython.core.error import UsageError
from IPython.core.inputtransformer2 import cell_magic
from IPython.core.interactiveshell import InteractiveShell

from jaxviz.capture import PLATFORMS
from jaxviz.pages import kinds
from jaxviz.reports.profile import AskedPeak, checked_peak
from jaxviz.schema.opening import OPTIONS as OPENING

EXAMPLES = {
    **{f"--{name}": str(option.example) for name, option in OPENING.items()},
    "--platform": "tpu",
    "--devices": "256",
    "--static-argnames": "mode",
    "--save": "p.json",
    "--peak": "2e12,1e11",
    "--lines": "3,4",
}
"""The options of `%jaxviz` that take a value, each with an example."""
RUNS = ("--find-nan", "--statistics", "--profile", "--timeit")
"""The options that run a call or its program, and return what that told."""
OF_RUN = {"--peak": "--profile", "--lines": "--statistics"}
"""Options that go with one of these alone."""
OPTIONS = (*EXAMPLES, "--steps", *RUNS, "-o")
VALUES = {"--platform": PLATFORMS, "--peak": ("measured",)}
"""What Tab offers after two of them."""
SWITCH = ("on", "off")
EXPLAIN = "explain"
"""What may stand in place of a call, as `on` and `off` may."""
HEADING_OPTIONS = ("--hits", "--predict", "--profile", "--peak", "--max-retraces")
"""The options of `%%jaxviz`."""
HITS = "Also count the calls that JAX's caches know, which costs each of them a little."
PROFILE = (
    "Also run the cell under JAX's profiler, for at most 10 seconds, 200,000 events or 200 MB, and "
    "show where the time went. Nothing is run twice."
)
PEAK = (
    "With --profile: what the machine does at most in a second, flops,bytes (2e12,1e11), or "
    "`measured` to measure it here. What each instruction does is held against it."
)
"""What three of them do."""

OPTION = re.compile(r"(?<!\S)-(?:-[\w-]+|[A-Za-z])(?:=\S*)?(?!\S)")
HEADING = re.compile(r"%%jaxviz(?![\w?])[ \t]*(.*)")
MAGIC = re.compile(r"\s*(?:[\w\s,]*=\s*)?(%%?)jaxviz\s")


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
    """The same words. Raises UsageError for an unknown option, for one without its value, and for
    two that do not go together."""
    for index, word in enumerate(words):
        name = word.partition("=")[0]
        if re.match(r"-\D", word) and name not in OPTIONS:
            raise UsageError(
                f"there is no option {name}: the options are {', '.join(OPTIONS)}; "
                "%jaxviz? tells of them."
            )
        if name in EXAMPLES and "=" not in word and index + 1 == len(words):
            raise UsageError(f"{name} needs a value: write {name} {EXAMPLES[name]}.")
    names = {word.partition("=")[0] for word in words}
    if "--steps" in names and names & {"--platform", "--devices"}:
        raise UsageError(
            "--steps shows the trace, which has no platform or devices: leave one out."
        )
    if {"--platform", "--devices"} <= names:
        raise UsageError(
            "--devices compiles for the CPU, and --platform may lower for another: leave one out."
        )
    if {"--platform", "--memory"} <= names:
        raise UsageError(
            "--memory is of what XLA compiles, and --platform only lowers: leave one out."
        )
    return words


def static_names(text: str) -> tuple[str, ...] | None:
    """The names that follow `--static-argnames`."""
    return tuple(part for part in re.split(r"[,\s]+", text) if part) or None


def number_of(devices: str | None) -> int | None:
    """The number that follows `--devices`. Raises UsageError where it is none."""
    if devices is not None and not (devices.isdecimal() and int(devices)):
        raise UsageError(
            f"--devices takes a number of at least 1, not {devices!r}: write --devices 256."
        )
    return None if devices is None else int(devices)


def run_asked_for(words: list[str]) -> str | None:
    """The option of `RUNS` among these. Raises UsageError where another of a program stands beside
    it, and for a peak without a profile, and the like."""
    names = [word.partition("=")[0] for word in words]
    run = next((name for name in names if name in RUNS), None)
    for name in names:
        if name in OF_RUN and OF_RUN[name] not in names:
            raise UsageError(_without_its_run(name, "%jaxviz loss(…)"))
    allowed = (run, "--static-argnames", *OF_RUN)
    others = [name for name in names if name in OPTIONS and name not in allowed]
    if run and others:
        raise UsageError(f"{run} stands alone: leave out {', '.join(others)}.")
    return run


def _without_its_run(name: str, magic: str) -> str:
    run = OF_RUN[name]
    return f"{name} goes with {run}: write {magic} {run} {name} {EXAMPLES[name]}."


def asked_peak(text: str) -> AskedPeak:
    """What follows `--peak`. Raises UsageError where it is no peak."""
    if text == "measured":
        return "measured"
    try:
        flops, moved = map(float, text.split(","))
        checked_peak((flops, moved))
    except ValueError:
        raise UsageError(
            f"--peak takes flops and bytes in a second, or `measured`, not {text!r}: "
            f"write --peak {EXAMPLES['--peak']}."
        ) from None
    return flops, moved


class Heading(NamedTuple):
    """The options of a line `%%jaxviz`."""

    hits: bool = False
    predict: bool = False
    profile: bool = False
    peak: AskedPeak = None
    max_retraces: int | None = None


def heading(line: str) -> Heading:
    """Reads what follows `%%jaxviz`. Raises UsageError, with a sentence, for all but options."""
    found = Heading()
    words = [part for word in line.split() for part in halves(word)]
    while words:
        match words:
            case ["--hits", *words]:
                found = found._replace(hits=True)
            case ["--predict", *words]:
                found = found._replace(hits=True, predict=True)
            case ["--profile", *words]:
                found = found._replace(profile=True)
            case ["--peak", text, *words]:
                found = found._replace(peak=asked_peak(text))
            case ["--peak"]:
                raise UsageError(f"--peak needs a value: write --peak {EXAMPLES['--peak']}.")
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
                    f"there is no option {word}: the options are {', '.join(HEADING_OPTIONS)}; "
                    "%%jaxviz? tells of them."
                )
            case _:
                raise UsageError(
                    f"%%jaxviz runs the cell below it and takes no call: write %jaxviz {line}, "
                    "with one %, to see the program of a call."
                )
    if found.peak is not None and not found.profile:
        raise UsageError(_without_its_run("--peak", "%%jaxviz"))
    return found


def halves(word: str) -> list[str]:
    """An option with its value, `--name=value`, as two words; any other word as it is."""
    name, equals, value = word.partition("=")
    return [name, value] if name in HEADING_OPTIONS and equals else [word]


def first_statement(lines: list[str]) -> list[str]:
    """The cell with a call of the magic in place of its first line, and otherwise unchanged.

    So lines keep their numbers, and top-level `await`, the last value and tracebacks work as
    without the magic. A further magic (`%%time`) may stand below.
    """
    found = HEADING.match(lines[0]) if lines else None
    if found is None:
        return lines
    body = lines[1:]
    start = next((index for index, line in enumerate(body) if line.strip()), 0)
    call = f"get_ipython().run_cell_magic('jaxviz', {found[1].strip()!r}, None)\n"
    return [call, *body[:start], *cell_magic(body[start:])]


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
            found = beginning(context.token, HEADING_OPTIONS)
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
    if before == [EXPLAIN]:
        return beginning(token, kinds())
    if before and before[-1] in VALUES:
        return beginning(token, VALUES[before[-1]])
    option = OPENING.get(before[-1].removeprefix("--")) if before else None
    if option is not None and before[-1].startswith("--"):
        return beginning(token, option.choices)
    if "." in token:
        return [*shell.Completer.attr_matches(token)]
    switch = [] if before else beginning(token, (*SWITCH, EXPLAIN))
    return [*switch, *shell.Completer.global_matches(token)]


def beginning(token: str, words: Sequence[str]) -> list[str]:
    return [word for word in words if word.startswith(token)]
