"""A program in text: what `print(program)` shows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, groupby
from textwrap import wrap

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.collectives.bytes_sent import Sent, sent_by_axes, sent_by_groups
from jaxviz.analysis.findings.memory_findings import RUN_STEPWISE
from jaxviz.display.text.difference import difference_lines, difference_title, tree_root
from jaxviz.display.text.outline import all_eqns, called, counted, outline
from jaxviz.ops import row_of
from jaxviz.schema import first_made
from jaxviz.schema.graph import line_text
from jaxviz.schema.program import NEW
from jaxviz.sentences.amounts import bytes_text, count_text, flops_text, transcendentals_text

MOST_COLUMNS = 100
MOST_LINES = 40
SHORT_TEXT = 14
"""A program's text is shown whole up to this many lines."""
LEAF_LINES = 8
"""The most arguments, or results, that get a line."""
MOST_CAUSES = 3
"""The most exchanges that get a line with their cause: those that send most."""
MOST_GROUPS = 4
KINDS_OF_FIXED = {"static": "static", "closed over": "constant"}
"""The kinds of arguments that are not inputs of the program."""
NOT_COMPILED = "Whether it fits into the memory is known once XLA has compiled it: the stage hlo."
NOT_REPORTED = "XLA does not report here how much memory it sets aside."
ESTIMATE = (
    "This is XLA's estimate, by the compiler that made this HLO: another platform's may be "
    "otherwise, and what else is in memory is not counted."
)
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)


def summary(record: schema.Program, memory: float | None = None) -> str:
    """A program in at most 40 lines of 100 columns, and whether it fits into `memory` GiB.
    Characters in its names that could control a terminal are escaped."""
    if record.compared is not None:
        lines = difference_lines(record, record.compared)
    else:
        lines = [headline(record), *leaves(record.args, "")]
        lines += [f"  {text}" for text in (fixed_text(record), donated_text(record)) if text]
        lines += leaves(named_results(record), "→ ")
        for stage in record.stages:
            lines += ["", *stage_lines(stage, is_first=stage is first_made(record))]
        lines += fit_lines(record, memory) if memory is not None else []
        lines += finding_lines(record.findings)
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], f"… {len(lines) - MOST_LINES + 1} lines more"]
    return "\n".join(cut(line) for line in lines)


def headline(record: schema.Program) -> str:
    """One line: the function, its arguments and results, and how many eqns it has. For a
    comparison: how the two programs differ."""
    if record.compared is not None:
        return cut(difference_title(record, record.compared))
    args = ", ".join(name for name, _ in gathered(record.args))
    results = ", ".join(text for _, text in gathered(record.results))
    if len(results) > 40 and len(record.results) > 1:
        results = arrays(record.results)
    found = [eqns_of(stage) for stage in record.stages if stage.error is None]
    counts = f": {found[0]}" if found else ""
    return cut(f"{record.name}({args}) → {results or 'nothing'}{counts}")


def findings_title(found: list[schema.Finding]) -> str:
    """`2 findings, 1 note`."""
    notes = sum(one.is_note for one in found)
    counts = [count_text(len(found) - notes, "finding")] if notes < len(found) or not found else []
    return ", ".join(counts + ([count_text(notes, "note")] if notes else []))


def finding_lines(found: list[schema.Finding]) -> list[str]:
    """The lines of each finding: its kind and place, its cost and its fix."""
    lines: list[str] = []
    for one in found:
        first, *others = one.lines
        lines.append("")
        for text in (first, *(f"  {each}" for each in others)):
            lines += wrap(text, MOST_COLUMNS, subsequent_indent="    ")
    return lines


def fixed_text(record: schema.Program) -> str:
    """The arguments that are not inputs of the program, by kind: `constant: lower=0, upper=100`.
    Empty if there are none."""
    parts = (
        (text, [one for one in record.fixed if one.kind == kind])
        for kind, text in KINDS_OF_FIXED.items()
    )
    return " · ".join(
        f"{text}: {', '.join(f'{one.path}={one.text}' for one in found)}"
        for text, found in parts
        if found
    )


def donated_text(record: schema.Program) -> str:
    """The arguments that are donated: `donated: w, state (2 of 3 arrays)`. Empty if none is."""
    call = first_made(record).call if record.stages else None
    if call is None or not call.donated:
        return ""
    every = Counter(root_name(leaf.path) for leaf in record.args)
    donated = Counter(root_name(record.args[at].path) for at in call.donated)
    parts = (
        name if count == every[name] else f"{name} ({count} of {every[name]} arrays)"
        for name, count in donated.items()
    )
    return f"donated: {', '.join(parts)}"


def eqns_of(stage: schema.Stage) -> str:
    """The number of eqns, ops or instructions of a stage, and how many of them are in bodies."""
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


