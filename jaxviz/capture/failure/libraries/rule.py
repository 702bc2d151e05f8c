"""A row of the tables of library errors: which errors it is about, their help page and fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from jaxviz.capture.failure.edits import sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.schema import Mend, Sentence

Fixes = Callable[[FailedCall], Iterator[Mend]]


class Rule(NamedTuple):
    """Errors of a library that have one cause. What is empty fits any."""

    page: str
    fixes: Fixes
    classes: str = ""
    """Names of exceptions, separated by spaces."""
    message: str = ""
    """A pattern that the message has."""
    within: str = ""
    """A pattern of `module.function`, of what was running or is called on the reader's line."""


def advice(title: Sentence) -> Fixes:
    """Fixes that are one sentence."""
    return lambda call: iter([sketch(title)])
