"""Runs a program, and compares the report with the truth."""

from __future__ import annotations

import itertools
import re
import sys
import tempfile
import warnings
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from msgspec.structs import astuple

import jaxviz
from jaxviz.analysis.retraces import cause_text
from jaxviz.schema import Event
from jaxviz.session import Log
from jaxviz.session.session import Session

from .prelude import names
from .program import Cell, Program, Truth

FOLDER = Path(tempfile.mkdtemp(prefix="reliability-"))
_number = itertools.count()
_FILE = re.compile(r"[\w./-]+[/\\]case_\d+\.py")


@dataclass
class Result:
    """The result of one program."""

    program: Program
    traces: int = 0
    """The true number of traces."""
    wrong: list[str] = field(default_factory=list)
    """The program is not what it says it is: the truth itself is wrong."""
    counts: list[str] = field(default_factory=list)
    """Wrong counts, a sentence for each."""
    reasons: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    """Wrong names and lines."""
    unknown: list[str] = field(default_factory=list)
    """Reasons that are said not to be known."""
    hints: list[str] = field(default_factory=list)
    """Wrong hints, and wrong texts of causes."""

    @property
    def right(self) -> bool:
        return not (
            self.wrong or self.counts or self.reasons or self.places or self.unknown or self.hints
        )

    def lines(self) -> Iterator[str]:
        for what in ("wrong", "counts", "reasons", "places", "unknown", "hints"):
            for sentence in getattr(self, what):
                yield f"{what}: {sentence}"


def result(program: Program) -> Result:
    """Runs the program while it is watched."""
    space = names()
    found = Result(program, traces=sum(truth.traced for truth in program.truths))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            log = _run(program, space)
        except Exception as error:
            found.wrong.append(f"it ended in {type(error).__name__}: {error}"[:300])
            return found
    _check_truth(found, space["ran"])
    if not found.wrong:
        _compare(found, list(log.events), log.retraces)
        _compare_causes(found, log)
    return found


def _run(program: Program, space: dict[str, Any]) -> Log:
    """Runs it in a session of its own, which knows no other program."""
    lines, cells = program.lines, program.cells
    fresh = patch.object(sys.modules["jaxviz.watch"], "session", Session())
    with fresh, _Runner(program, space) as run:
        before = [_text(lines, cell) for cell in cells if not cell.watched]
        watched = [_text(lines, cell) for cell in cells if cell.watched]
        deque(map(run, before), 0)  # no loop of Python's own, which would be one of the user's
        with jaxviz.watch() as log:
            deque(map(run, watched), 0)
    return log


def _text(lines: Sequence[str], cell: Cell) -> str:
    """The lines of a cell at their places. No two programs have one text."""
    return "\n" * cell.start + "\n".join([*lines[cell.start : cell.end], f"# {next(_number)}"])


class _Runner:
    """Runs parts of a program: as cells of IPython where it has magics, else as a file."""

    def __init__(self, program: Program, space: dict[str, Any]) -> None:
        self.program = program
        self.space = space
        self.shell: InteractiveShell | None = None

    def __enter__(self) -> Any:
        if not self.program.in_cells:
            return self._file
        from jaxviz.magics import load_ipython_extension

        InteractiveShell.clear_instance()
        self.shell = InteractiveShell.instance()
        self.shell.user_ns.update(self.space)
        self.space["ran"] = self.shell.user_ns["ran"]
        load_ipython_extension(self.shell)
        return self._cell

    def __exit__(self, *_: object) -> None:
        if self.shell is not None:
            from jaxviz.magics import unload_ipython_extension

            unload_ipython_extension(self.shell)
            InteractiveShell.clear_instance()

    def _file(self, text: str) -> None:
        path = FOLDER / f"case_{next(_number)}.py"
        path.write_text("\n".join(self.program.lines))
        exec(compile(text, str(path), "exec"), self.space)

    def _cell(self, text: str) -> None:
        assert self.shell is not None
        with capture_output() as out:
            ran = self.shell.run_cell(text, store_history=True)
        if ran.error_before_exec or ran.error_in_exec:
            raise RuntimeError(f"{ran.error_before_exec or ran.error_in_exec!r}")
        assert "UsageError" not in out.stderr, out.stderr


def _check_truth(found: Result, ran: Sequence[str]) -> None:
    """Bodies that note their runs ran where the truth says so."""
    program = found.program
    noting = set(re.findall(r"ran\.append\(\"(.*?)\"\)", program.text))
    traced = [truth.names[0] for truth in program.truths if truth.traced]
    said = Counter(name for name in traced if name in noting)
    true = Counter(name for name in ran if name in traced)
    if program.counted and said != true:
        found.wrong.append(f"the truth has {dict(said)}, and what ran is {dict(true)}")


def _compare(found: Result, events: list[Event], retraces: int) -> None:
    program = found.program
    left = events
    groups: dict[tuple[str, ...], list[Truth]] = {}
    for truth in program.truths:
        groups.setdefault(truth.names, []).append(truth)
    for named, truths in groups.items():
        mine = [event for event in left if _is_named(event.name, named)]
        left = [event for event in left if event not in mine]
        _compare_function(found, named, truths, mine)
    found.counts += [
        f"{event.kind} of {event.name} is reported, but did not happen" for event in left
    ]
    readers = [truth for truth in program.truths if truth.traced and not truth.library]
    again = [truth for truth in readers if not truth.first]
    sure = all(len(truth.why) == 1 and not truth.fails for truth in readers)
    if sure and not found.counts and retraces != len(again):
        found.counts.append(f"{retraces} retraces are reported, not {len(again)}")


