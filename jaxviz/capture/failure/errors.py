"""Explains in one sentence why a call cannot be captured: the argument or line, and the fix.

The sentence on a leak, a traced value that is used after its trace has ended, names the line that
made the value and the line that used it."""

from __future__ import annotations

import re
from itertools import accumulate
from types import TracebackType
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.core import Tracer
from jax.errors import UnexpectedTracerError

from jaxviz.capture._called import closed_over_tracers, is_tracing
from jaxviz.capture._jax import calls
from jaxviz.capture.calls.called_function import CalledFunction, public_name
from jaxviz.capture.calls.refused_arguments import UNHASHABLE, refused_argument
from jaxviz.capture.failure.by_kind import fixes_of, sketches
from jaxviz.capture.failure.expression import users_entry
from jaxviz.capture.failure.failure import ASKING, failure_of
from jaxviz.capture.failure.kinds import page_of
from jaxviz.capture.shown.objects import is_a, title_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.capture.shown.source import file_kind, line_of, place, places
from jaxviz.capture.shown.strings import name, plain, without_addresses
from jaxviz.safety.guard import guarded
from jaxviz.schema import Fix, Frame

LONGEST_MESSAGE = 4000
"""The limit of an exception's message, in characters."""
LONGEST_LINE = 100
"""The limit of a fix's line that is shown within a sentence."""
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
"""JAX colours the eqns in a message in IPython."""
_JAX_S_ADVICE = re.compile(
    r"\.? \(?(Instead of|If you want|Try using|To get|To index|Tip:|Use a\.any).*", re.DOTALL
)
"""JAX's own advice in a message, which ours replaces."""


class CaptureError(Exception):
    """A call that cannot be captured. Its message is one sentence with the fix, its cause
    the user's own exception."""

    def _render_traceback_(self) -> list[str]:
        """The sentence and the user's exception, without our traceback, as IPython shows it."""
        lines = [f"CaptureError: {self}"]
        cause = self.__cause__
        if cause is not None and UNHASHABLE not in message_of(cause):
            lines += ["", f"{title_of(type(cause))}: {_message(cause)}"]
        return lines


def explained(error: Exception, called: CalledFunction, args: Any, kwargs: Any) -> CaptureError:
    """The sentence for an exception that the trace of a call raised. If it cannot be made, it names
    only the class of the exception."""
    least = f"{called.title} cannot be traced: {title_of(type(error))}."
    return CaptureError(guarded(least, _explained, error, called, args, kwargs))


def _explained(error: Exception, called: CalledFunction, args: Any, kwargs: Any) -> str:
    at = users_entry(error)
    if is_a(error, UnexpectedTracerError):
        return leak_sentence(called.title, Leak(error, f"used at {_line(at)}"))
    if at is None or _is_installed(at):
        refused = refused_argument(error, called, args, kwargs)
        if refused:
            return refused
    return _sentence(error, at, called, args, kwargs)


def _sentence(
    error: Exception, at: TracebackType | None, called: CalledFunction, args: Any, kwargs: Any
) -> str:
    kind, advice = title_of(type(error)), guarded("", _advice, error)
    message = places(reason(plain(without_addresses(message_of(error)))))
    if advice:
        message = _JAX_S_ADVICE.sub("", message)
    fix = advice or _own(at, called, args, kwargs)
    end = f"; {fix}." if fix else "."
    if at is None:
        return f"{called.title} cannot be traced: {message or kind}{end}"
    raised = f"{kind}: {message}" if message and kind not in ASKING else kind
    return f"{called.title} cannot be traced: {_line(at)} raised {raised}{end}"


def _advice(error: Exception) -> str:
    """The fixes of the exception's card, as part of a sentence."""
    failure = failure_of(error)
    if failure is None:
        found = sketches(page_of(error, None, ()), message_of(error))
    else:
        found = fixes_of(failure.kind, failure.call)
    return ", or ".join(map(_offered, found))


def _offered(fix: Fix) -> str:
    """A fix in a few words, with the line to write if it is one short line."""
    line = fix.lines[0].strip() if len(fix.lines) == 1 else ""
    shown = line and len(line) <= LONGEST_LINE
    return f"{fix.title} (`{name(line)}`)" if shown else fix.title.text


def reason(text: str) -> str:
    """The first line of JAX's message, with the later line that names the difference."""
    named = re.sub(r"<class '(?:jax\._src\.core\.)?([\w.]+)'>", r"\1", text)
    first, *more = named.strip().splitlines() or [""]
    about = re.sub(r",? but they differ[.:]$", "", first.strip())
    if about == first.strip():
        listed = [line.strip().removeprefix("* ") for line in more if line.strip()[:2] == "* "]
        return about.rstrip(".:") + (f": {' '.join(listed)}" if listed else "")
    details = next((line for line in more if " so the" in line or " has type " in line), "")
    details = details.strip().removeprefix("* ").rstrip(".;")
    return f"{about}: {details[:1].lower()}{details[1:]}" if details else about


