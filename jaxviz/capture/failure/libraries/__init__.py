"""Rules for the fixes of calls of libraries: a file for each library; `rules.py` chooses."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from jaxviz.capture.failure.code import is_key
from jaxviz.capture.failure.failed_call import FailedCall, Line, sketch
from jaxviz.schema import Fix, Sentence
from jaxviz.schema.record import NOTHING
from jaxviz.sentences import sentence

Fixes = Callable[[FailedCall], Iterator[Fix]]
SAME_NUMBERS = sentence("Each call draws the same")


class Rule(NamedTuple):
    """Errors of a library that have one cause. Empty fields match any error."""

    page: str
    fixes: Fixes
    classes: str = ""
    """Names of exceptions, separated by spaces."""
    message: str = ""
    """A pattern that the message has."""
    within: str = ""
    """A pattern for the `module.function` that was running, or that the user's line calls."""


def advice(key: str) -> Fixes:
    """Fixes that are one sentence."""
    return lambda call: iter([sketch(key)])


def key_of(line: Line) -> tuple[str, Sentence]:
    """A key that the line can pass, and a note on it: the only key among its function's variables,
    or a new one."""
    keys = [name for name, value in line.own.items() if is_key(value) and not name.startswith("_")]
    return (keys[0], NOTHING) if len(keys) == 1 else ("jax.random.key(0)", SAME_NUMBERS)


def made(call: FailedCall, func: ast.AST | None) -> ast.Call | None:
    """The only call that makes a layer: the value assigned to `self.layer` or `layer`."""
    found = call.assigned(ast.unparse(func)) if func else []
    only = found[0].value if len(found) == 1 else None
    return only if isinstance(only, ast.Call) else None
