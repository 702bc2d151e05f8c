"""Reads a call that the user wrote after `%jaxviz`."""

from __future__ import annotations

import ast
import linecache
from typing import Any

from IPython.core.error import UsageError

from jaxviz.capture.calls.call_to_trace import CALL_FILE


def parse(text: str) -> ast.Call:
    """The call as a syntax tree; from now on tracebacks can show its text. Raises UsageError where
    the text is no call."""
    try:
        expression = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise UsageError(
            f"`{text}` is no call that Python can read: {reason}; "
            "write it as in %jaxviz loss(params, x)."
        ) from None
    if not isinstance(expression, ast.Call):
        if isinstance(expression, ast.Name | ast.Attribute):
            raise UsageError(f"`{text}` is not a call: write the call: %jaxviz {text}(…)")
        raise UsageError(f"`{text}` is not a call: write the call, as in %jaxviz loss(params, x).")
    linecache.cache[CALL_FILE] = (len(text), None, [f"{text}\n"], CALL_FILE)
    return expression


def value_named(text: str, user_ns: dict[str, Any], local_ns: dict[str, Any] | None) -> Any:
    """The value of a name such as `lowered`, `made.step` or `made['step']`. None if there is none,
    or if the text is more than a name."""
    try:
        named = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError):
        return None
    if not isinstance(named.body, ast.Name | ast.Attribute | ast.Subscript):
        return None
    try:
        return eval(compile(named, CALL_FILE, "eval"), user_ns, local_ns or {})
    except Exception:
        return None


def receiver(call: ast.Call) -> str:
    """The user's name of the array whose method is called: `x` in `x.sum(axis=0)` and in
    `x.at[0].set(1.0)`. Empty if it does not begin with a name."""
    if not isinstance(call.func, ast.Attribute):
        return ""
    value = call.func.value
    match value:
        case ast.Subscript(value=ast.Attribute(value=array, attr="at")):
            value = array
    part = value
    while isinstance(part, ast.Attribute | ast.Subscript):
        part = part.value
    return ast.unparse(value) if isinstance(part, ast.Name) else ""
