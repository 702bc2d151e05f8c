"""Explains in one sentence why a call cannot be captured: which argument or line it is, and what to
do about it."""

from __future__ import annotations

import re
from itertools import accumulate
from types import TracebackType
from typing import Any

from jax.errors import UnexpectedTracerError

from jaxviz.capture import leaks
from jaxviz.capture.arguments import UNHASHABLE, refused_argument
from jaxviz.capture.asked import FailedExpression, asked
from jaxviz.capture.blamed import blamed
from jaxviz.capture.carried import reason
from jaxviz.capture.mends import mend as mend_of
from jaxviz.capture.owner import Owned, argument_names, public_name
from jaxviz.capture.rewrites import RefusedTrace
from jaxviz.capture.source import file_kind, place, places
from jaxviz.capture.strings import plain, without_addresses

LONGEST_MESSAGE = 4000
"""How many characters of an exception's message are shown."""
CONCRETE = frozenset(
    (
        "TracerBoolConversionError",
        "TracerIntegerConversionError",
        "TracerArrayConversionError",
        "NonConcreteBooleanIndexError",
        "ConcretizationTypeError",
    )
)
"""Exceptions of JAX that say by their class that Python needed the value of something traced."""
_ADVICE = re.compile(
    r"\.? \(?(Instead of|If you want|Try using|To get|To index|Tip:|Use a\.any).*", re.DOTALL
)
"""JAX's own advice in a message, which is left out where ours is given."""


class CaptureError(Exception):
    """A call that cannot be captured. Its message is one sentence with the mend, its cause
    the user's own exception."""

    def _render_traceback_(self) -> list[str]:
        """What IPython shows: the sentence and the user's exception, no traceback of ours."""
        lines = [f"CaptureError: {self}"]
        if self.__cause__ is not None and UNHASHABLE not in str(self.__cause__):
            lines += ["", f"{type(self.__cause__).__name__}: {_message(self.__cause__)}"]
        return lines


def explained(error: Exception, called: Owned, args: Any, kwargs: Any) -> CaptureError:
    """The sentence for an exception that the trace of a call raised."""
    at = _users_frame(error)
    if isinstance(error, UnexpectedTracerError):
        return CaptureError(leaks.sentence(called.title, leaks.Leak(error, f"used at {_line(at)}")))
    if at is None or _is_installed(at):
        refused = refused_argument(error, called, args, kwargs)
        if refused:
            return CaptureError(refused)
    return CaptureError(_sentence(error, at, called, args, kwargs))


def _sentence(
    error: Exception, at: TracebackType | None, called: Owned, args: Any, kwargs: Any
) -> str:
    text = plain(without_addresses(str(error)))
    known = FailedExpression(()) if at is None else asked(at)
    static = blamed(text, known, called, args, kwargs)
    mend = mend_of(RefusedTrace(error, text, known, static))
    said = places(reason(text))
    if mend:
        said = _ADVICE.sub("", said)
    else:
        mend = _own(at, called, args, kwargs)
    kind = type(error).__name__
    if at is None:
        return f"{called.title} cannot be traced: {said or kind}; {mend}."
    raised = f"{kind}: {said}" if said and kind not in CONCRETE else kind
    return f"{called.title} cannot be traced: {_line(at)} raised {raised}; {mend}."


def _own(at: TracebackType | None, called: Owned, args: Any, kwargs: Any) -> str:
    """What to do about an exception that is the user's own, or of an unknown kind."""
    if at is None:
        known = public_name(called.fun)
        return f"help({known}) tells what it takes" if known else "mend the call"
    if _is_installed(at):
        names = ", ".join(argument_names(called.fun, args, kwargs))
        return (
            f"that line is a library's: see what is passed for {names}"
            if names
            else "mend the call"
        )
    return (
        "mend that line; called within `with jax.disable_jit():`, the function runs with values "
        "that can be printed"
    )


def _users_frame(error: Exception) -> TracebackType | None:
    """The traceback entry of the innermost line of the user's own code; None if there is none."""
    found: TracebackType | None = None
    own = False
    trace = error.__traceback__
    while trace is not None:
        kind = file_kind(trace.tb_frame.f_code.co_filename)
        if kind == "own" or (kind == "installed" and not own):
            found = trace
            own = own or kind == "own"
        trace = trace.tb_next
    return found


def _is_installed(at: TracebackType) -> bool:
    """Whether the line is in a library, which the user cannot mend."""
    return file_kind(at.tb_frame.f_code.co_filename) == "installed"


def _line(trace: TracebackType | None) -> str:
    if trace is None:
        return ""
    code = trace.tb_frame.f_code
    return leaks.said(place(code.co_filename, code.co_name, trace.tb_lineno, 0))


def _message(error: BaseException) -> str:
    """An exception's whole message; of a very long one as many lines as fit."""
    lines = plain(str(error)).strip().splitlines()
    kept = [
        line
        for line, end in zip(lines, accumulate(len(line) + 1 for line in lines), strict=True)
        if end <= LONGEST_MESSAGE
    ]
    return "\n".join(kept if len(kept) == len(lines) else [*kept, "…"])
