"""Makes the text of the jaxpr stage: JAX's own, with the span of each eqn and the variables' names.

JAX's printer recurses, and prints a shared jaxpr at each use. For programs that this makes too deep
or too long, `own_text` prints each jaxpr once in the same style.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple

from jax.extend.core import ClosedJaxpr, JaxprEqn, Literal, Var

from jaxviz.capture._jax import is_dropped
from jaxviz.capture.jaxprs._printer import NEWLINE, Printout, printout
from jaxviz.capture.jaxprs.avals import aval_text
from jaxviz.capture.jaxprs.params import Kinds, params_of
from jaxviz.capture.jaxprs.walk import Walk, bodies_first
from jaxviz.capture.shown.strings import masked, plain
from jaxviz.schema import Sentence
from jaxviz.sentences import sentence

NESTED_LIMIT = 60
"""JAX's printer, which recurses, prints at most this many levels of nested jaxprs."""
WRITTEN_OUT_LIMIT = 100_000
"""JAX's text may have this many more eqns than the program, since it repeats shared jaxprs."""


Spans = dict[int, tuple[int, ...]]
"""The `[start, stop)` of each eqn in the text, by the eqn's `id`."""


class Text(NamedTuple):
    """A stage's text, with the span of each eqn and the name of each variable."""

    text: str
    names: dict[Var, str]
    spans: Spans
    notes: list[Sentence]


def text_of(closed: ClosedJaxpr, walk: Walk, kinds: Kinds) -> Text:
    """JAX's own text; our text if JAX's would be too long or cannot be made."""
    distinct = sum(len(jaxpr.eqns) for jaxpr in walk.jaxprs)
    eqns, levels = _written_out(walk)
    if levels > NESTED_LIMIT:
        return own_text(walk, sentence("own text, nested"))
    if eqns > distinct + WRITTEN_OUT_LIMIT:
        return own_text(walk, sentence("own text, shared"))
    try:
        printed = printout(closed, kinds)
        spans = spans_of(printed)
        whole = printed.text.replace(NEWLINE, "\n")
        _add_quoted(spans, whole, walk, kinds)
        return Text(plain(masked(whole)), printed.names, spans, [])
    except Exception as error:
        return own_text(walk, sentence("own text, failed", error=type(error).__name__))


def _written_out(walk: Walk) -> tuple[int, int]:
    """The eqns of the program if each use of a jaxpr were a copy, and its levels of nesting."""
    eqns = [len(jaxpr.eqns) for jaxpr in walk.jaxprs]
    levels = [0] * len(walk.jaxprs)
    for graph in bodies_first(walk):
        inner = [body.graph for bodies in walk.inner[graph].values() for body in bodies]
        eqns[graph] += sum(eqns[body] for body in inner)
        levels[graph] = 1 + max((levels[body] for body in inner), default=0)
    return eqns[0], levels[0]


def spans_of(printed: Printout) -> Spans:
    """The span of the first printing of each eqn."""
    lines = printed.text.split("\n")
    if len(lines) != len(printed.segments):
        return {}
    first: dict[int, Any] = {}
    spans: Spans = {}
    offset = 0
    for line, segments in zip(lines, printed.segments, strict=True):
        for start, stop, mark in segments:
            key = id(mark.eqn)
            if first.setdefault(key, mark) is mark:
                begins = spans[key][0] if key in spans else offset + start
                spans[key] = begins, offset + stop
        offset += len(line) + 1
    return spans


def _add_quoted(spans: Spans, text: str, walk: Walk, kinds: Kinds) -> None:
    """Adds the spans in bodies that JAX inserts as finished text, such as custom_linear_solve's."""
    ends: dict[int, int] = {}
    for jaxpr, use in zip(walk.jaxprs, walk.first_uses, strict=True):
        if use is None or not jaxpr.eqns or id(jaxpr.eqns[0]) in spans:
            continue
        holder = id(walk.jaxprs[use.graph].eqns[use.eqn])
        if holder not in spans:
            continue
        start, stop = spans[holder]
        quoted = printout(jaxpr, kinds)
        at = text.find(quoted.text, ends.get(holder, start), stop)
        if at >= 0:
            ends[holder] = at + len(quoted.text)
            inner = spans_of(quoted)
            spans.update({eqn: (at + a, at + b) for eqn, (a, b) in inner.items()})


def own_text(walk: Walk, reason: Sentence) -> Text:
    """Each jaxpr of the program printed once, bodies first."""
    printer = _Printer()
    for graph in bodies_first(walk):
        printer.jaxpr(walk, graph)
    return Text("".join(printer.parts), printer.names, printer.spans, [reason])


class _Printer:
    """Collects the parts of a text, and counts their characters."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.names: dict[Var, str] = {}
        self.spans: Spans = {}
        self._size = 0
        self._fresh = letters()

    def jaxpr(self, walk: Walk, graph: int) -> None:
        jaxpr = walk.jaxprs[graph]
        self._write(f"let jaxpr{graph} = " if graph else "")
        self._write(f"{{ lambda {self._binders(jaxpr.constvars)}; {self._binders(jaxpr.invars)}.")
        self._write(" let\n")
        for number, eqn in enumerate(jaxpr.eqns):
            self._write("    ")
            start = self._size
            self._write(self._eqn(eqn, walk.inner[graph].get(number, [])))
            self.spans[id(eqn)] = start, self._size
            self._write("\n")
        results = ", ".join(map(self._atom, jaxpr.outvars))
        self._write(f"  in ({results}{',' if len(jaxpr.outvars) == 1 else ''}) }}")
        self._write(" in\n" if graph else "")

    def _eqn(self, eqn: JaxprEqn, bodies: list[Any]) -> str:
        params = [f"{p.name}={p.value}" for p in params_of(eqn, bodies=bool(bodies))]
        params += [f"{body.label.replace(' ', '_')}=jaxpr{body.graph}" for body in bodies]
        results = self._binders(eqn.outvars)
        inside = f"[{' '.join(params)}]" if params else ""
        operands = "".join(f" {self._atom(atom)}" for atom in eqn.invars)
        head = f"{results} = " if results else ""
        return plain(f"{head}{eqn.primitive.name}{inside}{operands}").replace("\n", " ")

    def _binders(self, variables: Any) -> str:
        return " ".join(f"{self._atom(v)}:{aval_text(v.aval)}" for v in variables)

    def _atom(self, atom: Any) -> str:
        if isinstance(atom, Literal):
            return literal_name(atom)
        if is_dropped(atom):
            return "_"
        if atom not in self.names:
            self.names[atom] = next(self._fresh)
        return self.names[atom]

    def _write(self, part: str) -> None:
        self.parts.append(part)
        self._size += len(part)


def literal_name(literal: Any) -> str:
    """`2.0:f32[]`. For an array `[...]:f32[2,3]`, never its values."""
    text = aval_text(literal.aval)
    value = literal.val
    if getattr(value, "shape", ()) != ():
        return f"[...]:{text}"
    return f"{_plain(value)}:{text}"


def _plain(value: Any) -> Any:
    """The number as Python's own type: JAX's types print as `TypedInt(1, dtype=int32)`."""
    number: Any = value.item() if hasattr(value, "item") else value
    kinds: tuple[Any, ...] = (bool, int, float, complex)
    return next((kind(number) for kind in kinds if isinstance(number, kind)), number)


def letters() -> Iterator[str]:
    """The names that JAX gives variables: a, b, …, z, ba, bb…"""
    for number in count():
        digits = ""
        while not digits or number:
            number, digit = divmod(number, 26)
            digits = chr(97 + digit) + digits
        yield digits
