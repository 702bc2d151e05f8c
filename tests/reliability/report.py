"""The score: printed, kept as JSON of one version of JAX, and docs/reliability.md of all versions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jax

from .runner import Result

PARTS = ("counts", "reasons", "places", "unknown", "hints", "wrong")
DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "reliability.md"
EDGES = Path(__file__).parent / "edges.md"
"""What was tried at the edges of a machine, written by hand: the tests named there hold it."""
HEAD = """# How reliable it is

## Traces

What jaxviz tells of traces, held against the truth. Each *program* is a small cell of a user's: of
each it is known beforehand what is traced, lowered and compiled, at which line, and why, since it is
made of parts of which that is known; and its functions count how often their bodies run. They are
every kind of change with every way to write a function, and a draw of the orders of looking at it
(`%jaxviz`, `jaxviz.inspect`, a later stage opened, before the calls, between and after them).

*Counts right*: as many traces, lowerings and compilations are told as there were. *Wrong reasons*:
another change is told than the one that was made. *Not known why*: jaxviz says that it does not
know. *Wrong lines*: another function, definition or call is named. *Wrong hints*: what to do about
it, or the text of a cause, is another one than the truth has, where it has one. `make reliability` writes this
page; `python -m tests.reliability --case NAME --show` prints programs.
"""
NAMES_HEAD = """## Names and roles of groups

Programs of libraries, each as the library's documentation writes it, held against one sentence of
what its author would say the parts are (`tests/library_programs/authors.txt`), written before
jaxviz had seen the program. *Roles agree*: forward, loss, backward, optimizer, state and metrics
are told as the author tells them, and none where there is none. *Names agree*: every part that the
author names has that name, in its role, on both sides, and nothing else stands beside them.
*Nobody's names*: no group at any depth bears the name of a library's wrapper or of an optimizer's
moment, a bare number, or the first and last op of a cut. `python -m tests.library_programs`
prints each disagreement.

Nine programs are held out (`held_out.txt`): no rule was made for them. Run for the first time when
all rules stood, on jax 0.10.2, roles agreed in 7 of these, names in 4, and 8 had none of nobody's.
Of six more (`held_out_later.txt`), roles agreed in 5, names in 3, and all had none of nobody's.
What they showed and is general was then mended: the tables have them as they are now.

MuJoCo and Brax are no part of the tests. Tried by hand on jax 0.10.2, a step of MJX 3.3.7 reads
`step (forward (fwd_position, fwd_velocity, fwd_actuation, fwd_acceleration, solve), euler)`, one of
Brax 0.14.2 (`inverted_pendulum`, spring) `pipeline_state ×4 (inv_inertia, to_tau, resolve, …,
integrate, to_world, world_to_joint, inverse), obs`: the names of their own functions, and no role.
"""
CARDS_HEAD = """## Cards of errors

Small programs that fail (`tests/failing`). Of each it was written down before the code was what is
true of it: the help page, the first fix, where the value comes from, and the whole program that its
author meant. *Pages right*: the card has that page, or there is no card where there should be none.
*With an edit*: the first fix is an edit that a machine can apply. Each is applied and run. *Wrong
edits* fail, or give another result than the program that was meant without saying so. *Advice*: a
sentence without an edit. *Untrue stories*: the card says that the value comes from elsewhere.
`python -m tests.reliability.cards` prints what is wrong.
"""
CARD_COLUMNS = ("programs", "pages", "edits", "wrong", "advice", "stories", "untrue")
LINKS_HEAD = """## Links of instructions

The gallery and the same programs of libraries, compiled as they are, and with bf16 in place of f32
in their arguments. Of the instructions of optimized HLO that do work when they run (others name,
bundle, or are constant), those that bear their eqn, as XLA names it or as jaxviz guesses it, and
those that bear none, but the reason why XLA inserted them. `python -m tests.reliability.links`
prints each program, and the opcodes of what is not linked.

How far guesses can be trusted: of the origins that XLA gave, a fifth drawn at random is taken away
and guessed again. *Same*: the eqn that XLA had named. *As well*: another eqn that the instruction
was made for, too: a fusion was made for each eqn that it holds, a constant for each that uses it, a
move for each move or cast in a row of which it does the work, and of eqns that compute the same XLA
keeps one. *Wrong*: any other. What XLA really leaves without a name is seldom such as these: of
arithmetic it names nearly all, so that there is nothing to guess.

Whether links are right, exact ones and guesses, is known of *labelled functions*: each of their ops
and instructions was followed to its eqn by hand, in the plain text of JAX 0.10.2 without metadata
(`tests/labelled`). What came from an eqn is counted, what of that is linked, how much of it exactly,
and how much to another eqn.
"""
NAMES = ("programs", "roles", "names", "nobodys")


def score(results: Iterable[Result]) -> dict[str, Any]:
    """One version's figures, by library."""
    libraries: dict[str, dict[str, int]] = {}
    for one in results:
        row = libraries.setdefault(one.program.library, dict.fromkeys(COLUMNS, 0))
        row["programs"] += 1
        row["traces"] += one.traces
        row["looked"] += one.program.looking != "not looked at"
        for part in PARTS:
            row[part] += len(getattr(one, part))
        row["counted"] += not (one.counts or one.wrong)
    return {
        "jax": jax.__version__,
        "python": ".".join(map(str, sys.version_info[:2])),
        "libraries": libraries,
    }


COLUMNS = ("programs", "looked", "traces", "counted", *PARTS)


