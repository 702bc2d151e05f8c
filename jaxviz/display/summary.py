"""A program in text: what `print(program)` shows."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from textwrap import wrap

from jaxviz import schema
from jaxviz.display import difference_text
from jaxviz.display.difference_text import tree_root
from jaxviz.display.exchange_text import exchange_lines
from jaxviz.display.memory_text import fit_lines
from jaxviz.display.outline_text import all_eqns, counted, outline
from jaxviz.schema import first_made
from jaxviz.sentences.amounts import bytes_text, flops_text, transcendentals_text

MOST_COLUMNS = 100
MOST_LINES = 40
SHORT_TEXT = 14
"""A program's text is shown whole up to this many lines."""
LEAF_LINES = 8
"""The most arguments, or results, that get a line."""

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def summary(record: schema.Program, memory: float | None = None) -> str:
    """A program in at most 40 lines of 100 columns, and whether it fits into `memory`, GiB.
    Characters in its names that could steer a terminal are escaped."""
    if record.compared is not None:
        lines = difference_text.lines(record, record.compared)
    else:
        fixed = fixed_text(record)
        lines = [headline(record), *leaves(record.args, "")]
        lines += [f"  {fixed}"] if fixed else []
        lines += leaves(record.results, "→ ")
        for stage in record.stages:
            lines += ["", *stage_lines(stage, is_first=stage is first_made(record))]
        lines += fit_lines(record, memory) if memory is not None else []
        lines += finding_lines(record.findings)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"… {len(lines) - MOST_LINES + 1} lines more"]
    return "\n".join(cut(line) for line in lines)


def headline(record: schema.Program) -> str:
    """One line: the function, its arguments and results, and how many eqns it has; or how two
    programs differ."""
    if record.compared is not None:
        return cut(difference_text.title(record, record.compared))
    args = ", ".join(name for name, _ in gathered(record.args))
    results = ", ".join(text for _, text in gathered(record.results))
    if len(results) > 40 and len(record.results) > 1:
        results = arrays(record.results)
    found = [eqns_of(stage) for stage in record.stages if stage.error is None]
    counts = f": {found[0]}" if found else ""
    return cut(f"{record.name}({args}) → {results or 'nothing'}{counts}")


KINDS_OF_FIXED = ("static", "closed over")
"""The kinds of arguments that are not inputs of the program."""


def finding_lines(found: list[schema.Finding]) -> list[str]:
    """Each finding: its kind and line, what is so, and what to do about it."""
    lines: list[str] = []
    for one in found:
        first, *others = one.lines
        lines.append("")
        for text in (first, *(f"  {each}" for each in others)):
            lines += wrap(text, MOST_COLUMNS, subsequent_indent="    ")
    return lines


def fixed_text(record: schema.Program) -> str:
    """The arguments that are not inputs of the program, by kind: `closed over: lower=0, upper=100`.
    Empty where there are none."""
    parts = ((kind, [one for one in record.fixed if one.kind == kind]) for kind in KINDS_OF_FIXED)
    return " · ".join(
        f"{kind}: {', '.join(f'{one.path}={one.text}' for one in found)}"
        for kind, found in parts
        if found
    )


def eqns_of(stage: schema.Stage) -> str:
    """The number of eqns, ops or instructions of a stage, and of those in bodies."""
    if not stage.graphs:
        return counted(stage.kind, 0)
    own, every = len(stage.graphs[0].eqns), all_eqns(stage)
    whole = counted(stage.kind, every)
    if own == 0:
        return f"{whole}, returns {returned(stage.graphs[0])}"
    bodies = len(stage.graphs) - 1
    if bodies < 1:
        return whole
    return f"{whole}, {every - own:,} of them in {bodies:,} bod{'y' if bodies == 1 else 'ies'}"


def returned(graph: schema.Graph) -> str:
    """The results of a graph without eqns: its inputs by name, and literals."""
    names = {var: name for var, name in zip(graph.invars, graph.args, strict=False) if name}
    found = [names.get(var, graph.vars[var].name.rpartition(":")[0]) for var in graph.outvars]
    return ", ".join(found) or "nothing"


