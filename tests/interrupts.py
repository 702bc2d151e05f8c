"""Interrupts a tool at the lines of the package that it reaches, and checks what is left.

    python tests/interrupts.py watch cell --others 30 --seed 1

runs in a process of its own and prints a JSON object for each tool. Python calls a function of ours
at each line (`sys.settrace`), which raises KeyboardInterrupt at the chosen one. A tool that sets
such a function itself needs `--probes`: then a call before each statement is compiled into the
package.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import dis
import io
import json
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

PACKAGE = str(Path(__file__).resolve().parent.parent / "jaxviz") + "/"
OPENING = (
    "capture/changes.py",
    "capture/_events.py",
    "capture/_hooks.py",
    "capture/events/hits.py",
    "capture/events/listener.py",
    "capture/jaxprs/_printer.py",
    "capture/rerun/__init__.py",
    "magics/watching.py",
    "session/session.py",
    "tools/profile/capture/cell_session.py",
    "tools/profile/capture/sessions.py",
    "tools/profile/cell.py",
    "tools/steps/capture/recorder.py",
    "tools/timeit/capture.py",
    "watch.py",
)
"""The files that register, replace or open something outside of the package."""


DROPPED = {"_Printed.flush": "Python's io calls it when it frees the object"}
"""The functions of ours whose callers drop an interrupt, with who they are."""


class Line(NamedTuple):
    """A line of the package."""

    file: str
    number: int

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


class Interrupter:
    """Counts how often the main thread comes to each line, or interrupts it at one of them."""

    def __init__(self, at: Line | None = None, visit: int = 0) -> None:
        self.at = at
        self.visit = visit
        self.visits: Counter[Line] = Counter()
        self.raised = False
        self.function = ""
        """The name of the function that was interrupted."""

    def comes_to(self, line: Line) -> None:
        """Notes a line. Raises KeyboardInterrupt at the chosen visit of the chosen one."""
        if self.raised:
            return
        self.visits[line] += 1
        if line == self.at and self.visits[line] == self.visit:
            self.raised = True
            frame = sys._getframe()
            while not frame.f_code.co_filename.startswith(PACKAGE) and frame.f_back:
                frame = frame.f_back
            self.function = frame.f_code.co_qualname
            raise KeyboardInterrupt

    @contextmanager
    def by_lines(self) -> Iterator[None]:
        """Hears of each line as a debugger does."""

        def hears(frame: FrameType, event: str, _: Any) -> Any:
            file = frame.f_code.co_filename
            if self.raised or not file.startswith(PACKAGE):
                return None
            line = Line(file[len(PACKAGE) :], frame.f_lineno)
            if self.at is not None and line.file != self.at.file:
                return None
            if event == "line" and frame.f_lasti not in _exits(frame.f_code):
                self.comes_to(line)
            return hears

        sys.settrace(hears)
        try:
            yield
        finally:
            sys.settrace(None)

    @contextmanager
    def by_probes(self) -> Iterator[None]:
        """Hears of each line by the calls that `Probed` compiled into the package."""
        _probes.append(self)
        try:
            yield
        finally:
            _probes.remove(self)


@cache
def _exits(code: CodeType) -> set[int]:
    """Where a `with` begins to call `__exit__(None, None, None)`. A debugger hears of a line there,
    but Python never interrupts there: a lock whose `__exit__` is written in C is always released.
    """
    steps = [step for step in dis.get_instructions(code) if step.opname != "PRECALL"]
    return {
        first.offset
        for first, *rest, call in zip(steps, steps[1:], steps[2:], steps[3:], strict=False)
        if all((one.opname, one.argval) == ("LOAD_CONST", None) for one in (first, *rest))
        and (call.opname, call.arg) == ("CALL", 2)
    }


_probes: list[Interrupter] = []


def _probe(file: str, number: int) -> None:
    if _probes and threading.current_thread() is threading.main_thread():
        _probes[-1].comes_to(Line(file, number))


class Probed(SourceFileLoader):
    """Loads a module with a call of `_probe` before each statement of a function."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        tree = _with_probes(ast.parse(self.get_data(path)), path[len(PACKAGE) :])
        return compile(tree, path, "exec", dont_inherit=True)


