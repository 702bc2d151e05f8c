"""An error card as text: for terminals, and for pages that cannot draw it."""

from __future__ import annotations

from collections.abc import Iterator

from jaxviz.display.outline_text import counted
from jaxviz.display.summary import harmless
from jaxviz.safety.guard import as_far
from jaxviz.schema import Card, Fix, Largest, Program, Tree
from jaxviz.sentences.amounts import bytes_text


def card_text(card: Card, program: Program) -> str:
    """The whole card; the program so far is counted, and drawn elsewhere."""
    function = "" if card.at.function == "<module>" else f"{card.at.function}, "
    at = f"{function}{card.at.file}, line {card.at.line}"
    parts = [
        [card.title if card.error in card.title else f"{card.title} ({card.error})", at],
        as_far(code, card),
        as_far(told, card, program),
        *[as_far(fix, one) for one in card.fixes],
    ]
    return "\n\n".join("\n".join(map(harmless, part)) for part in parts if part)


def code(card: Card) -> Iterator[str]:
    """The lines around the expression, which is underlined."""
    for number, line in enumerate(card.code, card.start):
        yield f"{number:>4} | {line}".rstrip()
        if card.at.column and card.at.line <= number <= card.at.end_line:
            first = card.at.column if number == card.at.line else indent(line) + 1
            stop = card.at.end_column if number == card.at.end_line else len(line) + 1
            yield f"     | {' ' * (first - 1)}{'^' * max(stop - first, 1)}"


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def told(card: Card, program: Program) -> Iterator[str]:
    """The value's story, the sides that do not fit, and why it is so."""
    if card.root:
        steps = [f"{step.op}, line {step.line}" if step.line else step.op for step in card.story]
        way = " → ".join([card.root.text, *steps])
        asked = f": {card.asked}" if steps else ""
        yield f"The value: {way}{asked}" if card.asked else f"The expression reads: {way}"
    yield from tree(card.tree)
    for side in () if card.tree else card.sides:
        axes = ", ".join(map(str, side.differ))
        role = f", {side.role}" if side.role else ""
        yield f"{side.name}{role}: {side.type}" + (f", axis {axes} does not fit" if axes else "")
    if card.largest:
        yield from largest(card.largest)
    if card.born:
        yield f"It was made in {card.born.function}, {card.born.file}, line {card.born.line}."
    yield card.why
    eqns = sum(len(graph.eqns) for stage in program.stages for graph in stage.graphs)
    if eqns and not card.largest:
        yield f"JAX had recorded {counted('jaxpr', eqns)} by then."


def largest(one: Largest) -> Iterator[str]:
    """The largest value, its line, and how much XLA asked for."""
    at = f", made in {one.at.file}, line {one.at.line}" if one.at else ""
    yield f"The largest value of the program: {one.type}, {bytes_text(one.bytes)}{at}."
    if one.asked is not None:
        yield f"XLA requested {bytes_text(one.asked)} in one allocation."


def tree(whole: Tree | None) -> Iterator[str]:
    """Both sides, one below the other. Marks point at the parts that do not fit."""
    if whole is None:
        return
    names = [f"{'  ' * row.depth}{row.key or 'result'}" for row in whole.rows]
    texts = [whole.sides, *(row.types for row in whole.rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    first = max(map(len, names))
    for label, row, (one, other) in zip(["", *names], [None, *whole.rows], texts, strict=True):
        points = "  ← does not fit" if row and not row.fits else ""
        line = f"{label:<{first}}  {one:<{widths[0]}}  {other:<{widths[1]}}"
        yield f"{line.rstrip()}{points}"
    if whole.others:
        yield f"{whole.others} other {'leaf fits' if whole.others == 1 else 'leaves fit'}."


def fix(one: Fix) -> Iterator[str]:
    """A fix, as lines to remove and lines to add."""
    said = "advice" if one.promise == "sketch" else one.promise
    yield f"{said[:1].upper()}{said[1:]}: {one.title}"
    yield from (f"  - {line}" for line in one.before)
    yield from (f"  + {line}" for line in one.lines)
    if one.differs:
        yield f"  {one.differs}"
