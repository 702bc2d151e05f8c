"""Differences of two programs as text: the output of `print(jaxviz.compare(before, after))`."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain
from typing import NamedTuple

from jaxviz import schema
from jaxviz.display.text.outline import all_eqns, title
from jaxviz.sentences.amounts import count_text

INPUT_LINES = 8
"""The most lines for inputs and results."""
INPUTS_OF_A_TREE = 2
"""Up to this many inputs of one pytree that differ in the same way get a line each."""
MOST_NAMED = 3
"""At most this many arrays without compared values are named."""
ABSENT = "absent"
"""The value in `schema.Change` if one program lacks an input."""
EQN_LINES = 28
"""The most lines for eqns."""
PRIMITIVES_WIDTH = 48
"""The most characters for the counts of primitives in a line."""

SIGNS = {"added": "+", "removed": "-", "moved": ">", "changed": "~", "retyped": ":"}

_ONE_PARAM = re.compile(r"(\w+=)[^=\n]*\n\1([^=\n]*)")

IN_ONE_PROGRAM = ("added", "removed")
KIND_LABELS = {"retyped": "of other types"}


class DifferenceRow(NamedTuple):
    """The difference of an eqn. Eqns with equal rows share a line."""

    kind: str
    op: str
    what: str
    """The eqn as text, or its name; for a retyped eqn, how its types differ."""
    how: str


def difference_title(record: schema.Program, compared: schema.Compared) -> str:
    """One line: both names, and how many eqns differ."""
    names = f"{compared.before} → {compared.after}"
    total = sum(all_eqns(stage) for stage in record.stages[:1])
    arrays = [*dict.fromkeys(compared.unknown)]
    more = ", …" if len(arrays) > MOST_NAMED else ""
    rest = f"; values not compared: {', '.join(arrays[:MOST_NAMED])}{more}" if arrays else ""
    if not compared.marks and not compared.inputs:
        return f"{names}: the same program, {count_text(total, 'eqn')}{rest}"
    counts = Counter(mark.kind for mark in compared.marks)
    parts = [f"{counts[kind]:,} {KIND_LABELS.get(kind, kind)}" for kind in SIGNS if counts[kind]]
    same = total - len(compared.marks)
    parts.append(f"{same:,} the same" if same else "none the same")
    return f"{names}: {', '.join(parts)}{rest}"


def difference_lines(record: schema.Program, compared: schema.Compared) -> list[str]:
    """The title, then the inputs and results that differ, then the eqns that differ. Equal eqns
    share a line."""
    found = [difference_title(record, compared)]
    inputs = change_lines(compared.inputs)
    found += inputs[:INPUT_LINES]
    if len(inputs) > INPUT_LINES:
        found.append(f"  … {len(inputs) - INPUT_LINES:,} more of the inputs and results")
    rows = rows_of(record, compared)
    if rows:
        found += ["", *eqn_lines(rows)]
    return found


def change_lines(changes: list[schema.Change]) -> list[str]:
    """A line for each input or result that differs; many of one pytree that differ in the same way
    share a line."""
    alike: dict[tuple[str, str, bool, bool], list[schema.Change]] = {}
    for one in changes:
        key = (tree_root(one.where), one.kind, one.before == ABSENT, one.after == ABSENT)
        alike.setdefault(key, []).append(one)
    found: list[str] = []
    for (path, *_), same in alike.items():
        if len(same) <= INPUTS_OF_A_TREE:
            found += [change_line(one, "") for one in same]
        else:
            found.append(change_line(same[0], f" and {len(same) - 1:,} more of {path}"))
    return [*dict.fromkeys(found)]


def change_line(change: schema.Change, more: str) -> str:
    where = f"{change.where}{more}: " if change.where else ""
    if change.before == ABSENT:
        return f"  + {where}{change.after}"
    if change.after == ABSENT:
        return f"  - {where}{change.before}"
    if change.kind == "moved":
        where = "" if change.where == change.after else where
        return f"  > {where}{change.before} → {change.after}"
    return f"  ~ {where}{change.before} → {change.after}"


def rows_of(record: schema.Program, compared: schema.Compared) -> list[DifferenceRow]:
    """A row for each mark, except those of eqns in the body of an eqn that was itself added or
    removed."""
    stage = record.stages[0]
    owners = owners_of(stage)
    marks = {mark.eqn: mark for mark in compared.marks}
    rows: list[DifferenceRow] = []
    number = 0
    for index, graph in enumerate(stage.graphs):
        owner = owners.get(index)
        outer = None if owner is None else marks.get(owner[0])
        place = "" if owner is None else f"  (in {owner[1]})"
        for eqn in graph.eqns:
            mark = marks.get(number)
            number += 1
            if mark is not None and (outer is None or outer.kind not in IN_ONE_PROGRAM):
                rows.append(row(stage, eqn, mark, place))
    return rows


def row(stage: schema.Stage, eqn: schema.Eqn, mark: schema.Mark, place: str) -> DifferenceRow:
    if mark.kind in (*IN_ONE_PROGRAM, "moved"):
        return DifferenceRow(mark.kind, eqn.op, written(stage, eqn), place)
    how = arrow(mark.before, mark.after)
    if mark.kind == "changed":
        return DifferenceRow(mark.kind, eqn.op, title(eqn), f"  {how}{place}")
    return DifferenceRow(mark.kind, eqn.op, how, "")


def arrow(before: str, after: str) -> str:
    """Both texts with an arrow between them. The name of a single param is written once: `axes=(0,)
    → (1,)`."""
    found = _ONE_PARAM.fullmatch(f"{before}\n{after}")
    return f"{before} → {found[2]}" if found else f"{before} → {after}"


def written(stage: schema.Stage, eqn: schema.Eqn) -> str:
    """The eqn as it is in the stage's text. For an eqn with bodies: its name, and how many eqns
    they have."""
    if eqn.bodies or eqn.span is None:
        inside = schema.count_eqns(stage.graphs, [eqn]) - 1
        return f"{title(eqn)}, {count_text(inside, 'eqn')} inside" if inside else title(eqn)
    return " ".join(stage.text[slice(*eqn.span)].split()).replace("[ ", "[").replace(" ]", "]")


def eqn_lines(rows: list[DifferenceRow]) -> list[str]:
    """A line for each row. Retyped eqns share a line if their types changed in the same way.

    If there are too many lines, the rows of the kind with most lines become one line that counts
    their primitives. This is repeated until the lines fit."""
    by_kind = {kind: [one for one in rows if one.kind == kind] for kind in SIGNS}
    distinct = {kind: len(set(same)) for kind, same in by_kind.items()}
    distinct["retyped"] = len({one.what for one in by_kind["retyped"]})
    summed: list[str] = []
    while sum(distinct.values()) + len(summed) > EQN_LINES:
        kind = max(distinct, key=lambda kind: distinct[kind])
        summed.append(f"  {SIGNS[kind]} {primitives(by_kind[kind])}")
        distinct[kind] = 0
    counts = Counter(one for one in rows if distinct[one.kind] and one.kind != "retyped")
    found = [line(one, count) for one, count in counts.items()]
    if distinct["retyped"]:
        for what in dict.fromkeys(one.what for one in by_kind["retyped"]):
            same = [one for one in by_kind["retyped"] if one.what == what]
            found.append(f"  {SIGNS['retyped']} {what}  {primitives(same)}")
    return [*found, *summed]


def primitives(rows: list[DifferenceRow]) -> str:
    """The number of eqns, and of each primitive: `3 eqns: mul 2 · add`."""
    ops = Counter(one.op for one in rows)
    named = ""
    for shown, (op, count) in enumerate(ops.most_common()):
        more = f"{op} {count:,}" if count > 1 else op
        if len(named) + len(more) > PRIMITIVES_WIDTH:
            named += f" · {len(ops) - shown} more"
            break
        named += f" · {more}" if named else more
    return f"{count_text(len(rows), 'eqn')}: {named}"


def line(one: DifferenceRow, count: int) -> str:
    times = f" × {count:,}" if count > 1 else ""
    return f"  {SIGNS[one.kind]} {one.what}{times}{one.how}"


def owners_of(stage: schema.Stage) -> dict[int, tuple[int, str]]:
    """For each graph that is a body, the number and the name of the first eqn with this body."""
    found: dict[int, tuple[int, str]] = {}
    for number, eqn in enumerate(chain.from_iterable(graph.eqns for graph in stage.graphs)):
        for body in eqn.bodies:
            label = "" if len(eqn.bodies) == 1 else f" {body.label}"
            found.setdefault(body.graph, (number, f"{title(eqn)}{label}"))
    return found


def tree_root(path: str) -> str:
    """The argument of a path, `params` for `params['w1']`; for a result, `result[0]`."""
    found = re.match(r"(result(?:s)?\[\d+\])|[^.\[]*", path)
    return found.group() if found and found.group() else path