def _own(at: TracebackType | None, called: CalledFunction, args: Any, kwargs: Any) -> str:
    """Advice on the user's own exception, or on one of an unknown kind."""
    if at is None:
        public = public_name(called.fun)
        return f"help({public}) tells what it takes" if public else "fix the call"
    if _is_installed(at):
        names = ", ".join(called.names(args, kwargs))
        return (
            f"that line is a library's: see what is passed for {names}" if names else "fix the call"
        )
    if at.tb_next is not None:
        return ""  # JAX raised it, which does not depend on values
    return (
        "called within `with jax.disable_jit():`, the function runs with values that can be printed"
    )


def _is_installed(at: TracebackType) -> bool:
    """True for a line in a library, which the user cannot edit."""
    return file_kind(at.tb_frame.f_code.co_filename) == "installed"


def _line(trace: TracebackType | None) -> str:
    if trace is None:
        return ""
    code = trace.tb_frame.f_code
    return _line_text(place(code.co_filename, code.co_name, trace.tb_lineno or code.co_firstlineno))


def _message(error: BaseException) -> str:
    """An exception's message; the first lines of a very long one."""
    lines = plain(_COLOUR.sub("", message_of(error))).strip().splitlines()
    shown = [
        line
        for line, end in zip(lines, accumulate(len(line) + 1 for line in lines), strict=True)
        if end <= LONGEST_MESSAGE
    ]
    return "\n".join(shown if len(shown) == len(lines) else [*shown, "…"])


_LEAK_ORIGIN = re.compile(
    r"was created on line (?P<file>.*):(?P<line>\d+):\d+ \((?P<function>.*)\)"
)
_TRACED = re.compile(
    r"when the value leaked was (?P<function>.*) at .*:\d+ traced for (?P<kind>\w+)"
)


class Leak(NamedTuple):
    """A traced value that was used after its trace, and its use."""

    error: UnexpectedTracerError
    """JAX's own exception, which names the line that made the value."""
    used: str


def leaked_into(traced: Any) -> Leak | None:
    """A leaked value that the program closes over. JAX itself refuses it only when the program is
    called."""
    if is_tracing():
        return None
    for index, value in enumerate(closed_over_tracers(traced)):
        error = error_of(value)
        if error is not None:
            return Leak(error, _use(traced.jaxpr.jaxpr, index))
    return None


def leaked_argument(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Leak | None:
    """A leaked value among the arguments."""
    if is_tracing():
        return None
    found = [leaf for leaf in jax.tree_util.tree_leaves((args, kwargs)) if is_a(leaf, Tracer)]
    errors = (error for error in map(error_of, found) if error is not None)
    return next((Leak(error, "passed as an argument") for error in errors), None)


def error_of(value: Any) -> UnexpectedTracerError | None:
    """The exception that JAX raises when a leaked value is used outside of a trace; None if the
    value has not leaked."""
    try:
        lax.neg(value)
    except UnexpectedTracerError as error:
        return error
    except Exception:
        return None
    return None


def _use(jaxpr: Any, index: int) -> str:
    """A text on the use of an input. It names the user's line of the first eqn that reads the
    input, or says that the input is returned."""
    for eqn in jaxpr.eqns:
        if jaxpr.invars[index] in [var for var in eqn.invars if not hasattr(var, "val")]:
            for code, at in calls(eqn)[1]():
                if file_kind(code.co_filename) == "own":
                    return f"used at {_line_text(line_of(code, at))}"
    return "returned as it is"


def origin_of_leak(text: str) -> Frame | None:
    """The line that made a leaked value, from JAX's message."""
    found = _LEAK_ORIGIN.search(text)
    return place(found["file"], found["function"], int(found["line"])) if found else None


def leak_sentence(title: str, leak: Leak) -> str:
    """The sentence on a leak: the value's function, the line that made it, and its use."""
    text = str(leak.error)
    traced, origin = _TRACED.search(text), origin_of_leak(text)
    function = traced["function"] if traced else "another function"
    at = ""
    if origin:
        at = f": it was made at {_line_text(origin)}"
    return (
        f"{title} cannot be traced: a value of the trace of {function} has leaked out of it{at}, "
        f"and is {leak.used}; return it from {function} rather than storing it outside."
    )


def _line_text(line: Any) -> str:
    """A user's line, as part of a sentence."""
    code = f" (`{line.code}`)" if line.code else ""
    return f"{line.file}, line {line.line}{code}"
