"""Prints a jaxpr with JAX's own printer, and records where eqns are and how variables are named.

JAX prints one eqn of each kind. The other eqns of the kind reuse this text with other names. Their
lines break at the same places, since JAX breaks a group only if it does not fit on a line.

`core.JaxprPpContext`, `core.pp_eqn` and `pretty_printer`'s `text`, `brk`, `nest`, `concat` and
`source_map` were seen on 0.6.2 to 0.12.0.
"""

from __future__ import annotations

import re
import threading
from contextlib import AbstractContextManager
from functools import partial
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Var
from jax.extend.source_info_util import new_source_info

from jaxviz.capture._jax import is_named
from jaxviz.capture.changes import Place, replaced
from jaxviz.capture.jaxprs.params import Kinds, printed

NEWLINE = "\x01"
"""Replaces a newline that JAX's printer did not make itself."""
_NAMES = [chr(code) for code in range(0xE000, 0xE100)]
"""Replace names of variables: some of Unicode's private characters."""
_NAME = re.compile("[\ue000-\ue0ff]")
_WIDTH, _INDENTED = 76, 12
"""A line has at least `_WIDTH` characters for an eqn, less `_INDENTED` for each level of bodies."""

_printing = threading.RLock()


class Printout(NamedTuple):
    """JAX's own text of a jaxpr, and where each eqn is in it."""

    text: str
    names: dict[Var, str]
    segments: list[list[tuple[int, int, Any]]]
    """For each line the columns of its eqns, as `[start, stop)` and a `Mark`."""


class Mark:
    """One printing of one eqn."""

    __slots__ = ("eqn",)

    def __init__(self, eqn: JaxprEqn) -> None:
        self.eqn = eqn


def printout(jaxpr: Jaxpr | ClosedJaxpr, kinds: Kinds) -> Printout:
    """JAX's text with the places of eqns and the names of variables.

    While this thread prints, functions of JAX are replaced. Raises JAX's errors, and AttributeError
    or ImportError if a private name is missing. The fallback is `jaxpr_text.own_text`."""
    with _printing:
        return _Printer(kinds).printed(jaxpr)


class _Printer:
    def __init__(self, kinds: Kinds) -> None:
        from jax._src import core, pretty_printer

        self._core, self._printer = core, pretty_printer
        self._context, self._eqn, self._text = (
            core.JaxprPpContext,
            core.pp_eqn,
            pretty_printer.text,
        )
        self._kinds = kinds
        self._templates: dict[Any, str | None] = {}
        self._nowhere = new_source_info()
        self._thread: int | None = None
        """The thread that prints; None if none does. An interrupt may leave functions replaced."""
        self._depth = 0

    def printed(self, jaxpr: Jaxpr | ClosedJaxpr) -> Printout:
        contexts: list[Any] = []
        segments: list[list[tuple[int, int, Any]]] = []
        prints = self._prints

        class Context(self._context):
            def __init__(self, *args: Any, **kwargs: Any) -> None:
                super().__init__(*args, **kwargs)
                if prints():
                    contexts.append(self)

        with (
            _replaced(self._core, "JaxprPpContext", Context),
            _replaced(self._core, "pp_eqn", self.eqn),
            _replaced(self._printer, "text", self.text),
        ):
            try:
                self._thread = threading.get_ident()
                text = jaxpr.pretty_print(source_map=segments, use_color=False)
            finally:
                self._thread = None
        names = {var: name for context in contexts for var, name in context.var_names.items()}
        return Printout(text, names, segments)

    def _prints(self) -> bool:
        """True if `printed` runs in this thread."""
        return threading.get_ident() == self._thread

    def text(self, text: Any, *args: Any, **kwargs: Any) -> Any:
        if "\n" in text and self._prints():
            text = text.replace("\n", NEWLINE)
        return self._text(text, *args, **kwargs)

    def eqn(self, eqn: JaxprEqn, context: Any, settings: Any) -> Any:
        if not self._prints():
            return self._eqn(eqn, context, settings)
        lines = self._lines(eqn, context, settings)
        if lines is None:
            self._depth += 1
            doc = self._by_jax(eqn, context, settings)
            self._depth -= 1
        else:
            doc = self._text(lines[0])
            if len(lines) > 1:
                doc = self._printer.concat([doc, *map(self._next_line, lines[1:])])
        return self._printer.source_map(doc, Mark(eqn))

    def _by_jax(self, eqn: JaxprEqn, context: Any, settings: Any) -> Any:
        plain = eqn.replace(source_info=self._nowhere, params=printed(eqn.params))
        return self._eqn(plain, context, settings)

    def _next_line(self, line: str) -> Any:
        text = line.lstrip()
        end = self._printer.nest(len(line) - len(text), self._printer.brk())
        return self._printer.concat([end, self._text(text)])

    def _lines(self, eqn: JaxprEqn, context: Any, settings: Any) -> list[str] | None:
        """The eqn's text, from another eqn of its kind; None if its lines may break elsewhere."""
        kind = self._kinds.of(eqn)
        if kind is None:
            return None
        variables: list[Any] = [var for var in (*eqn.outvars, *eqn.invars) if is_named(var)]
        if kind not in self._templates:
            self._templates[kind] = self._template(eqn, variables, settings)
        template = self._templates[kind]
        if template is None:
            return None
        lines = (template % tuple([context.var_names[var] for var in variables])).split("\n")
        room = _WIDTH - _INDENTED * self._depth
        return lines if max(map(len, lines)) <= room else None

    def _template(self, eqn: JaxprEqn, variables: list[Any], settings: Any) -> str | None:
        """The text of a kind of eqns with `%s` for each variable's name; None if the text does not
        name each of `variables` once in this order."""
        naming = self._context()
        naming.var_names.update(zip(variables, _NAMES, strict=False))
        text = self._by_jax(eqn, naming, settings).format(use_color=False)
        if NEWLINE in text or _NAME.findall(text) != [naming.var_names[var] for var in variables]:
            return None
        return _NAME.sub("%s", text.replace("%", "%%"))


def _replaced(module: Any, name: str, replacement: Any) -> AbstractContextManager[None]:
    place = Place(partial(getattr, module, name), partial(setattr, module, name))
    return replaced(place, replacement)
