"""Notes each cell, so that source lines can name their cell. Shows the log of a cell with
`%%jaxviz`, and of every cell after `%jaxviz on`."""

from __future__ import annotations

import ast
import linecache
import sys
import threading
import warnings
from collections.abc import Callable
from contextlib import suppress
from types import CodeType
from typing import Any, NamedTuple

from IPython.core.interactiveshell import ExecutionInfo, ExecutionResult, InteractiveShell

from jaxviz.capture.shown.objects import title_of
from jaxviz.capture.shown.source import cells_run, note_cell
from jaxviz.display.live_log import LiveLog, is_worth_a_strip
from jaxviz.display.running_cell import in_kernel, of_engine, request, stored_count
from jaxviz.magics.cards import show_card
from jaxviz.session import Log, session
from jaxviz.tools.registry import cell_profiles
from jaxviz.watch import exceeded

RUNS_A_CELL = InteractiveShell.run_cell_async.__code__


class Heading(NamedTuple):
    """The options of `%%jaxviz`."""

    hits: bool = False
    predict: bool = False
    profile: bool = False
    peak: Any = None
    max_retraces: int | None = None


class Watched:
    """The log of the cell that runs, from now until it ends."""

    def __init__(self, shell: InteractiveShell, asked: Heading | None) -> None:
        """`asked` has the options of the cell's `%%jaxviz`; None if it has no such line. Then the
        log is shown as a strip."""
        self.shell = shell
        self.asked = asked
        self._changed = threading.Event()
        options = asked or Heading()
        self.log = Log(hits=options.hits or options.predict, keep=True, on_change=self._changed.set)
        self.log.predict = options.predict
        self.in_cell = running_cells() > 0
        """False if `%%jaxviz` was called as a function, outside of any cell."""
        self._open = False
        self._profile: Any = None
        self._live: LiveLog | None = None

    def begin(self, is_wanted: Callable[[], bool]) -> None:
        """Begins the log. `is_wanted` returns True while the cell has this log."""
        session.open(self.log, is_wanted)
        self._open, options = True, self.asked or Heading()
        with suppress(Exception):
            strip = self.asked is None
            self._live = LiveLog(self.log, self._changed, strip)
        if options.profile:
            self._profile = cell_profiles.begin(self.log, options.peak)

    def end(self, error: str | None, has_output: bool) -> None:
        """Ends the log and shows it. `error` is the class of the exception that ended the cell, if
        one did; `has_output` is as in `LiveLog.end`."""
        with suppress(Exception):
            session.cell_ends(lambda: cell_code(self.shell))
        with cell_profiles.ended(self.log, self._profile):
            session.close(self.log, error)
        if not self._open:
            return
        with suppress(Exception):
            shown = self._shown(has_output)
            if not shown and (
                self.asked is not None or (not in_kernel() and is_worth_a_strip(self.log))
            ):
                print(self.log)

    def _shown(self, has_output: bool) -> bool:
        """Shows the log in a page. False if there is no page."""
        with suppress(Exception):
            if self._live is not None:
                self._live.end(has_output)
                return True
        return False

    def judge(self, result: ExecutionResult) -> None:
        """Makes the cell fail, with the reasons, if it retraced more often than
        `--max-retraces` allows."""
        limit = None if self.asked is None else self.asked.max_retraces
        error = exceeded(self.log, limit)
        if error is None or not result.success:
            return
        fail(self.shell, result, error, f"RetraceError: {error}")


