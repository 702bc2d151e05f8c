"""An error's card and the table of JAX's cache as text, for terminals and pages that cannot draw
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jaxviz.display.text.outline import counted
from jaxviz.display.text.summary import harmless
from jaxviz.safety.guard import as_far
from jaxviz.schema import (
    CacheCall,
    CacheColumn,
    CacheRow,
    CacheTable,
    Card,
    Fix,
    Program,
    Tree,
)
from jaxviz.sentences.amounts import bytes_text, count_text
from jaxviz.session.log_text import place

MARK = "*"
LONGEST_CELL = 40
MOST_CALLS = 100
LEGEND = f"{MARK} differs from the row above that is most like it."
NOT_COUNTED = "Calls that JAX's caches answered were not counted: watch(hits=True) counts them."
_WHOLE = {"mesh": "mesh", "function": "function object", "cleared": "caches cleared"}
_OF_ARGUMENT = {"style": "passed"}


def cache_text(table: CacheTable) -> str:
    """The table, the calls in their order, and notes on what is left out."""
    head = ["", *map(heading, table.columns), "traced at"]
    rows = [head, *(_row(number, row) for number, row in enumerate(table.rows, 1))]
    calls = [] if table.hits is None else [_call(call) for call in table.calls[:MOST_CALLS]]
    if calls:
        calls.insert(0, ["  calls, in order", "program", "", ""])
    cut = [[_cut(cell) for cell in row] for row in rows]
    lines = [_title(table), *_aligned(cut), *_aligned(calls), *_notes(table)]
    return "\n".join(harmless(line) for line in lines)


def heading(column: CacheColumn) -> str:
    """The subject of a column: `x: shape`."""
    if not column.where:
        return _WHOLE.get(column.kind, column.kind)
    if column.kind == "config":
        return column.where
    return f"{column.where}: {_OF_ARGUMENT.get(column.kind, column.kind)}"


def _title(table: CacheTable) -> str:
    """The function, how many programs JAX has of it, and how many calls found one."""
    where = "" if table.definition is None else f" ({place(table.definition)})"
    programs = count_text(len(table.rows) + table.omitted, "program")
    hits = "" if table.hits is None else f", {count_text(table.hits, 'cached call')}"
    return f"{table.name}{where}: {programs}{hits}"


def _row(number: int, row: CacheRow) -> list[str]:
    texts = map(str, row.cells)
    cells = [f"{_cut(text)} {MARK}" if i in row.differs else text for i, text in enumerate(texts)]
    traced_at = "earlier, not in this log" if row.number is None else place(row.site)
    return [str(number), *cells, traced_at]


def _call(call: CacheCall) -> list[str]:
    times = f"{call.times:,} times" if call.times > 1 else ""
    more = ", ".join(filter(None, [times, str(call.narrowed)]))
    return [f"  {place(call.site)}", str(call.row + 1), call.end, more]


def _cut(text: str) -> str:
    text = harmless(text)
    return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _notes(table: CacheTable) -> list[str]:
    """The meaning of the marks, and the numbers of columns, programs and calls left out."""
    notes = [LEGEND] if any(row.differs for row in table.rows) else []
    if table.more:
        notes.append(f"Columns left out: {table.more:,}.")
    if table.omitted:
        notes.append(f"Programs left out: {table.omitted:,}, the latest ones.")
    if table.hits is None:
        return [*notes, NOT_COUNTED]
    shown = sum(call.times for call in table.calls[:MOST_CALLS] if call.end == "hit")
    if table.hits > shown:
        notes.append(f"Cached calls that are not listed: {table.hits - shown:,}.")
    return notes


def card_text(card: Card, program: Program) -> str:
    """The whole card. The program that JAX had recorded is only counted."""
    function = "" if card.at.function == "<module>" else f"{card.at.function}, "
    at = f"{function}{card.at.file}, line {card.at.line}"
    parts = [
        [f"{card.title} ({card.error})", at],
        as_far(_code, card),
        as_far(_reason, card, program),
        *[as_far(_fix, one) for one in card.fixes],
    ]
    return "\n\n".join("\n".join(map(harmless, part)) for part in parts if part)


def _code(card: Card) -> Iterator[str]:
    """The lines around the expression, which is underlined."""
    for number, line in enumerate(card.code, card.start):
        yield f"{number:>4} | {line}".rstrip()
        if card.at.column and card.at.line <= number <= card.at.end_line:
            indent = len(line) - len(line.lstrip())
            first = card.at.column if number == card.at.line else indent + 1
            stop = card.at.end_column if number == card.at.end_line else len(line) + 1
            yield f"     | {' ' * (first - 1)}{'^' * max(stop - first, 1)}"


def _reason(card: Card, program: Program) -> Iterator[str]:
    """Where the value comes from, the sides that do not fit, and why JAX raises the error."""
    if card.root:
        steps = [f"{step.op}, line {step.line}" if step.line else step.op for step in card.story]
        path = " → ".join([card.root.text, *steps])
        asked = f": {card.asked}" if steps else ""
        yield f"The value: {path}{asked}" if card.asked else f"The expression reads: {path}"
    yield from _tree(card.tree)
    for side in () if card.tree else card.sides:
        axes = ", ".join(map(str, side.differ))
        role = f", {side.role}" if side.role else ""
        yield f"{side.name}{role}: {side.type}" + (f", axis {axes} does not fit" if axes else "")
    if card.largest:
        at = card.largest.at
        where = f", made in {at.file}, line {at.line}" if at else ""
        size = f"{card.largest.type}, {bytes_text(card.largest.bytes)}"
        yield f"The largest value of the program: {size}{where}."
        if card.largest.asked is not None:
            yield f"XLA requested {bytes_text(card.largest.asked)} in one allocation."
    if card.born:
        yield f"It was made in {card.born.function}, {card.born.file}, line {card.born.line}."
    yield card.why
    eqns = sum(len(graph.eqns) for stage in program.stages for graph in stage.graphs)
    if eqns and not card.largest:
        yield f"JAX had recorded {counted('jaxpr', eqns)} by then."


def _tree(tree: Tree | None) -> Iterator[str]:
    """Both sides, side by side. Marks point at the leaves that do not fit."""
    if tree is None:
        return
    names = [f"{'  ' * row.depth}{row.key or 'result'}" for row in tree.rows]
    texts = [tree.sides, *(row.types for row in tree.rows)]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    first = max(map(len, names))
    for label, row, (one, other) in zip(["", *names], [None, *tree.rows], texts, strict=True):
        mark = "  ← does not fit" if row and not row.fits else ""
        line = f"{label:<{first}}  {one:<{widths[0]}}  {other:<{widths[1]}}"
        yield f"{line.rstrip()}{mark}"
    if tree.others:
        yield f"{tree.others} other {'leaf fits' if tree.others == 1 else 'leaves fit'}."


def _fix(fix: Fix) -> Iterator[str]:
    """A fix, as lines to remove and lines to add."""
    promise = "advice" if fix.promise == "sketch" else fix.promise
    yield f"{promise[:1].upper()}{promise[1:]}: {fix.title}"
    yield from (f"  - {line}" for line in fix.before)
    yield from (f"  + {line}" for line in fix.lines)
    if fix.differs:
        yield f"  {fix.differs}"
