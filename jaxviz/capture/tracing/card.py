"""Makes the card of an exception, and the program that JAX had recorded when it was raised."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import jax
from msgspec.structs import replace

from jaxviz.capture.failure._frames import RecordedProgram
from jaxviz.capture.failure.attempt import Attempt, attempt, same_call
from jaxviz.capture.failure.by_kind import fixes_of
from jaxviz.capture.failure.errors import origin_of_leak
from jaxviz.capture.failure.failed_call import sketch
from jaxviz.capture.failure.failure import Failure, failure_of, involves_jax, is_asking
from jaxviz.capture.failure.libraries._running import original_jax_error
from jaxviz.capture.failure.libraries.rules import is_library_call
from jaxviz.capture.failure.sides import sides_of, tree_of, type_text
from jaxviz.capture.jaxprs.jaxpr import stage_of
from jaxviz.capture.shown.objects import title_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.capture.shown.source import cell_of, character, line_of, lines_of, place
from jaxviz.capture.shown.strings import name, plain
from jaxviz.capture.tracing.trace import program_head
from jaxviz.pages import heading, page
from jaxviz.safety.guard import as_far, guarded
from jaxviz.schema import (
    VERSION,
    Card,
    Eqn,
    Fix,
    Frame,
    Graph,
    Largest,
    Page,
    Program,
    Stage,
    Step,
    Var,
    empty,
)
from jaxviz.schema.record import NOTHING, Sentence
from jaxviz.sentences import sentence, with_texts

CONTEXT_LINES = 3
"""The number of lines that are shown before and after the expression."""
OF_SEVERAL = "batch", "branches", "carry", "memory"
"""Kinds of errors about several values, so that no value has a story."""
LONGEST_LINE = 1000
"""The limit of a line of a fix, in characters."""


class Explained(NamedTuple):
    """An exception explained in strings and numbers alone."""

    card: Card
    program: Program
    """The program so far, which may be empty."""
    attempts: list[Attempt | None]
    """The attempt of each fix; None if it cannot be tried."""


def card_of(error: BaseException, of_magic: BaseException | None = None) -> Explained | None:
    """Explains an exception; None if it has no card (`no_card` says why). If a step fails, its part
    of the card is empty. `of_magic` is the exception of a magic that `error` caused."""
    error = guarded(error, original_jax_error, error)
    failure = failure_of(error, of_magic)
    if failure is None or not failure.kind:
        return None
    if not failure.call.of_library and not guarded(True, involves_jax, error):
        return None
    call, file = failure.call, failure.at[0].co_filename
    function = name(failure.at[0].co_name)
    program = guarded(_empty(function), _program, failure.recorded, function)
    stage = program.stages[0]
    root, story = guarded((NOTHING, []), _story, failure, stage)
    at = guarded(line_of(*failure.at), _marked, failure)
    listed, offset = guarded(([], 0), _lines, file)
    start = max(at.line - offset - CONTEXT_LINES, 1)
    stop = max(at.end_line, at.line) - offset + CONTEXT_LINES
    edits = as_far(_fixes, failure, error, listed, offset)
    text = guarded(Page(en="", ko=""), page, failure.kind)
    title, why = guarded((title_of(type(error)), ""), heading, text.en)
    card = Card(
        kind=failure.kind,
        title=title,
        error=title_of(type(error)),
        why=why,
        page=text,
        at=at,
        code=[name(line) for line in listed[start - 1 : stop]],
        start=start + offset,
        asked=guarded("", _needed_type, failure, stage),
        root=root,
        story=story,
        sides=guarded([], sides_of, failure.kind, call),
        tree=guarded(None, tree_of, call.trees),
        largest=guarded(None, _largest, failure, stage, at),
        born=guarded(None, _leak_origin, error),
        fixes=[edit for edit, _ in edits],
    )
    return Explained(card, program, [tries for _, tries in edits])


def _is_about_a_value(failure: Failure, stage: Stage) -> bool:
    """True if JAX needed a traced value. A library's call needs none unless Python asked for it."""
    call = failure.call
    is_needed = is_asking(call.error) or not (call.of_library or is_library_call(call))
    return is_needed and bool(stage.graphs[0].outvars)


def _story(failure: Failure, stage: Stage) -> tuple[Sentence, list[Step]]:
    """Where the needed value comes from, if there is one."""
    if not _is_about_a_value(failure, stage) or failure.kind in OF_SEVERAL:
        return NOTHING, []
    root, story = story_of(stage)
    if not story and (root == CONSTANT or failure.kind in ("general", "gradient")):
        return NOTHING, story
    return root, story


def _needed_type(failure: Failure, stage: Stage) -> str:
    value = failure.call.needed if _is_about_a_value(failure, stage) else None
    return "" if value is None else type_text(value)


def _largest(failure: Failure, stage: Stage, at: Frame) -> Largest | None:
    return largest_of(stage, failure.call.error, at) if failure.kind == "memory" else None


def _leak_origin(error: BaseException) -> Frame | None:
    return origin_of_leak(message_of(error))


def _lines(file: str) -> tuple[list[str], int]:
    """The lines of a file or cell, and the number of blank ones at its beginning."""
    return lines_of(file), cell_of(file).offset


def _fixes(
    failure: Failure, error: BaseException, listed: list[str], offset: int
) -> Iterator[tuple[Fix, Attempt | None]]:
    """The fixes, each with its attempt."""
    for edit in fixes_of(failure.kind, failure.call):
        tries = guarded(None, _attempt, failure, error, edit)
        made = guarded(None, _shown_fix, edit, listed, offset, tries is not None)
        if made is not None:
            yield made, tries


