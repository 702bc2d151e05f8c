"""Finds the backward or tangent rule of a custom derivative that failed. It reads private fields of
JAX; without them the card marks the line that asked for the derivative."""

from __future__ import annotations

import dis
import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from contextlib import suppress
from types import CodeType, FunctionType
from typing import Any

import jax

from jaxviz.capture.failure.failed_call import variables
from jaxviz.capture.failure.failed_expression import entries
from jaxviz.capture.shown.callables import unwrapped
from jaxviz.capture.shown.objects import attribute, is_a, traceback_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.capture.shown.source import file_kind

MOST_FUNCTIONS = 200
"""How many functions are looked through."""
_OF_BWD = re.compile(r"Custom VJP bwd rule")
_OF_JVP = re.compile(r"Custom JVP rule")


def failing_rule(error: BaseException) -> tuple[CodeType, int] | None:
    """The `return` of the rule that an exception of JAX is about; None if it is not known."""
    for pattern, kind, name in (
        (_OF_BWD, jax.custom_vjp, "bwd"),
        (_OF_JVP, jax.custom_jvp, "jvp"),
    ):
        if pattern.search(message_of(error)):
            rules = [attribute(one, name) for one in _custom(error, kind)]
            found = [_returning(rule) for rule in rules if is_a(rule, FunctionType)]
            return found[0] if len(found) == 1 else None
    return None


def _custom(error: BaseException, kind: type) -> list[Any]:
    """The functions with custom rules that the reader's lines reach by their names.

    The fields `bwd` of `custom_vjp` and `jvp` of `custom_jvp` were seen on 0.6.2 to 0.12.0.
    """
    found: dict[int, Any] = {}
    seen: set[CodeType] = set()
    waiting = [
        (entry.tb_frame.f_code, variables(entry))
        for entry in entries(traceback_of(error))
        if file_kind(entry.tb_frame.f_code.co_filename) == "own"
    ]
    while waiting and len(seen) < MOST_FUNCTIONS:
        code, names = waiting.pop()
        for value in _read(code, names, seen):
            if is_a(value, kind):
                found[id(value)] = value
            function = unwrapped(value) if callable(value) else None
            if is_a(function, FunctionType) and _is_new(function.__code__, seen):
                waiting.append((function.__code__, _names(function)))
    some = [one for one in found.values() if _is_named(one, error)]
    return some or [*found.values()]


def _is_new(code: CodeType, seen: set[CodeType]) -> bool:
    return code not in seen and file_kind(code.co_filename) == "own"


def _read(code: CodeType, names: Mapping[str, Any], seen: set[CodeType]) -> Iterator[Any]:
    """The values of the names that a function and the functions within it read."""
    seen.add(code)
    yield from (names[name] for name in (*code.co_names, *code.co_freevars) if name in names)
    for part in code.co_consts:
        if is_a(part, CodeType):
            yield from _read(part, names, seen)


def _names(function: FunctionType) -> ChainMap[str, Any]:
    around = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    held: dict[str, Any] = {}
    for name, cell in around.items():
        with suppress(ValueError):  # a cell that is still empty
            held[name] = cell.cell_contents
    return ChainMap(held, function.__globals__)


def _is_named(one: Any, error: BaseException) -> bool:
    """True if the message names the function; it names the rule, the function or both."""
    rules = (one, attribute(one, "bwd"), attribute(one, "jvp"))
    names = {attribute(rule, "__name__", "") for rule in rules} - {"", "<lambda>"}
    return any(re.search(rf"\b{re.escape(name)}\b", message_of(error)) for name in names)


def _returning(rule: FunctionType) -> tuple[CodeType, int]:
    """The last instruction of a function that returns; of a lambda the one before it, which has
    the place of the expression."""
    made = [*dis.get_instructions(rule)]
    last = [n for n, one in enumerate(made) if one.opname.startswith("RETURN_")][-1]
    return rule.__code__, made[last - (rule.__name__ == "<lambda>")].offset
