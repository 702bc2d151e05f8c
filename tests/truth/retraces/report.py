"""Writes the score: as text, as JSON for one version of JAX, and as docs/reliability.md for all."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import jax

from .runner import Result

PARTS = ("counts", "reasons", "places", "unknown", "hints", "wrong")
DOCUMENT = Path(__file__).parents[3] / "docs" / "reliability.md"
EDGES = Path(__file__).parent / "edges.md"
"""Faults at the limits of a machine, written by hand: the tests named there plant them."""
HEAD = """# Reliability

## Traces

The tables compare the reports of jaxviz with the truth. Each *program* is a small cell. Its truth is
known beforehand, because it is made of known parts: what JAX traces, lowers and compiles, at which
line, and why. Its functions count how often their bodies run. The programs combine every kind of
change with every way to write a function. Some are also captured before, between or after the calls
(*captured*: `%jaxviz`, `jaxviz.inspect`, a later stage).

*Counts right*: the report has the true numbers of traces, lowerings and compilations. *Wrong
reasons*: it names another change. *Unknown reason*: jaxviz says that it does not know. *Wrong
lines*: it names another function, definition or call. *Wrong hints*: the suggested fix or the text
of a cause is not the true one. `make reliability` writes this page;
`python -m tests.truth.retraces --case NAME --show` prints programs.
"""
NAMES_HEAD = """## Names and roles of groups

Programs of libraries, as the libraries' documentation writes them. For each, one sentence lists the
parts that its author would name (`tests/truth/libraries/authors.txt`); it was written before
jaxviz saw the program. *Roles agree*: forward, loss, backward, optimizer, state and metrics are
those of the author. *Names agree*: every part that the author names has this name and role, in both
passes, and no other part is beside them. *No artificial names*: no group has the name of a
library's wrapper or of an optimizer's moment, a bare number, or the first and last op of a cut.
`python -m tests.truth.libraries` prints each disagreement.

No rule was made for nine held-out programs (`held_out.txt`). In their first run, on jax 0.10.2, roles
agreed in 7 of them, names in 4, and 8 had no artificial names. Of six more
(`held_out_later.txt`), roles agreed in 5, names in 3, and none had artificial names. General faults
that they showed were then fixed; the tables have the results of today.

MuJoCo and Brax are not part of the tests. By hand on jax 0.10.2, a step of MJX 3.3.7 has the groups
`step (forward (fwd_position, fwd_velocity, fwd_actuation, fwd_acceleration, solve), euler)`, and a
step of Brax 0.14.2 (`inverted_pendulum`, spring) has `pipeline_state ×4 (inv_inertia, to_tau,
resolve, …, integrate, to_world, world_to_joint, inverse), obs`: names of their functions, no roles.
"""
CARDS_HEAD = """## Cards of errors

Small programs that fail (`tests/truth/errors`). The truth of each was written before the code: the help
page, the first fix, where the value comes from, and the whole program that its author meant.
*Pages right*: the card has this page, or there is no card if there should be none. *With an edit*:
the first fix is an edit that a machine can apply; each is applied and run. *Wrong edits* fail, or
give another result than the meant program without saying so. *Advice*: a sentence without an edit.
*Stories*: cards that say where the value comes from. *Untrue stories* name another place.
`python -m tests.truth.errors.score` prints each fault.
"""
CARD_COLUMNS = ("programs", "pages", "edits", "wrong", "advice", "stories", "untrue")
LINKS_HEAD = """## Links of instructions

The gallery and the same programs of libraries are compiled with f32 and with bf16 arguments. The
tables count the instructions of optimized HLO that do work when they run; others name, bundle or are
constant. Columns: XLA names the eqn; jaxviz guesses it; XLA inserted the instruction for a known
reason; none of these. `python -m tests.truth.links.score` prints each
program, and the opcodes without a link.

The second table measures guesses. A random fifth of XLA's own origins is removed and guessed.
*Same*: the eqn that XLA named. *As well*: another eqn that the instruction was also made for. A
fusion is made for each eqn in it, a constant for each eqn that uses it, a move for each move or cast
in a row that it replaces; and XLA keeps one of several equal eqns. *Wrong*: any other eqn. The
removed origins are not typical: XLA names nearly all arithmetic, so real guesses are about other
instructions.

For *labelled functions* the true links are known: every op and instruction was traced to its eqn by
hand, in the plain text of JAX 0.10.2 without metadata (`tests/truth/links`). The third table counts those
that come from an eqn, the linked ones, the exactly linked ones, and those linked to another eqn.
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
    yield "| library | programs | roles agree | names agree | no artificial names |"
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
        "| library | programs | captured | traces | counts right | wrong reasons | unknown reason "
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
    """Writes docs/reliability.md from saved scores."""
    scores = [json.loads(Path(file).read_text()) for file in files]
    scores.sort(key=lambda made: [int(part) for part in made["jax"].split(".")])
    DOCUMENT.write_text(text(scores))