def _compare_causes(found: Result, log: Log) -> None:
    """The texts of causes, as the log and its findings have them."""
    told: dict[str, set[str]] = {name: set() for name in found.program.causes}
    for cause in log.causes:
        function = log.functions[cause.function].name
        for name in told:
            if _is_named(function, [name]):
                told[name].add(cause_text(cause))
    for name, right in found.program.causes.items():
        if told[name] != right:
            found.hints.append(
                f"the reported causes of {name} are {told[name]}, the true ones {right}"
            )


def _is_named(name: str, right: Collection[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", name) for one in right)


def _compare_function(
    found: Result, named: tuple[str, ...], truths: list[Truth], events: list[Event]
) -> None:
    name = named[0]
    traces = [event for event in events if event.kind == "trace"]
    expected = [truth for truth in truths if truth.traced]
    if len(traces) != len(expected):
        found.counts.append(f"{len(traces)} traces of {name} are reported, not {len(expected)}")
        return
    for truth, event in zip(expected, traces, strict=True):
        _check(found, truth, event)
    if any(truth.compiled is None for truth in truths):
        return
    made = sum(bool(truth.compiled) for truth in truths)
    for kind in ("lower", "compile"):
        told = [event for event in events if event.kind == kind]
        if len(told) != made:
            found.counts.append(f"{len(told)} of kind {kind} of {name} are reported, not {made}")
            return
        later = [truth for truth in truths if truth.compiled]
        for truth, event in zip(later, told, strict=True):
            if truth.traced:
                what = f"line {truth.line}: {event.kind} of {event.name}"
                _check_places(found, truth, event, what)
            else:
                _check(found, truth, event)


def _check(found: Result, truth: Truth, event: Event) -> None:
    """One trace, or one lowering or compilation without a trace."""
    what = f"line {truth.line}: {event.kind} of {event.name}"
    told = tuple(sorted(map(astuple, event.reason), key=lambda change: change[:2]))
    if truth.first and not truth.traced and not told:
        pass  # a program that was traced within another, lowered for the first time
    elif [kind for kind, *_ in told] == ["unknown"]:
        found.unknown.append(f"{what}: reason unknown, and it is {_answers(truth)}")
    elif not any(_is_same(answer, told) for answer in truth.why):
        found.reasons.append(f"{what}: {_told(told)} is reported, and it is {_answers(truth)}")
    hint = _FILE.sub("{file}", event.hint.text)
    if truth.hint is not None and hint != truth.hint:
        found.hints.append(f"{what}: the hint is {hint!r}, and right is {truth.hint!r}")
    if truth.fails != (event.error is not None):
        found.counts.append(f"{what}: its reported error is {event.error}")
    elif truth.fails and (event.failed is None or event.failed.line not in found.program.failing):
        found.places.append(f"{what}: is reported to fail at {event.failed}")
    if truth.library != event.library:
        found.counts.append(
            f"{what}: is reported to be {'a library' if event.library else 'the reader'}'s"
        )
    _check_places(found, truth, event, what)


def _check_places(found: Result, truth: Truth, event: Event, what: str) -> None:
    program = found.program
    site, definition = event.site, event.definition
    if site is None:
        found.places.append(f"{what}: no line is reported")
    elif site.line not in _lines(program, truth) or not _is_line(program, site.line, site.code):
        found.places.append(f"{what}: {site.file}:{site.line} {site.code!r} is reported")
    written = program.written(truth.names)
    if not written:
        return
    if definition is None or definition.line not in written:
        at = None if definition is None else f"{definition.file}:{definition.line}"
        found.places.append(f"{what}: is reported at {at}, and is at {sorted(written)}")


def _lines(program: Program, truth: Truth) -> set[int]:
    """The line that calls it, or that looked at the same call just before; of a trace within
    another the line of the outer call is right, too."""
    above = truth.line - 1
    looked = (
        {above} if above > program.unwatched and "jaxviz" in program.lines[above - 1] else set()
    )
    if not truth.within:
        return {truth.line, *looked}
    calls = {other.line for other in program.truths}
    names = [re.compile(rf"\b{re.escape(name)}\(") for name in truth.names]
    called = {
        number for number, line in enumerate(program.lines, 1) if any(n.search(line) for n in names)
    }
    return calls | called | looked


def _is_line(program: Program, line: int, code: str) -> bool:
    """True if the line is in this program. IPython rewrites the line of a magic."""
    return "run_line_magic" in code or program.lines[line - 1].strip().startswith(code[:60])


def _is_same(answer: tuple[Any, ...], told: tuple[tuple[str, str, str, str], ...]) -> bool:
    if len(answer) != len(told):
        return False
    return all(
        right.kind == kind
        and right.where in (where, "")
        and right.before in (before, "")
        and right.after in (after, "")
        for right, (kind, where, before, after) in zip(answer, told, strict=True)
    )


def _told(told: Sequence[tuple[str, str, str, str]]) -> str:
    shown = [
        f"{kind} {where} {before}→{after}" if before or after else f"{kind} {where}".strip()
        for kind, where, before, after in told
    ]
    return " + ".join(shown) or "nothing"


def _answers(truth: Truth) -> str:
    return " | ".join(
        _told([(c.kind, c.where, c.before, c.after) for c in answer]) for answer in truth.why
    )