def named_results(record: schema.Program) -> list[schema.Leaf]:
    """The results by the user's names, if they are known: `params['w'] (new)`."""
    call = first_made(record).call if record.stages else None
    names = call.results if call and len(call.results) == len(record.results) else []
    return [
        replace(leaf, path=name or leaf.path)
        for leaf, name in zip(record.results, names or [""] * len(record.results), strict=True)
    ]


def leaves(found: list[schema.Leaf], mark: str) -> list[str]:
    """A line for each argument or result; a pytree of many arrays takes one line."""
    rows = gathered(found)
    width = min(30, max((len(name) for name, _ in rows), default=0))
    lines = [f"  {mark}{name:<{width}}  {text}" for name, text in rows[:LEAF_LINES]]
    if len(rows) > LEAF_LINES:
        lines.append(f"  {mark}… {len(rows) - LEAF_LINES} more")
    return lines


def gathered(found: list[schema.Leaf]) -> list[tuple[str, str]]:
    """The name and type of each leaf. A pytree of many arrays is one row: `params`, `24 arrays, 1.2
    MiB`."""
    rows: list[tuple[str, str]] = []
    for name, group in groupby(found, key=lambda leaf: root_name(leaf.path)):
        leaves = list(group)
        if len(leaves) <= 2:
            rows += [(leaf.path, aval_text(leaf.aval)) for leaf in leaves]
        else:
            rows.append((name, arrays(leaves)))
    return rows


def root_name(path: str) -> str:
    """The name of the pytree that a leaf is in: `params (new)` of `params['w'] (new)`."""
    name = path.removesuffix(NEW)
    return tree_root(name) + path[len(name) :]


def aval_text(aval: schema.Aval) -> str:
    return f"~{aval.text}" if aval.weak_type else aval.text


def arrays(found: list[schema.Leaf]) -> str:
    """The number of arrays, and their total size if it is known: `24 arrays, 1.2 MiB`."""
    sizes = [leaf.aval.bytes for leaf in found if leaf.aval.kind == "array"]
    count = f"{len(found):,} arrays"
    return count if None in sizes else f"{count}, {bytes_text(sum(filter(None, sizes)))}"


def stage_lines(stage: schema.Stage, is_first: bool) -> list[str]:
    """For the first stage its text, or its outline if the text is long, and its primitives. For a
    later stage one line."""
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
    """Flops, bytes and memory of one run of a stage, without those that are not known."""
    found: list[str] = []
    if stage.cost is not None:
        least = "at least " if stage.cost.least else ""
        flops, functions = stage.cost.flops, stage.cost.transcendentals
        if flops:
            found.append(least + flops_text(flops))
        elif functions:
            found.append(least + transcendentals_text(functions, only_function(stage)))
        if stage.cost.bytes is not None:
            found.append(f"{least}{bytes_text(stage.cost.bytes)} read and written")
    if stage.memory is not None and stage.memory.aside is not None:
        found.append(f"XLA sets {bytes_text(stage.memory.aside)} aside")
    return found


def only_function(stage: schema.Stage) -> str:
    """The one function, such as sin, that a stage's eqns have values of; empty if several."""
    names = {
        row_of(eqn.op).name
        for graph in stage.graphs
        for eqn in graph.eqns
        if eqn.cost is not None and eqn.cost.transcendentals and not eqn.bodies
    }
    return names.pop() if len(names) == 1 else ""


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


def exchange_lines(stage: schema.Stage) -> list[str]:
    """Bytes that each device sends in one run of a stage, by the axes of the mesh and by the
    outermost groups, with causes. Empty if nothing is sent."""
    by_axes = {axes: sent for axes, sent in sent_by_axes(stage).items() if sent.bytes or sent.least}
    if not by_axes:
        return []
    parts = [
        _amount(sent) + (f" along {' and '.join(axes)}" if axes else "")
        for axes, sent in by_axes.items()
    ]
    return [f"each device sends {', '.join(parts)}", *_by_groups(stage), *_causes(stage)]


def _amount(sent: Sent) -> str:
    return f"{'at least ' if sent.least else ''}{bytes_text(sent.bytes)}"


def _by_groups(stage: schema.Stage) -> list[str]:
    """A line with the groups that send most."""
    groups = sent_by_groups(stage, called(stage, 0))
    found = [(name, sent) for name, sent in groups if sent.bytes or sent.least]
    if not found:
        return []
    found.sort(key=lambda one: -one[1].bytes)
    parts = [f"{_amount(sent)} in {name}" for name, sent in found[:MOST_GROUPS]]
    more = len(found) - MOST_GROUPS
    return [f"  {', '.join(parts)}{f', and {more} groups more' if more > 0 else ''}"]


