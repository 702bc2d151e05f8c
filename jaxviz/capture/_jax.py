"""Every name of JAX that is not public, with the versions it was seen on and its fallback."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var
from jax.extend.source_info_util import new_source_info

NEWLINE = "\x01"
"""Stands for a newline that JAX's printer did not make itself."""

_printing = threading.RLock()


class Printout(NamedTuple):
    """JAX's own text of a jaxpr, and where each eqn stands in it."""

    text: str
    names: dict[Var, str]
    segments: list[list[tuple[int, int, Any]]]
    """For each line the columns of each eqn, as `[start, stop)` and a `Mark`."""


class Mark:
    """One printing of one eqn."""

    __slots__ = ("eqn",)

    def __init__(self, eqn: JaxprEqn) -> None:
        self.eqn = eqn


def printout(jaxpr: Jaxpr | ClosedJaxpr) -> Printout:
    """JAX's text with the places of eqns and the names of variables.

    `core.JaxprPpContext`, `core.pp_eqn`, `pretty_printer.text` and `.source_map` were seen on
    0.6.2 to 0.10.2. They are replaced while this thread prints, and put back. Raises whatever
    JAX raises, and AttributeError or ImportError where a name is missing: the fallback is
    `text.own_text`.
    """
    with _printing:
        return _printout(jaxpr)


def _printout(jaxpr: Jaxpr | ClosedJaxpr) -> Printout:
    from jax._src import core, pretty_printer

    contexts: list[Any] = []
    segments: list[list[tuple[int, int, Any]]] = []
    nowhere = new_source_info()
    here = threading.get_ident()
    context_type, print_eqn, print_text = core.JaxprPpContext, core.pp_eqn, pretty_printer.text

    class Context(context_type):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            if threading.get_ident() == here:
                contexts.append(self)

    def marked_eqn(eqn: JaxprEqn, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() != here:
            return print_eqn(eqn, *args, **kwargs)
        doc = print_eqn(eqn.replace(source_info=nowhere), *args, **kwargs)
        return pretty_printer.source_map(doc, Mark(eqn))

    def one_line(text: Any, *args: Any, **kwargs: Any) -> Any:
        if threading.get_ident() == here and "\n" in text:
            text = text.replace("\n", NEWLINE)
        return print_text(text, *args, **kwargs)

    replaced = {"JaxprPpContext": Context, "pp_eqn": marked_eqn}
    with _replaced(core, replaced), _replaced(pretty_printer, {"text": one_line}):
        text = jaxpr.pretty_print(source_map=segments, use_color=False)
    names = {var: name for context in contexts for var, name in context.var_names.items()}
    return Printout(text, names, segments)


@contextmanager
def _replaced(module: Any, names: dict[str, Any]) -> Iterator[None]:
    before = {name: getattr(module, name) for name in names}
    try:
        for name, value in names.items():
            setattr(module, name, value)
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def calls(eqn: JaxprEqn) -> tuple[Any, list[tuple[CodeType, int]]]:
    """The Python calls that made the eqn, innermost first, as code and instruction, with a
    value that equals that of another eqn made by the same calls.

    `Traceback.raw_frames` was seen on 0.6.2 to 0.10.2; without it eqns have no place.
    """
    traceback: Any = eqn.source_info.traceback
    try:
        codes, instructions = traceback.raw_frames()
    except AttributeError:
        return None, []
    return traceback, list(zip(codes, instructions, strict=True))


def is_dropped(atom: Any) -> bool:
    """Whether JAX prints the variable as `_`, since nothing reads it.

    `DropVar` is public from 0.9 on, and private under the same name before.
    """
    return type(atom).__name__ == "DropVar"


def transforms(fun: Any) -> tuple[list[str], Any]:
    """The transformations around a function, outermost first, and the function itself:
    `(['value_and_grad'], loss)`.

    JAX gives them no public name: they are read off the closures that `jax.grad` and the like
    return, as seen on 0.6.2 to 0.10.2. The fallback is the function's own name alone.
    """
    names: list[str] = []
    for _ in range(100):
        inner = getattr(fun, "__wrapped__", None)
        if inner is None:
            break
        maker = _maker(fun)
        if maker is not None:
            names.append(maker)
        fun = inner
    return names, fun


def _maker(fun: Any) -> str | None:
    """The function of JAX's own in which this closure was made."""
    while isinstance(fun, FunctionType):
        if not fun.__code__.co_filename.startswith(_JAX_FOLDER):
            return None
        maker = fun.__code__.co_qualname.partition(".<locals>")[0]
        if maker != "api_boundary":
            return maker.lstrip("_")
        closed = dict(zip(fun.__code__.co_freevars, fun.__closure__ or (), strict=True))
        fun = closed["fun"].cell_contents if "fun" in closed else None
    return None


_JAX_FOLDER = new_source_info.__code__.co_filename.rpartition("_src")[0]
