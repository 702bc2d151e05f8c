"""Finds where the NaN of a call was born: the call's program runs once more, eqn by eqn, with the
marks of `marks.py` beside its values (`stepping.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Literal
from msgspec.structs import replace

from jaxviz.capture.births.flaws import any_flaw, is_inexact
from jaxviz.capture.births.hidden import Trap
from jaxviz.capture.births.marking import Marking, Sites
from jaxviz.capture.births.marks import (
    ALONE,
    CLEAN_MARK,
    COUNT,
    DEVICE,
    HERE,
    LEFT,
    LOST,
    MET,
    NOT_BORN,
    PLACE,
    RESULT,
    SITE,
    SOME_LEFT_OUT,
    TURNS,
    WHEN,
    library_of,
)
from jaxviz.capture.births.stepping import Stepping, mesh_of
from jaxviz.capture.jaxprs.walk import walk
from jaxviz.capture.rerun import Rerun
from jaxviz.capture.rerun.interpreter import Around, Carried, Interpreter, Step
from jaxviz.capture.rerun.own_run import own_run
from jaxviz.measures.births import Birth, Told, called_in, expression_of
from jaxviz.schema import Eqn, Frame, Hidden, Program

_IN_AN_ARGUMENT = -1
"""Written as `WHEN` of what an argument holds, whose number is then the site."""


def births_of(again: Rerun) -> Told:
    """What a run of a program tells. It runs with marks only where a result of a run without them
    is not finite: eqn by eqn, and as a whole, which takes long to compile, where nothing is flawed
    then, since it was rounded otherwise."""
    if not again.of(_flawed(again.closed)):
        return Told(None, None, again.left_out, again.run_again)
    sites = Sites()
    stepping = Stepping(sites)
    with own_run(again.later.settings), mesh_of(again.flat):
        rows = _run(stepping, again.closed)(*jax.device_put(again.flat))
    if (rows == CLEAN_MARK).all():
        rows = again.of(_run(Marking(sites), again.closed))
    found = _Found(again.program, again.closed, sites.paths, stepping.traps)
    nan, infinity = (found.birth(rows[:, kind]) for kind in range(2))
    return Told(nan, infinity, again.left_out, again.run_again)


def _flawed(closed: ClosedJaxpr) -> Callable[..., Any]:
    """A function of the program's inputs that tells whether a result is not finite."""

    def run(*flat: Any) -> Any:
        given = Carried([*flat], [None] * len(flat), None)
        return any_flaw(Interpreter().run(closed.jaxpr, closed.consts, given, Around()).values)

    return run


def _run(marking: Marking, closed: ClosedJaxpr) -> Callable[..., Any]:
    """A function of the program's inputs that gives the marks of its results alone."""

    def run(*flat: Any) -> Any:
        parts = enumerate(flat)
        marks = [marking.mark_of_part(value, _of_argument(number)) for number, value in parts]
        given = Carried([*flat], marks, np.int32(0))
        out = marking.run(closed.jaxpr, closed.consts, given, Around())
        library = library_of(*out.marks)
        return library.stack([*map(library.asarray, out.marks)] or [CLEAN_MARK])

    return run


def _of_argument(number: int) -> Any:
    """The mark of an argument. Infinities of arguments are not born here."""
    mark = CLEAN_MARK.copy()
    mark[0, [MET, LEFT, HERE, WHEN, SITE]] = ALONE, 0, LOST, _IN_AN_ARGUMENT, number
    mark[1, [MET, LEFT, HERE, WHEN]] = ALONE, 0, LOST, NOT_BORN
    return mark


