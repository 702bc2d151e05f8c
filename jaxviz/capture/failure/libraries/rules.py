"""Chooses the fixes of an error that a library's call raised, and its help page.

The first rule that fits and has a fix for the case is taken. To add one: add a row to the `RULES`
of the library's file, and a case to `tests/truth/errors/library_*.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from jaxviz.capture.failure.callee import public_callees
from jaxviz.capture.failure.failed_call import FailedCall
from jaxviz.capture.failure.failed_expression import entries, users_entry
from jaxviz.capture.failure.libraries import (
    arguments,
    diffrax,
    equinox,
    haiku,
    keras,
    leaks,
    linen,
    nnx,
    numpyro,
    optax,
)
from jaxviz.capture.failure.libraries.rule import Rule
from jaxviz.capture.shown.objects import bases_of, cause_of, title_of, traceback_of
from jaxviz.capture.shown.shown_values import message_of
from jaxviz.guard import as_far
from jaxviz.schema import Mend

LIBRARIES = ("flax", "optax", "equinox", "haiku", "keras", "numpyro", "diffrax")
RULES = (
    *linen.RULES,
    *nnx.RULES,
    *optax.RULES,
    *equinox.RULES,
    *haiku.RULES,
    *keras.RULES,
    *numpyro.RULES,
    *diffrax.RULES,
    *leaks.RULES,
    *arguments.RULES,
)


def library_fixes(call: FailedCall) -> tuple[str, list[Mend]]:
    """The help page and the fixes of an error that a library's call raised; an empty page where
    there are none."""
    names = [*_running(call)]
    if not call.own:
        return "", []
    for rule in (*RULES, equinox.rule_of_layer(call.error)):
        if _fits(rule, call, names):
            found = as_far(_made, rule, call)
            if found:
                return rule.page, found
    return "", []


def _made(rule: Rule, call: FailedCall) -> Iterator[Mend]:
    yield from rule.fixes(call)


def is_library_call(call: FailedCall) -> bool:
    """Whether the reader's line called a function or method of a library."""
    return _any(public_callees(call.node, call.held)) or _any(_below(call))


def _any(names: list[str] | tuple[str, ...]) -> bool:
    return any(name.partition(".")[0] in LIBRARIES for name in names)


def _fits(rule: Rule, call: FailedCall, names: list[str]) -> bool:
    classes = {title_of(cls) for cls in bases_of(type(call.error))}
    return (
        (not rule.classes or bool(classes.intersection(rule.classes.split())))
        and re.search(rule.message, message_of(call.error)) is not None
        and (not rule.within or any(re.search(rule.within, name) for name in names))
    )


def _running(call: FailedCall) -> Iterator[str]:
    """The functions of the traceback, as `module.function`, and those that the line calls."""
    yield from public_callees(call.node, call.held)
    error: BaseException | None = call.error
    while error is not None:
        for entry in entries(traceback_of(error)):
            frame = entry.tb_frame
            yield f"{frame.f_globals.get('__name__', '')}.{frame.f_code.co_qualname}"
        error = cause_of(error)


def _below(call: FailedCall) -> list[str]:
    """The first function that the reader's line called."""
    at = users_entry(call.error)
    below = at.tb_next if at else None
    return [str(below.tb_frame.f_globals.get("__name__", ""))] if below else []
