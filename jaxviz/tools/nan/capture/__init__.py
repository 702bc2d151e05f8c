"""Finds the origin of the NaN of a call: the call's program runs once more, eqn by eqn, with the
marks of `marks.py` beside its values (`reader.py`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr
from msgspec.structs import replace

from jaxviz.capture.rerun import Rerun, own_run
from jaxviz.capture.rerun.interpreter import Carried, Interpreter, Location, Reader, Step
from jaxviz.capture.rerun.stepping import Stepping, mesh_of
from jaxviz.schema import Eqn, Frame, Listing, Words
from jaxviz.sentences import sentence
from jaxviz.tools.nan.capture.flaws import any_flaw
from jaxviz.tools.nan.capture.marks import (
    ALONE,
    CLEAN_MARK,
    CONSTANT,
    COUNT,
    DEVICE,
    HERE,
    JOINED,
    LEFT,
    LOOPS,
    LOST,
    OF_CONSTANT,
    PLACE,
    RESULT,
    SITE,
    SOME_LEFT_OUT,
    WHEN,
    library_of,
)
from jaxviz.tools.nan.capture.reader import Origins
from jaxviz.tools.nan.capture.unchosen import Trap
from jaxviz.tools.nan.record import Hidden, NanOrigin, NanOrigins

_IN_AN_ARGUMENT = -1
"""The `WHEN` of an argument's flaws. The site is then the argument's number."""


def origins_of(again: Rerun) -> NanOrigins:
    """The origins in a run of a program. It runs with marks only if a result of a run without them
    is not finite: eqn by eqn. If nothing is flawed then, because of other rounding, it runs as a
    whole, which takes long to compile."""
    origins = list[NanOrigin]()
    if again.of(_flawed(again.closed)):
        reader = Origins()
        with own_run(again.later.settings), mesh_of(again.flat):
            rows = _run(Stepping(reader), again.closed)(*jax.device_put(again.flat))
        if (rows == CLEAN_MARK).all():
            rows = again.of(_run(Interpreter(reader), again.closed))
        origins = [*_Found(again, reader).origins(rows)]
    return NanOrigins(origins=origins, left_out=[*again.left_out], run_again=again.run_again)


def _flawed(closed: ClosedJaxpr) -> Callable[..., Any]:
    """A function of the program's inputs that is true if a result is not finite."""

    def run(*flat: Any) -> Any:
        given = Carried([*flat], [None] * len(flat), None)
        out = Interpreter(Reader()).run(closed.jaxpr, closed.consts, given, Location())
        return any_flaw(out.values)

    return run


def _run(run: Interpreter, closed: ClosedJaxpr) -> Callable[..., Any]:
    """A function of the program's inputs that returns only the marks of its results."""

    def marks_of(*flat: Any) -> Any:
        parts = enumerate(flat)
        marks = [run.reader.mark_of_part(run, value, _of_argument(at)) for at, value in parts]
        given = Carried([*flat], marks, np.int32(0))
        out = run.run(closed.jaxpr, closed.consts, given, Location())
        library = library_of(*out.marks)
        return library.stack([*map(library.asarray, out.marks)] or [CLEAN_MARK])

    return marks_of


def _of_argument(number: int) -> Any:
    """The mark of an argument. Infinities of arguments have no origin."""
    mark = CLEAN_MARK.copy()
    mark[0, [JOINED, LEFT, HERE, WHEN, SITE]] = ALONE, 0, LOST, _IN_AN_ARGUMENT, number
    mark[1, [JOINED, LEFT, HERE, WHEN]] = ALONE, 0, LOST, OF_CONSTANT
    return mark