def leaves(found: list[schema.Leaf], mark: str) -> list[str]:
    """A line for each argument; a pytree of many arrays takes one line."""
    rows = gathered(found)
    width = min(30, max((len(name) for name, _ in rows), default=0))
    lines = [f"  {mark}{name:<{width}}  {text}" for name, text in rows[:LEAF_LINES]]
    if len(rows) > LEAF_LINES:
        lines.append(f"  {mark}… {len(rows) - LEAF_LINES} more")
    return lines


def gathered(found: list[schema.Leaf]) -> list[tuple[str, str]]:
    """The name and type of each argument; of many arrays their count: `params`, `24 arrays, 1.2
    MiB`."""
    rows: list[tuple[str, str]] = []
    for name, group in groupby(found, key=lambda leaf: tree_root(leaf.path)):
        held = list(group)
        if len(held) <= 2:
            rows += [(leaf.path, aval_text(leaf.aval)) for leaf in held]
        else:
            rows.append((name, arrays(held)))
    return rows


def aval_text(aval: schema.Aval) -> str:
    return f"~{aval.text}" if aval.weak_type else aval.text


def arrays(found: list[schema.Leaf]) -> str:
    """The number of arrays, and their total size if it is known: `24 arrays, 1.2 MiB`."""
    sizes = [leaf.aval.bytes for leaf in found if leaf.aval.kind == "array"]
    counted = f"{len(found):,} arrays"
    known = [size for size in sizes if size is not None]
    return counted if len(known) < len(sizes) else f"{counted}, {bytes_text(sum(known))}"


def stage_lines(stage: schema.Stage, is_first: bool) -> list[str]:
    """The text of the first stage, or its outline where that is long, and its primitives; a line
    for a later stage."""
    if stage.error is not None:
        return [f"No {stage.kind}: {stage.error}"]
    notes = [*exchange_lines(stage), *(f"Note: {note}" for note in stage.notes)]
    if not is_first:
        count = counted(stage.kind, all_eqns(stage))
        return [" · ".join([f"{stage.kind}: {count}", *costs(stage)]), *notes]
    text = stage.text.splitlines()
    body = text if 0 < len(text) <= SHORT_TEXT else outline(stage) if stage.graphs else []
    return [*body, *primitives(stage), *filter(None, [" · ".join(costs(stage))]), *notes]


def costs(stage: schema.Stage) -> list[str]:
    """Flops, bytes and memory of one run of a stage, as far as they are known."""
    found: list[str] = []
    if stage.cost is not None:
        least = "at least " if stage.cost.least else ""
        flops, functions = stage.cost.flops, stage.cost.transcendentals
        if flops == 0 and functions:
            found.append(least + transcendentals_text(functions))
        elif flops is not None:
            found.append(least + flops_text(flops))
        if stage.cost.bytes is not None:
            found.append(f"{least}{bytes_text(stage.cost.bytes)} read and written")
    if stage.memory is not None and stage.memory.aside is not None:
        found.append(f"XLA sets {bytes_text(stage.memory.aside)} aside")
    return found


def primitives(stage: schema.Stage) -> list[str]:
    """Primitives by count, bodies included, on one or two lines."""
    counts = Counter(eqn.op for graph in stage.graphs for eqn in graph.eqns)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    line = ""
    for shown, (op, count) in enumerate(ranked):
        more = f"{op} {count:,}" if count > 1 else op
        if len(line) + len(more) + 3 > MOST_COLUMNS - 12:
            return [f"{line} · {len(ranked) - shown} more"]
        line = f"{line} · {more}" if line else more
    return [line] if line else []


def harmless(text: str) -> str:
    """The text with characters that could steer a terminal written as escapes."""
    return _UNSAFE.sub(escape, text)


def cut(line: str) -> str:
    line = harmless(line)
    return line if len(line) <= MOST_COLUMNS else f"{line[: MOST_COLUMNS - 1]}…"


def escape(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
