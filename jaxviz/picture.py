"""The static pictures, drawn by the page's own TypeScript: for where no script runs.

`js/src/hosts/kernel.ts` is bundled as `static/picture.js` and run by quickjs-ng, a small JavaScript
engine, in a context that is made for one picture and dropped with it. So there is nothing that
another thread, a fork or an event loop could meet: no thread, no lock, nothing that is kept.
"""

from __future__ import annotations

import json
import time
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.drawable import drawable

CODE = Path(__file__).parent / "static" / "picture.js"
MOST_ITEMS = (40, 20, 10)
"""Boxes in one place, fewer where a picture is too large."""
LARGEST = 40_000
"""Bytes."""
SECONDS = 2.0
"""A picture that takes longer is given up. Until then an interrupt waits."""
TRIES = (1, 8, 64)
"""The engine counts the processor time of all threads. So while others compute, it may give up long
before: then it is tried again with so many times as much."""
MEMORY = 256 * 2**20
STACK = 200 * 2**10
"""Bytes. The stack of a thread has 512 kB on macOS, of which Python needs some too."""

MISSING = (
    "the package quickjs-ng, which draws pictures, is not installed: run `pip install quickjs-ng`."
)
FOREIGN = (
    "the archived package quickjs stands in the place of quickjs-ng, which draws pictures: run "
    "`pip uninstall -y quickjs quickjs-ng`, then `pip install quickjs-ng`, and restart the kernel."
)
LATE = f"drawing it took more than {SECONDS:.0f} s."


class NotDrawn(ValueError):
    """There is no engine, or it failed: one sentence says why, and how to mend it."""


def picture(record: schema.Program, opening: schema.Opening = schema.UNCHOSEN) -> str:
    """An SVG of one stage of a program: at most 1000 px wide and 40 kB, on a ground of its own.

    Of the stage that is to be seen first, or the first that is there. What is open is what the page
    opens at first, less where that is too large; the colours are always the same. Raises
    ValueError where the program has no graph to draw, and NotDrawn where the engine fails.
    """
    first_drawable(record)
    svg = ""
    for most in MOST_ITEMS:
        sent = json_of(drawable(record, opening, most))
        svg = drawn("picture", sent, msgspec.json.encode(opening).decode(), most)
        if len(svg.encode()) <= LARGEST:
            break
    return svg


def dot(record: schema.Program) -> str:
    """The program's first stage in the language of Graphviz, as the page saves it too. Raises as
    `picture` does."""
    stage = first_drawable(record)
    lean = replace(record, listings=[], stages=[replace(stage, text="", frames=[])])
    return drawn("dot", json_of(lean), stage.kind)


def first_drawable(record: schema.Program) -> schema.Stage:
    """Raises ValueError where no stage has a graph."""
    for stage in record.stages:
        if stage.graphs:
            return stage
    raise ValueError(f"there is no graph to draw of {record.name!r}: save it as .json.")


def json_of(record: schema.Program | schema.Log) -> str:
    try:
        return msgspec.json.encode(record).decode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no UTF-8 can hold
        return json.dumps(msgspec.to_builtins(record))


def timeline(record: schema.Log) -> str:
    """An SVG of a log's timeline, as the page shows it at first: 760 px wide and at most 60 kB, on
    a ground of its own. Raises ValueError where nothing was traced or compiled, and NotDrawn where
    the engine fails."""
    if not record.functions and not record.ops:
        raise ValueError("nothing was traced or compiled: there is nothing to draw.")
    return drawn("timeline", json_of(replace(record, causes=[])))


def drawn(function: str, *arguments: str | int) -> str:
    """What a function of `js/src/hosts/kernel.ts` returns. Raises NotDrawn where it fails."""
    started = time.monotonic()
    for times in TRIES:
        try:
            return called(function, arguments, SECONDS * times)
        except TimeoutError:
            if time.monotonic() - started >= SECONDS:
                break
    raise NotDrawn(LATE)


def called(function: str, arguments: tuple[str | int, ...], seconds: float) -> str:
    """In a new context. Raises TimeoutError after so many seconds of all threads."""
    context = engine()
    context.set_memory_limit(MEMORY)
    context.set_max_stack_size(STACK)
    context.set_time_limit(seconds)
    try:
        context.eval(code())
        return context.get(function)(*arguments)
    except Exception as error:
        reason = str(error).partition("\n")[0]
        if reason.endswith("interrupted"):
            raise TimeoutError from None
        # Where there is no memory for an error, it is null.
        reason = "out of memory" if reason == "null" else reason
        raise NotDrawn(f"drawing it failed: {reason}.") from None


def engine() -> Any:
    """A new context. It is imported from what the module `quickjs` wraps, which starts a thread."""
    try:
        from _quickjs import Context
    except ImportError:
        raise NotDrawn(MISSING) from None
    context = Context()
    # Both packages have the same names; only one has this year's JavaScript.
    if context.eval("typeof Iterator") != "function":
        raise NotDrawn(FOREIGN)
    return context


@cache
def code() -> str:
    return CODE.read_text(encoding="utf-8")