def _attempt(failure: Failure, error: BaseException, edit: Fix) -> Attempt | None:
    if failure.kind == "nan":
        return same_call(error)
    return attempt(failure.trial, edit)


def _marked(failure: Failure) -> Frame:
    """The failing line, with the range of the expression to mark."""
    node, code = failure.call.node, failure.at[0]
    if node is None:
        return line_of(*failure.at)
    at = place(code.co_filename, code.co_qualname, node.lineno)
    return replace(
        at,
        column=character(code.co_filename, node.lineno, node.col_offset),
        end_line=at.line + node.end_lineno - node.lineno,
        end_column=character(code.co_filename, node.end_lineno, node.end_col_offset),
    )


def _shown_fix(edit: Fix, listed: list[str], offset: int, tries: bool) -> Fix:
    """The record of a fix. Its lines go into the user's code unchanged. If they cannot be shown
    unchanged, the fix becomes a sketch."""
    replaced = listed[edit.first - 1 : edit.last] if edit.first else []
    if any(len(line) > LONGEST_LINE or plain(line) != line for line in (*replaced, *edit.lines)):
        edit, replaced, tries = sketch(edit.title), [], False
    return replace(
        edit,
        title=with_texts(edit.title, name),
        first=edit.first + offset if edit.first else 0,
        last=edit.last + offset if edit.last else 0,
        before=replaced,
        tries=tries,
    )


def _program(recorded: RecordedProgram | None, title: str) -> Program:
    """The program so far; an empty one if it is unknown."""
    if recorded is None:
        return _empty(title)
    closed, paths = recorded.jaxpr, recorded.paths
    results = [""] * len(closed.jaxpr.outvars)
    head, of = program_head(closed, name(recorded.function), paths, results, [])
    return replace(head, stages=[stage_of(of, head.name, paths, results)])


def _empty(title: str) -> Program:
    stage = empty(Stage, kind="jaxpr", graphs=[empty(Graph, name=title)])
    return empty(Program, version=VERSION, jax=jax.__version__, name=title, stages=[stage])


# The path of a value through the program: from an argument, through operations with the user's
# lines, to the needed value.

CONSTANT = sentence("a constant")
"""The origin of a value that depends on no argument, or whose trace is over."""


def story_of(stage: Stage) -> tuple[Sentence, list[Step]]:
    """The origin of a program's only output (`argument x f32[3]`), and the steps to it.

    Among several operands, the first one that depends on an argument is followed. A conversion that
    only makes a Python number's type definite is no step."""
    graph = stage.graphs[0]
    makers = {out: eqn for eqn in graph.eqns for out in eqn.outvars}
    names = dict(zip(graph.invars, graph.args, strict=True))
    rooted = _rooted(graph)
    steps: list[Step] = []
    at = graph.outvars[0]
    while at in makers:
        eqn = makers[at]
        if not _only_definite(eqn, graph, stage):
            line = 0 if eqn.frame is None else stage.frames[eqn.frame].line
            steps.append(Step(op=eqn.name or eqn.op, line=line))
        operands = [var for var in eqn.invars if not graph.vars[var].literal]
        at = next((var for var in operands if var in rooted), next(iter(operands), -1))
    return _root(at, names, graph, stage), steps[::-1]


def _rooted(graph: Graph) -> set[int]:
    """The variables that depend on an argument."""
    found = {*graph.invars}
    for eqn in graph.eqns:
        if found.intersection(eqn.invars):
            found.update(eqn.outvars)
    return found


def _root(at: int, names: dict[int, str], graph: Graph, stage: Stage) -> Sentence:
    if at not in names:
        return CONSTANT
    aval = stage.avals[graph.vars[at].aval]
    name = names[at] or graph.vars[at].name
    return sentence("argument name", name=f"{name} {'~' if aval.weak_type else ''}{aval.text}")


def _only_definite(eqn: Eqn, graph: Graph, stage: Stage) -> bool:
    """True if an eqn converts a value to its own dtype."""
    if eqn.op != "convert_element_type":
        return False

    def dtype(var: Var) -> str:
        return stage.avals[var.aval].dtype

    return dtype(graph.vars[eqn.invars[0]]) == dtype(graph.vars[eqn.outvars[0]])


# The largest value of a program that ran out of memory.

_ALLOCATION = re.compile(r"allocat\w* ([\d.]+) ?(bytes|[KMGT]iB)\b")
"""A GPU writes the bytes as `4.00TiB`."""
_UNITS = {"bytes": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def largest_of(stage: Stage, error: BaseException, failed: Frame) -> Largest | None:
    """The largest value that an eqn makes; the first of equal ones, and one in a body before one of
    the eqn with the body. The result of an op that runs alone is made on the line that failed."""
    eqns = [(graph, eqn) for graph in stage.graphs for eqn in graph.eqns]
    made = [
        (aval.bytes or 0, not eqn.bodies, -number, aval.text)
        for number, (graph, eqn) in enumerate(eqns)
        for aval in (stage.avals[graph.vars[var].aval] for var in eqn.outvars)
    ]
    if not made:
        return None
    size, _, number, text = max(made)
    frame = eqns[-number][1].frame
    alone = failed if len(eqns) == 1 else None
    allocation = _ALLOCATION.search(message_of(error))
    return Largest(
        type=text,
        bytes=size,
        eqn=-number,
        at=alone if frame is None else stage.frames[frame],
        asked=round(float(allocation[1]) * _UNITS[allocation[2]]) if allocation else None,
    )