class Finder(PathFinder):
    """Finds the modules of the package."""

    @classmethod
    def find_spec(cls, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        spec = super().find_spec(fullname, path, target)
        if spec and spec.origin and spec.origin.startswith(PACKAGE) and spec.origin.endswith(".py"):
            spec.loader = Probed(fullname, spec.origin)
            return spec
        return None


def _with_probes(tree: ast.Module, file: str) -> ast.Module:
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    for node in {id(n): n for function in functions for n in ast.walk(function)}.values():
        for part in ("body", "orelse", "finalbody"):
            block = getattr(node, part, None)
            if isinstance(block, list) and not isinstance(node, ast.ClassDef):
                setattr(node, part, [one for stmt in block for one in _after_probe(stmt, file)])
    return tree


def _after_probe(statement: ast.stmt, file: str) -> list[ast.stmt]:
    of = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    if of or isinstance(statement, ast.Global | ast.Nonlocal):
        return [statement]
    [probe] = ast.parse(f"__probe__({file!r}, {statement.lineno})").body
    for node in ast.walk(probe):
        ast.copy_location(node, statement)
    return [probe, statement]


def install_probes() -> None:
    """Compiles probes into the package, which must not be imported yet."""
    for function in (_probe, Interrupter.comes_to):
        # So the recorder of steps does not take it for a function of the user's.
        function.__code__ = function.__code__.replace(co_filename="<string>")
    setattr(builtins, "__probe__", _probe)  # noqa: B010
    sys.meta_path.insert(0, Finder)


class Tool(NamedTuple):
    """A use of the package, which raises KeyboardInterrupt if the user sees one."""

    run: Callable[[], object]
    rest: Callable[[], object]
    """An action of the user afterwards, such as `%jaxviz off`."""


class Report:
    """Results of the interrupts of one tool."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines = self.interrupted = 0
        self.missed: list[str] = []
        """Lines that the second run did not come to: caches answer it."""
        self.undelivered: list[str] = []
        """Lines where Python cannot deliver an exception, as in callbacks of weak references."""
        self.faults: list[str] = []
        self.seconds = 0.0
        """CPU time."""


def interrupts(
    name: str, tool: Tool, probes: bool, chosen: Callable[[list[Line]], list[Line]]
) -> Report:
    """Interrupts a tool at each line that is chosen of those that it reaches."""
    import left_behind

    def ran(interrupter: Interrupter) -> str:
        """The result of one run."""
        lost.clear()
        try:
            with interrupter.by_probes() if probes else interrupter.by_lines():
                tool.run()
        except KeyboardInterrupt:
            return "raised"
        except BaseException as error:
            return f"replaced by {type(error).__name__}: {error}"
        if not interrupter.raised:
            return "missed"
        return "undelivered" if lost or interrupter.function in DROPPED else "swallowed"

    lost: list[Any] = []
    sys.unraisablehook = lambda unraisable: lost.append(unraisable.exc_type)
    began, report = time.process_time(), Report(name)
    tool.run()
    tool.run()
    ran(counted := Interrupter())
    tool.rest()
    before = left_behind.world()
    report.lines = len(counted.visits)
    for line in chosen([*counted.visits]):
        for visit in sorted({1, counted.visits[line]}):
            how = ran(Interrupter(line, visit))
            where, found = f"{name} {line} visit {visit}", [how]
            found += left_behind.not_let_through()
            if report.interrupted % 2:
                left_behind.at_rest()
            found += left_behind.wrong_watch()
            tool.rest()
            left_behind.at_rest()
            after = left_behind.world()
            found += left_behind.differences(before, after)
            before = after
            report.interrupted += how == "raised"
            match found:
                case ["raised"]:
                    continue
                case ["missed"]:
                    report.missed.append(where)
                case ["undelivered"]:
                    report.undelivered.append(where)
                case _:
                    report.faults.append(f"{where}: {'; '.join(found)}")
                    print(report.faults[-1], file=sys.stderr, flush=True)
    report.seconds = round(time.process_time() - began, 1)
    return report


def main() -> None:
    asked = argparse.ArgumentParser()
    asked.add_argument("tools", nargs="+")
    asked.add_argument("--probes", action="store_true")
    asked.add_argument("--others", type=int, help="how many lines outside of OPENING; else all")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--only", default="", help="lines of files whose name has this")
    given = asked.parse_args()
    if given.probes:
        install_probes()
    out = sys.stdout
    sys.stdout = io.StringIO()
    import interrupted_tools

    done: set[Line] = set()

    def chosen(lines: list[Line]) -> list[Line]:
        lines = [line for line in lines if given.only in line.file]
        if given.others is None:
            return lines
        opening = [line for line in lines if line.file in OPENING and line not in done]
        done.update(opening)
        rest = sorted(line for line in lines if line.file not in OPENING)
        return opening + random.Random(given.seed).sample(rest, min(given.others, len(rest)))

    for name in given.tools:
        report = interrupts(name, interrupted_tools.tool(name), given.probes, chosen)
        print(json.dumps(vars(report)), file=out, flush=True)


if __name__ == "__main__":
    main()