def total(made: dict[str, Any]) -> dict[str, int]:
    rows = made["libraries"].values()
    return {column: sum(row[column] for row in rows) for column in COLUMNS}


def text(scores: list[dict[str, Any]]) -> str:
    """The page."""
    traces = [line for made in scores if "libraries" in made for line in _table(made)]
    names = [line for made in scores if "names" in made for line in _names_table(made)]
    cards = [line for made in scores if "cards" in made for line in _cards_table(made)]
    before = [HEAD, *traces, CARDS_HEAD, *cards, NAMES_HEAD, *names]
    return "\n".join([*before, links_text(scores), EDGES.read_text(encoding="utf-8")])


def links_text(scores: list[dict[str, Any]]) -> str:
    """The part of the page on links."""
    lines = [line for made in scores if "links" in made for line in _links_table(made)]
    return "\n".join([LINKS_HEAD, *lines])


def _cards_table(made: dict[str, Any]) -> Iterator[str]:
    rows = made["cards"]
    whole = {column: sum(row[column] for row in rows.values()) for column in CARD_COLUMNS}
    yield f"### jax {made['jax']}, Python {made['python']}, CPU"
    yield ""
    yield (
        "| library | programs | pages right | with an edit | wrong edits | advice | stories "
        "| untrue stories |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for library, row in {**rows, "**all**": whole}.items():
        yield f"| {library} | " + " | ".join(_figure(row[one]) for one in CARD_COLUMNS) + " |"
    yield ""


def _links_table(made: dict[str, Any]) -> Iterator[str]:
    yield f"### jax {made['jax']}, Python {made['python']}, CPU"
    yield ""
    yield "| library | dtype | programs | instructions | named by XLA | guessed | XLA's own | none |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for library, dtype, row in _links_rows(made):
        programs, work, *linked = row[:5]
        shares = [f"{100 * part / max(1, work):.1f} %" for part in (*linked, work - sum(linked))]
        yield _links_row(library, dtype, [programs, work, *shares])
    yield ""
    yield "| library | dtype | taken away | guessed | same | as well | wrong | right of guessed |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    for library, dtype, row in _links_rows(made):
        taken, same, as_well, wrong = row[5:]
        guessed = same + as_well + wrong
        right = f"{100 * (same + as_well) / max(1, guessed):.1f} %"
        yield _links_row(library, dtype, [taken, guessed, same, as_well, wrong, right])
    yield ""
    yield "| labelled | functions | StableHLO | linked | exactly | wrong | HLO | linked | exactly | wrong |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
    rows = made["labelled"]
    whole = [sum(column) for column in zip(*rows.values(), strict=True)]
    for kind, row in {**rows, "**all**": whole}.items():
        yield f"| {kind} | " + " | ".join(map(_figure, row)) + " |"
    yield ""


def _links_rows(made: dict[str, Any]) -> Iterator[tuple[str, str, list[int]]]:
    for dtype in ("f32", "bf16"):
        rows = {library: row[dtype] for library, row in made["links"].items() if dtype in row}
        whole = [sum(column) for column in zip(*rows.values(), strict=True)]
        yield from ((library, dtype, row) for library, row in {**rows, "**all**": whole}.items())


def _links_row(library: str, dtype: str, figures: Iterable[int | str]) -> str:
    return f"| {library} | {dtype} | " + " | ".join(map(_figure, figures)) + " |"


def _names_table(made: dict[str, Any]) -> Iterator[str]:
    rows = made["names"]
    known = [row for library, row in rows.items() if not library.startswith("held out")]
    whole = {column: sum(row[column] for row in known) for column in NAMES}
    yield f"### jax {made['jax']}, Python {made['python']}, CPU"
    yield ""
    yield "| library | programs | roles agree | names agree | none of nobody's names |"
    yield "|---|--:|--:|--:|--:|"
    for library, row in {**rows, "**all** but held out": whole}.items():
        yield f"| {library} | " + " | ".join(_figure(row[column]) for column in NAMES) + " |"
    yield ""
    yield from _lacking(made)


def _lacking(made: dict[str, Any]) -> Iterator[str]:
    if lacking := made.get("lacking"):
        yield f"Not installed there: {'; '.join(lacking)}."
        yield ""


def _table(made: dict[str, Any]) -> Iterator[str]:
    yield f"### jax {made['jax']}, Python {made['python']}, CPU"
    yield ""
    yield (
        "| library | programs | looked at | traces | counts right | wrong reasons | not known why "
        "| wrong lines | wrong hints |"
    )
    yield "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for library, row in made["libraries"].items():
        yield _row(library, row)
    yield _row("**all**", total(made))
    yield ""
    yield from _lacking(made)


def _row(name: str, row: dict[str, int]) -> str:
    counted = f"{100 * row['counted'] / row['programs']:.1f} %"
    figures = [row["programs"], row["looked"], row["traces"], counted]
    figures += [row["reasons"], row["unknown"], row["places"], row["hints"]]
    return f"| {name} | " + " | ".join(map(_figure, figures)) + " |"


def _figure(value: int | str) -> str:
    return value if isinstance(value, str) else f"{value:,}"


def write(files: list[str]) -> None:
    """docs/reliability.md, of the scores that were kept."""
    scores = [json.loads(Path(file).read_text()) for file in files]
    scores.sort(key=lambda made: [int(part) for part in made["jax"].split(".")])
    DOCUMENT.write_text(text(scores))