class _Found:
    """Reads marks as records."""

    def __init__(
        self,
        program: Program,
        closed: ClosedJaxpr,
        sites: Sequence[tuple[Step, ...]],
        traps: Mapping[tuple[int, int], Trap],
    ) -> None:
        self._program = program
        self._stage = program.stages[0]
        jaxprs = walk(closed.jaxpr).jaxprs
        self._graphs = {id(jaxpr): number for number, jaxpr in enumerate(jaxprs)}
        self._sites = sites
        self._traps = traps

    def birth(self, rows: Any) -> Birth | None:
        """The first birth among those of all results; None where nothing was born."""
        result = int(np.argmin(rows[:, WHEN]))
        row = [int(number) for number in rows[result]]
        if row[WHEN] >= NOT_BORN:
            return None
        call, reached = self._stage.call, self._program.results[result].path
        if call and call.results:
            reached = call.results[result] or reached
        others, to = row[MET] == SOME_LEFT_OUT, f"out{result}"
        if row[WHEN] == _IN_AN_ARGUMENT:
            argument, at = self._program.args[row[SITE]].path, f"in{row[SITE]}"
            return Birth(
                *(reached, argument, "", -1, -1, False, None, False, (), (), 1, "", None, others),
                *(None, at, to),
            )
        return self._in_eqn(row, reached, to)

    def _in_eqn(self, row: list[int], reached: str, to: str) -> Birth:
        path = self._sites[row[SITE]]
        graph, step = self._graphs[id(path[-1].jaxpr)], path[-1]
        eqn, made = self._eqn(step), step.jaxpr.eqns[step.eqn]
        aval: Any = made.outvars[row[RESULT]].aval
        place = np.unravel_index(row[PLACE], aval.shape)
        constant = any(map(_is_nan, made.invars))
        is_known = constant or not row[LEFT] or row[HERE] != LOST or row[COUNT] < 2
        scopes = [self._stage.scopes[self._eqn(one).scope] for one in path]
        return Birth(
            result=reached,
            argument=None,
            op=eqn.op,
            graph=graph,
            eqn=step.eqn,
            constant=constant,
            frame=None if eqn.frame is None else self._stage.frames[eqn.frame],
            backward=any("transpose(" in scope for scope in scopes),
            around=tuple(self._around(path[:-1], row[TURNS:])),
            index=tuple(map(int, place)) if is_known else (),
            one_of=1 if is_known else row[COUNT],
            type=aval.str_short(short_dtypes=True),
            device=row[DEVICE] if row[DEVICE] >= 0 else None,
            others=row[MET] == SOME_LEFT_OUT,
            hidden=self._hidden(self._traps.get((row[WHEN], row[SITE]))),
            at=self._id(path),
            to=to,
        )

    def _hidden(self, trap: Trap | None) -> Hidden | None:
        """The choice that does not help, and what its input should be chosen before."""
        if trap is None:
            return None
        choice, at = (self._frame(path) for path in trap)
        if choice is None or at is None:
            return None
        expression = expression_of(self._program.listings, at)
        return Hidden(choice=choice, at=at, before=called_in(expression) or at.code)

    def _frame(self, path: Sequence[Step]) -> Frame | None:
        """The user's line of the eqn at the end of a way, without its callers. What is in a
        function of JAX's own, such as `_where`, may have the line of an earlier call of it."""
        while len(path) > 1 and self._eqn(path[-2]).name.startswith("_"):
            path = path[:-1]
        frame = self._eqn(path[-1]).frame
        return None if frame is None else replace(self._stage.frames[frame], parent=None)

    def _id(self, path: Sequence[Step]) -> str:
        """The id of the eqn at the end of a way: `3.0/5`."""
        steps = []
        for step, inner in pairwise(path):
            bodies = [body.graph for body in self._eqn(step).bodies]
            held = self._graphs[id(inner.jaxpr)]
            body = bodies.index(held) if step.branch is None else step.branch
            steps.append(f"{step.eqn}.{body}")
        return "/".join([*steps, str(path[-1].eqn)])

    def _eqn(self, step: Step) -> Eqn:
        return self._stage.graphs[self._graphs[id(step.jaxpr)]].eqns[step.eqn]

    def _around(self, path: Sequence[Step], turns: Sequence[int]) -> list[str]:
        """What of the way to the eqn is a loop, with its turn, or a branch."""
        told, left = [], iter(turns)
        for step in path:
            name = step.jaxpr.eqns[step.eqn].primitive.name
            if name in ("scan", "while"):
                turn = next(left, -1)
                unit = "index" if name == "scan" else "iteration"
                told.append(f"{name}, {unit} {turn}" if turn >= 0 else name)
            elif step.branch is not None:
                told.append(f"cond, {_branch(self._eqn(step).bodies[step.branch].label)}")
        return told


def _branch(label: str) -> str:
    return label if label.startswith("branch") else f"branch {label}"


def _is_nan(atom: Any) -> bool:
    """Whether the atom is NaN, written in the program."""
    return isinstance(atom, Literal) and is_inexact(atom.val) and bool(np.isnan(atom.val).any())
