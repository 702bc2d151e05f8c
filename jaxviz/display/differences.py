"""How two programs differ, in text: what `print(jaxviz.compare(before, after))` shows."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import NamedTuple

from jaxviz import schema
from jaxviz.display.paths import root

INPUTS = 8
"""Lines of inputs and results."""
TREE = 2
"""Of a tree so many inputs get a line each, where they differ in the same way."""
ABSENT = "absent"
"""As `schema.Change` has it of an input that one program has alone."""
ROWS = 28
"""Lines of eqns."""
NAMES = 48
"""Characters of the primitives that are counted by name."""

SIGNS = {"added": "+", "removed": "-", "changed": "~", "retyped": ":"}


_ONE_PARAM = re.compile(r"(\w+=)[^=\n]*\n\1([^=\n]*)")

ALONE = ("added", "removed")
LABELS = {"retyped": "of other types"}


class Row(NamedTuple):
    """Eqns that differ in the same way."""

    kind: str
    op: str
    what: str
    """The eqn, or what it calls; where its types alone differ, how."""
    how: str


def title(record: schema.Program, compared: schema.Compared) -> str:
    """One line: both names, and how many eqns differ."""
    names = f"{compared.before} → {compared.after}"
    total = sum(len(graph.eqns) for stage in record.stages[:1] for graph in stage.graphs)
    if not compared.marks and not compared.inputs:
        return f"{names}: the same program, {eqns(total)}"
    counts = Counter(mark.kind for mark in compared.marks)
    told = [f"{counts[kind]:,} {LABELS.get(kind, kind)}" for kind in SIGNS if counts[kind]]
    same = total - len(compared.marks)
    return f"{names}: {', '.join([*told, f'{same:,} the same' if same else 'none the same'])}"


def lines(record: schema.Program, compared: schema.Compared) -> list[str]:
    """The inputs and results that differ, and the eqns, many alike in one line."""
    found = [title(record, compared)]
    inputs = change_lines(compared.inputs)
    found += inputs[:INPUTS]
    if len(inputs) > INPUTS:
        found.append(f"  … {len(inputs) - INPUTS:,} more of the inputs and results")
    rows = rows_of(record, compared)
    if rows:
        found += ["", *eqn_lines(rows)]
    return found


def change_lines(changes: list[schema.Change]) -> list[str]:
    """A line for each; one for all of a tree that differ in the same way."""
    alike: dict[tuple[str, str, bool, bool], list[schema.Change]] = {}
    for one in changes:
        key = (root(one.where), one.kind, one.before == ABSENT, one.after == ABSENT)
        alike.setdefault(key, []).append(one)
    found: list[str] = []
    for (path, *_), held in alike.items():
        if len(held) <= TREE:
            found += [change_line(one, "") for one in held]
        else:
            found.append(change_line(held[0], f" and {len(held) - 1:,} more of {path}"))
    return [*dict.fromkeys(found)]


def change_line(change: schema.Change, more: str) -> str:
    where = f"{change.where}{more}: " if change.where else ""
    if change.before == ABSENT:
        return f"  + {where}{change.after}"
    if change.after == ABSENT:
        return f"  - {where}{change.before}"
    return f"  ~ {where}{change.before} → {change.after}"


def rows_of(record: schema.Program, compared: schema.Compared) -> list[Row]:
    """Of each mark what is said of its eqn. What an eqn holds that was added or removed goes
    with it."""
    stage = record.stages[0]
    held = bodies_of(stage)
    marks = {mark.eqn: mark for mark in compared.marks}
    rows: list[Row] = []
    number = 0
    for index, graph in enumerate(stage.graphs):
        holder = held.get(index)
        outer = None if holder is None else marks.get(holder[0])
        place = "" if holder is None else f"  (in {holder[1]})"
        for eqn in graph.eqns:
            mark = marks.get(number)
            number += 1
            if mark is not None and (outer is None or outer.kind not in ALONE):
                rows.append(row(stage, eqn, mark, place))
    return rows


def row(stage: schema.Stage, eqn: schema.Eqn, mark: schema.Mark, place: str) -> Row:
    if mark.kind in ALONE:
        return Row(mark.kind, eqn.op, written(stage, eqn), place)
    how = arrow(mark.before, mark.after)
    if mark.kind == "changed":
        return Row(mark.kind, eqn.op, called(eqn), f"  {how}{place}")
    return Row(mark.kind, eqn.op, how, "")


def arrow(before: str, after: str) -> str:
    """`axes=(0,) → (1,)`."""
    found = _ONE_PARAM.fullmatch(f"{before}\n{after}")
    return f"{before} → {found[2]}" if found else f"{before} → {after}"


def called(eqn: schema.Eqn) -> str:
    return f"{eqn.op} {eqn.name}" if eqn.name else eqn.op


def written(stage: schema.Stage, eqn: schema.Eqn) -> str:
    """The eqn as the text has it; of one that holds bodies its name and what is in it."""
    if eqn.bodies or eqn.span is None:
        inside = sum(len(stage.graphs[body.graph].eqns) for body in eqn.bodies)
        return f"{called(eqn)}, {eqns(inside)} inside" if inside else called(eqn)
    return " ".join(stage.text[slice(*eqn.span)].split()).replace("[ ", "[").replace(" ]", "]")


def eqn_lines(rows: list[Row]) -> list[str]:
    """Rows that are alike are one line, and all eqns with the same types in place of others. Where
    these are too many, those of a kind are counted by their primitives, first of the kind of which
    there are most."""
    by_kind = {kind: [one for one in rows if one.kind == kind] for kind in SIGNS}
    distinct = {kind: len(set(held)) for kind, held in by_kind.items()}
    distinct["retyped"] = len({one.what for one in by_kind["retyped"]})
    summed: list[str] = []
    while sum(distinct.values()) + len(summed) > ROWS:
        kind = max(distinct, key=lambda kind: distinct[kind])
        summed.append(f"  {SIGNS[kind]} {primitives(by_kind[kind])}")
        distinct[kind] = 0
    kept = Counter(one for one in rows if distinct[one.kind] and one.kind != "retyped")
    found = [line(one, count) for one, count in kept.items()]
    if distinct["retyped"]:
        for what in dict.fromkeys(one.what for one in by_kind["retyped"]):
            held = [one for one in by_kind["retyped"] if one.what == what]
            found.append(f"  {SIGNS['retyped']} {what}  {primitives(held)}")
    return [*found, *summed]


def primitives(rows: list[Row]) -> str:
    """How many eqns, and how many of each primitive."""
    ops = Counter(one.op for one in rows)
    named = ""
    for shown, (op, count) in enumerate(ops.most_common()):
        more = f"{op} {count:,}" if count > 1 else op
        if len(named) + len(more) > NAMES:
            named += f" · {len(ops) - shown} more"
            break
        named += f" · {more}" if named else more
    return f"{eqns(len(rows))}: {named}"


def line(one: Row, count: int) -> str:
    times = f" × {count:,}" if count > 1 else ""
    return f"  {SIGNS[one.kind]} {one.what}{times}{one.how}"


def bodies_of(stage: schema.Stage) -> dict[int, tuple[int, str]]:
    """Of each graph that is held the number and the name of the eqn where it is met first."""
    found: dict[int, tuple[int, str]] = {}
    for number, eqn in enumerate(chain.from_iterable(graph.eqns for graph in stage.graphs)):
        for body in eqn.bodies:
            label = "" if len(eqn.bodies) == 1 else f" {body.label}"
            found.setdefault(body.graph, (number, f"{called(eqn)}{label}"))
    return found


def eqns(count: int) -> str:
    return f"{count:,} eqn{'' if count == 1 else 's'}"