def _causes(stage: schema.Stage) -> Iterator[str]:
    found = [one for one in stage.collectives if one.cause]
    eqns = [eqn for graph in stage.graphs for eqn in graph.eqns]
    for one in sorted(found, key=lambda one: -(one.sent or 0))[:MOST_CAUSES]:
        frame = eqns[one.eqn].frame
        where = f", line {stage.frames[frame].line}" if frame is not None else ""
        size = "" if one.sent is None else f" of {bytes_text(one.sent)}"
        text = f"{one.kind}{size}{where}: {one.cause}"
        yield from wrap(text, MOST_COLUMNS, initial_indent="  ", subsequent_indent="    ")
    if (more := len(found) - MOST_CAUSES) > 0:
        yield f"  … {more} more whose cause is known"


def fits(record: schema.Program, gib: float) -> bool | None:
    """True if a program fits into `gib` GiB; None if XLA has not reported its memory."""
    hlo = next((one for one in record.stages if one.kind == "hlo"), None)
    aside = hlo.memory.aside if hlo is not None and hlo.memory is not None else None
    return None if aside is None else aside <= _bytes(gib)


def fit_lines(record: schema.Program, gib: float) -> list[str]:
    """Lines that say whether a program fits into `gib` GiB, by how much, and its largest value."""
    hlo = next((one for one in record.stages if one.kind == "hlo" and not one.error), None)
    if hlo is None:
        return ["", NOT_COMPILED]
    if hlo.memory is None:
        return ["", NOT_REPORTED]
    texts = [_fit(hlo.memory, _bytes(gib)), *_largest(hlo), ESTIMATE]
    wrapped = [wrap(text, MOST_COLUMNS, subsequent_indent="  ") for text in texts]
    return ["", *chain.from_iterable(wrapped)]


def _bytes(gib: float) -> int:
    return round(gib * (1 << 30))


def _fit(memory: schema.Memory, limit: int) -> str:
    if memory.aside is None:
        return NOT_REPORTED
    aside, named = memory.aside, ("arguments", "outputs", "temporaries")
    parts = ", ".join(f"{name} {bytes_text(getattr(memory, name))}" for name in named)
    if memory.aliased:
        parts += f"; {bytes_text(memory.aliased)} of the outputs reuse donated arguments"
    sets = f"XLA sets {bytes_text(aside)} aside on each device ({parts})"
    memory_size, difference = bytes_text(limit), bytes_text(abs(limit - aside))
    if aside > limit:
        return f"Does not fit into {memory_size}: {sets}, which is {difference} too much."
    return f"Fits into {memory_size}: {sets}, and {difference} are left."


def _largest(hlo: schema.Stage) -> Iterator[str]:
    """The largest array between inputs and results, and the user's line."""
    found = max(_between(hlo), key=lambda one: one[0].bytes or 0, default=None)
    if found is None:
        return
    aval, eqn = found
    where = f", made by {line_text(hlo.frames[eqn.frame])}" if eqn.frame is not None else ""
    size = bytes_text(aval.bytes or 0)
    yield f"The largest value between inputs and results is {aval.text}, {size}{where}."


def _between(hlo: schema.Stage) -> Iterator[tuple[schema.Aval, schema.Eqn]]:
    """The arrays that instructions make, without the program's results; for a tuple, its
    elements."""
    results = {*hlo.graphs[0].outvars}
    for eqn in hlo.graphs[0].eqns:
        if eqn.op == "tuple" and not results.isdisjoint(eqn.outvars):
            results.update(eqn.invars)
    waiting, seen = [0], {0}
    for number in waiting:
        graph = hlo.graphs[number]
        taken: dict[int, list[int]] = {}
        for one in graph.eqns:
            if one.op == "get-tuple-element":
                taken.setdefault(one.invars[0], []).extend(one.outvars)
        for eqn in graph.eqns:
            if eqn.op in RUN_STEPWISE:
                further = [body.graph for body in eqn.bodies if body.graph not in seen]
                waiting += further
                seen.update(further)
            elif not row_of(eqn.op).alias:
                for var in taken.get(eqn.outvars[0], eqn.outvars) if eqn.outvars else []:
                    aval = hlo.avals[graph.vars[var].aval]
                    if aval.kind == "array" and aval.bytes and not (number == 0 and var in results):
                        yield aval, eqn


def harmless(text: str) -> str:
    """The text with escapes for characters that could control a terminal."""

    def escape(found: re.Match[str]) -> str:
        code = ord(found.group())
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return _UNSAFE.sub(escape, text)


def cut(line: str) -> str:
    line = harmless(line)
    return line if len(line) <= MOST_COLUMNS else f"{line[: MOST_COLUMNS - 1]}…"