class _Found:
    """Reads marks as records."""

    def __init__(self, again: Rerun, reader: Origins) -> None:
        self._program = again.program
        self._stage = again.jaxpr
        self._jaxpr = again.closed.jaxpr
        self._graphs = {id(jaxpr): number for number, jaxpr in enumerate(again.jaxprs)}
        self._sites = reader.paths
        self._traps = reader.unchosen.traps

    def origins(self, rows: Any) -> Iterator[NanOrigin]:
        """The first origin of each kind among those of all results."""
        for kind, name in enumerate(("NaN", "infinity")):
            result = int(np.argmin(rows[:, kind, WHEN]))
            row = [int(number) for number in rows[result, kind]]
            if row[WHEN] < OF_CONSTANT:
                yield self._origin(name, row, result)

    def _origin(self, kind: str, row: list[int], result: int) -> NanOrigin:
        call, reached = self._stage.call, self._program.results[result].path
        if call and call.results:
            reached = call.results[result] or reached
        var = self._jaxpr.outvars[result]
        found = NanOrigin(
            kind=kind,
            at=f"out{result}",
            to=f"out{result}",
            argument=None,
            op="",
            constant=row[CONSTANT] == 1,
            graph=-1,
            eqn=-1,
            frame=None,
            backward=False,
            around=(),
            index=(),
            type="",
            one_of=1,
            device=None,
            result=reached,
            hidden=None,
            others=row[JOINED] == SOME_LEFT_OUT,
        )
        if row[WHEN] == _IN_AN_ARGUMENT:
            argument = self._program.args[row[SITE]].path
            return replace(found, at=f"in{row[SITE]}", argument=argument)
        if path := self._sites[row[SITE]]:
            return self._in_eqn(found, row, path)
        if var in self._jaxpr.constvars:
            return replace(found, at=f"const{self._jaxpr.constvars.index(var)}")
        return found

    def _in_eqn(self, found: NanOrigin, row: list[int], path: tuple[Step, ...]) -> NanOrigin:
        step = path[-1]
        eqn, aval = self._eqn(step), step.jaxpr.eqns[step.eqn].outvars[row[RESULT]].aval
        shape = getattr(aval, "shape", ())
        is_known = found.constant or not row[LEFT] or row[HERE] != LOST or row[COUNT] < 2
        index = np.unravel_index(row[PLACE], shape) if is_known and row[COUNT] else ()
        scopes = [self._stage.scopes[self._eqn(one).scope] for one in path]
        frame = None if eqn.frame is None else self._stage.frames[eqn.frame]
        return replace(
            found,
            at=self._id(path),
            op=eqn.op,
            graph=self._graphs[id(step.jaxpr)],
            eqn=step.eqn,
            frame=frame and replace(frame, parent=None),
            backward=any("transpose(" in scope for scope in scopes),
            around=tuple(self._around(path, row[LOOPS:])),
            index=tuple(map(int, index)),
            type=aval.str_short(short_dtypes=True),
            one_of=1 if is_known else row[COUNT],
            device=row[DEVICE] if row[DEVICE] >= 0 else None,
            hidden=self._hidden(self._traps.get((row[WHEN], row[SITE]))),
        )

    def _hidden(self, trap: Trap | None) -> Hidden | None:
        """The choice that does not help, and the operation whose input should be chosen first."""
        if trap is None:
            return None
        choice, at = (self._frame(path) for path in trap)
        if choice is None or at is None:
            return None
        expression = _expression_of(self._program.listings, at)
        return Hidden(choice=choice, at=at, before=_called_in(expression) or at.code)

    def _frame(self, path: Sequence[Step]) -> Frame | None:
        """The user's line of the eqn at the end of a path, without its callers. An eqn in a
        function of JAX itself, such as `_where`, may have the line of an earlier call of it."""
        while len(path) > 1 and self._eqn(path[-2]).name.startswith("_"):
            path = path[:-1]
        frame = self._eqn(path[-1]).frame
        return None if frame is None else replace(self._stage.frames[frame], parent=None)

    def _id(self, path: Sequence[Step]) -> str:
        """The id of the eqn at the end of a path: `3.0/5`."""
        steps = []
        for step, inner in pairwise(path):
            bodies = [body.graph for body in self._eqn(step).bodies]
            graph = self._graphs[id(inner.jaxpr)]
            body = bodies.index(graph) if step.branch is None else step.branch
            steps.append(f"{step.eqn}.{body}")
        return "/".join([*steps, str(path[-1].eqn)])

    def _eqn(self, step: Step) -> Eqn:
        return self._stage.graphs[self._graphs[id(step.jaxpr)]].eqns[step.eqn]

    def _around(self, path: Sequence[Step], iterations: Sequence[int]) -> Iterator[Words]:
        """The loops of a path, each with its iteration, and its branches."""
        left = iter(iterations)
        for step in path:
            name = step.jaxpr.eqns[step.eqn].primitive.name
            if name in ("scan", "while"):
                iteration = next(left, -1)
                yield sentence(f"of {name}", number=str(iteration)) if iteration >= 0 else name
            elif step.branch is not None:
                label = self._eqn(step).bodies[step.branch].label
                yield sentence("of cond", branch=label.removeprefix("branch "))


def _expression_of(listings: Sequence[Listing], frame: Frame) -> str:
    """The expression of a frame, if it is on one known line; else empty."""
    if not frame.column or frame.end_line != frame.line:
        return ""
    for one in listings:
        lines, at = one.text.split("\n"), frame.line - one.start
        if (one.file, one.cell) == (frame.file, frame.cell) and 0 <= at < len(lines):
            return lines[at][frame.column - 1 : frame.end_column - 1].strip()
    return ""


def _called_in(expression: str) -> str:
    """The function that an expression calls, `sqrt` for `jnp.sqrt(x)`; else the expression."""
    found = re.match(r"(?:\w+\.)*(\w+)\(.*\)$", expression)
    return found[1] if found else expression