class Watching:
    """Watches the cells of a shell. A cell that runs within another (`%%capture`, `%run`) belongs
    to the outer one.

    Its hooks never raise, so cells are not affected.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.log: Log | None = None
        """The log of all cells, while watching is on."""
        self._cell: Watched | None = None
        self._thread = threading.get_ident()

    def on(self) -> None:
        """Begins to watch each cell, the one that runs too."""
        if self.log is None:
            log = self.log = Log()
            session.open(log, lambda: self.log is log)
        if running_cells() > 0:
            self._begin(None)

    def off(self) -> None:
        log, self.log = self.log, None
        if log is not None:
            session.close(log)
        if self._cell is not None and self._cell.asked is None:
            self._end()

    def close(self) -> None:
        """Ends all watching, of the cell that runs too."""
        self.off()
        self._end()

    def begin(self, asked: Heading) -> None:
        """Begins the log of the running cell. If a cell inside it asks for a log, too, only the
        outer one gets it."""
        if self._cell is not None and self._cell.asked is not None:
            return
        with suppress(Exception):
            self._end()
            self._begin(asked)

    def before(self, _: ExecutionInfo) -> None:
        """IPython's hook for a cell that begins."""
        if threading.get_ident() != self._thread:
            return  # a cell of a subshell, which runs at the same time
        with suppress(Exception):
            if running_cells() > 1:
                return
            if self._cell is not None and self._cell.in_cell:
                self._end()  # the kernel did not say that this cell ended
            session.at_rest()
            if self.log is not None:
                self._begin(None)

    def after(self, result: ExecutionResult | None) -> None:
        """IPython's hook for a cell that has ended. A cell that was interrupted in an `await` has
        no result."""
        if threading.get_ident() != self._thread:
            return
        try:
            if running_cells() == 0:
                self._judge(result)
                session.at_rest()
        except KeyboardInterrupt as interrupt:
            if result is None or not result.success:
                raise
            fail(self.shell, result, interrupt, "KeyboardInterrupt")
        except Exception:
            return

    def _begin(self, asked: Heading | None) -> None:
        if self._cell is None:
            cell = self._cell = Watched(self.shell, asked)
            cell.begin(lambda: self._cell is cell)

    def _judge(self, result: ExecutionResult | None) -> None:
        error = ended_by(result)
        has_output = result is not None and (error is not None or result.result is not None)
        cell = self._end(error, has_output)
        show_card(result, watched=cell is not None)
        if cell is not None and result is not None:
            cell.judge(result)

    def _end(self, error: str | None = None, has_output: bool = False) -> Watched | None:
        cell, self._cell = self._cell, None
        if cell is not None:
            cell.end(error, has_output)
        return cell


def fail(shell: InteractiveShell, result: ExecutionResult, error: BaseException, text: str) -> None:
    """Makes a cell that went well fail with an exception, and shows this text of it."""
    lines = text.splitlines()
    # IPython gets the traceback from the exception. No line of it is the user's.
    vars(error)["_render_traceback_"] = lambda: lines
    result.error_in_exec = error
    shell.last_execution_succeeded = False
    shell.showtraceback((type(error), error, None))


def ended_by(result: ExecutionResult | None) -> str | None:
    """The class of the exception that ended a cell; None if there was none."""
    if result is None:
        return "KeyboardInterrupt"
    error = result.error_before_exec or result.error_in_exec
    return None if error is None else title_of(type(error))


class Cells:
    """Notes the cells that a shell runs."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell

    def before(self, info: ExecutionInfo) -> None:
        """Notes the cell that begins. The hook never raises, so the cell is not affected."""
        try:
            cell = getattr(info, "cell_id", None) or request().get("metadata", {}).get("cellId")
            count = stored_count(self.shell) + 1 if info.store_history and not of_engine() else None
            self.note(info.raw_cell or "", cell, count, getattr(info, "transformed_cell", None))
        except Exception:
            return

    def note_running(self) -> None:
        """Notes the cell that loads the extension. It began before the hook was registered."""
        try:
            asked = request()
            if code := asked.get("content", {}).get("code"):
                count = None if of_engine() else stored_count(self.shell)
                self.note(code, asked["metadata"].get("cellId"), count)
        except Exception:
            return

    def note(
        self, raw: str, cell: str | None, count: int | None, transformed: str | None = None
    ) -> None:
        """Notes a cell under the file name with which IPython compiles it. If `transformed`, the
        code that IPython runs, is known, the user's input transformers do not run twice."""
        shell = self.shell
        number = shell.execution_count if count is None else count
        file = shell.compile.get_code_name(raw, transformed or shell.transform_cell(raw), number)
        note_cell(file, raw, cell, count)


def cell_code(shell: InteractiveShell) -> tuple[CodeType, dict[str, Any]] | None:
    """The code of the latest cell, compiled again, and the user's names. None if it is not known.
    Warnings of the compiler were shown when the cell ran."""
    file = next(cells_run(), None)
    text = "" if file is None else "".join(linecache.getlines(file))
    if file is None or not text:
        return None
    with warnings.catch_warnings(action="ignore"):
        code = compile(text, file, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return code, shell.user_ns


def running_cells() -> int:
    """The number of cells that run in this thread, one within another, counted on the stack."""
    frame, count = sys._getframe(), 0
    while frame is not None:
        count += frame.f_code is RUNS_A_CELL
        frame = frame.f_back
    return count
