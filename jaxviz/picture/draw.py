"""Draws static pictures, for places where no script runs, with the page's own TypeScript.

`js/src/hosts/kernel.ts` is bundled as `static/picture.js`. quickjs-ng, a small JavaScript engine,
runs it. Reading that code takes longer than drawing a small picture, so each thread retains an
engine that has read it. An engine that failed or uses much memory is dropped. No thread is started
and no lock taken, so other threads, forks and event loops are safe.
"""

from __future__ import annotations

import json
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.picture.drawable import drawable, stage_to_draw, whole
from jaxviz.safety.files import SENTENCE, lacks_descriptor
from jaxviz.schema.opening import PICTURE_ITEMS, SVG_BYTES

CODE = Path(__file__).parents[1] / "static" / "picture.js"
SECONDS = 5.0
"""The most CPU seconds for one drawing. An interrupt waits until then."""
TRIES = (1, 8, 64)
"""Factors of the time limit, tried in turn. The engine counts the processor time of all threads, so
that it may give up long before SECONDS have passed while other threads compute."""
MEMORY = 256 * 2**20
"""The most bytes of the engine."""
MOST_RETAINED = 4 * 2**20
"""The most bytes of an engine that is retained for the next picture."""
STACK = 200 * 2**10
"""The most bytes of the engine's stack. On macOS a thread has 512 kB, and Python needs some of
it."""

MISSING = (
    "the package quickjs-ng, which draws pictures, is not installed: run `pip install quickjs-ng`."
)
FOREIGN = (
    "the archived package quickjs has replaced quickjs-ng, which draws pictures: run "
    "`pip uninstall -y quickjs quickjs-ng`, then `pip install quickjs-ng`, and restart the kernel."
)
LATE = f"drawing it took more than {SECONDS:.0f} s."


MARKING: set[str] = set()
"""The tools whose reports mark eqns in a picture, which then shows the whole stage.
`tools/registry.py` adds them."""


class NotDrawn(ValueError):
    """The engine is missing or failed. The message is one sentence: the reason, and the fix if it
    is known."""


class NoEngine(NotDrawn):
    """The engine is not installed, as on a platform for which it has no wheel."""


def picture(
    record: schema.Program,
    opening: schema.Opening = schema.UNCHOSEN,
    report: schema.Report | None = None,
) -> str:
    """An SVG of one stage of a program: at most 1000 px wide and 40 kB, with its own background.

    It shows the stage that `opening` names, or else the first one, with the same boxes open as in
    the page's first view, or fewer if the picture would be too large. It marks the eqns that
    `report` marks. Colours do not follow the theme.
    Raises ValueError if the program has no graph to draw, and NotDrawn if the engine fails.
    """
    svg = ""
    opens = msgspec.json.encode(opening).decode()
    stage = stage_to_draw(record, opening.stage or "jaxpr")
    marking = report if report and report.__struct_config__.tag in MARKING else None
    marks = msgspec.json.encode(marking).decode()
    all_of_it = "" if marking is None else json_of(whole(record, stage))
    for most in PICTURE_ITEMS:
        sent = all_of_it or json_of(drawable(record, opening, most))
        svg = drawn("picture", sent, opens, most, marks, unseen())
        if len(svg.encode()) <= SVG_BYTES:
            break
    return svg


def text_picture(text: str) -> str:
    """An SVG of some lines of text, with its own background. Raises NotDrawn if the engine
    fails."""
    return drawn("textPicture", text)


def dot(record: schema.Program) -> str:
    """The program's first stage in Graphviz's language DOT, the same as the page saves. Raises as
    `picture` does."""
    stage = stage_to_draw(record)
    return drawn("dot", json_of(whole(record, stage)), stage.kind)


@cache
def unseen() -> str:
    """An eqn and a graph without values, as JSON: the page takes from them what counts lack."""
    empty = {"eqn": schema.empty(schema.Eqn), "graph": schema.empty(schema.Graph)}
    return msgspec.json.encode(empty).decode()


def json_of(record: schema.Program | schema.Log) -> str:
    try:
        return msgspec.json.encode(record).decode()
    except UnicodeEncodeError:  # half of a surrogate pair, which no UTF-8 can hold
        return json.dumps(msgspec.to_builtins(record))


def timeline(record: schema.Log) -> str:
    """An SVG of a log's timeline, as the page shows it at first: 760 px wide and at most 60 kB,
    with its own background. Raises ValueError if nothing was traced or compiled, and NotDrawn if
    the engine fails."""
    if not record.functions and not record.ops:
        raise ValueError("nothing was traced or compiled: there is nothing to draw.")
    return drawn("timeline", json_of(replace(record, causes=[])))


def drawn(function: str, *arguments: str | int) -> str:
    """Calls a function of `js/src/hosts/kernel.ts`. Raises NotDrawn if that fails."""
    started = time.monotonic()
    for times in TRIES:
        try:
            return called(function, arguments, SECONDS * times)
        except TimeoutError:
            if time.monotonic() - started >= SECONDS:
                break
    raise NotDrawn(LATE)


def called(function: str, arguments: tuple[str | int, ...], seconds: float) -> str:
    """Calls a function in an engine. Raises TimeoutError after `seconds` of CPU time of all
    threads, and NotDrawn for any other failure."""
    try:
        kind = engine_class()
        engine = retained.take(kind) or read(kind(), seconds)
        engine.set_time_limit(seconds)
        found = engine.get(function)(*arguments)
    except NotDrawn:
        raise
    except Exception as error:
        if lacks_descriptor(error):
            raise NotDrawn(f"drawing it failed: {SENTENCE}") from None
        reason = str(error).partition("\n")[0]
        if reason.endswith("interrupted"):
            raise TimeoutError from None
        # Where there is no memory for an error, it is null.
        reason = "out of memory" if reason == "null" else reason
        raise NotDrawn(f"drawing it failed: {reason}.") from None
    retained.put(kind, engine)
    return found


def engine_class() -> Any:
    """The engine's class, which comes from `_quickjs`, since the module `quickjs` around it starts
    a thread when imported. Raises NoEngine if the package is not there."""
    try:
        from _quickjs import Context
    except ModuleNotFoundError:
        raise NoEngine(MISSING) from None
    return Context


def read(engine: Any, seconds: float) -> Any:
    """A new engine, once it has read the code."""
    # Both packages have the same names; only one has this year's JavaScript.
    if engine.eval("typeof Iterator") != "function":
        raise NotDrawn(FOREIGN)
    engine.set_memory_limit(MEMORY)
    engine.set_max_stack_size(STACK)
    engine.set_time_limit(seconds)
    engine.eval(code())
    return engine


class RetainedEngine(threading.local):
    """The engine that a thread retains for its next picture."""

    stored: tuple[Any, str, Any] | None = None
    """The engine's class, the code that it has read, and the engine."""

    def take(self, kind: Any) -> Any:
        """The engine, which is no longer retained then; None if there is none of this class with
        the current code."""
        stored, self.stored = self.stored, None
        return stored[2] if stored and stored[:2] == (kind, code()) else None

    def put(self, kind: Any, engine: Any) -> None:
        if engine.memory()["malloc_size"] <= MOST_RETAINED:
            self.stored = kind, code(), engine


retained = RetainedEngine()


@cache
def code() -> str:
    return CODE.read_text(encoding="utf-8")
