"""Advice for values that leaked out of a loop of JAX through a library's module."""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxviz.capture.failure.edits import sketch
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.libraries import keras
from jaxviz.capture.failure.libraries.rule import Rule
from jaxviz.capture.shown.objects import cause_of
from jaxviz.schema import Mend
from jaxviz.sentences import sentence

_ADVICE = {
    r"[\\/]flax[\\/](?:linen|core)": sentence("layers with nn.scan"),
    r"[\\/]haiku[\\/]|Haiku transform": sentence("hk.cond"),
    r"[\\/]keras[\\/]": keras.STATELESS,
}
"""By the library in whose file the value was made, as JAX's message says it."""


def leak(call: FailedCall) -> Iterator[Mend]:
    for pattern, title in _ADVICE.items():
        if re.search(pattern, _text(call.error)):
            yield sketch(title)
            return


def _text(error: BaseException) -> str:
    """The message of the exception and of its cause."""
    return f"{error}\n{cause_of(error) or ''}"


RULES = (Rule("leak", leak, "UnexpectedTracerError"),)
