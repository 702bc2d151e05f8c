"""One program, and the truth that its comments tell.

    @jax.jit
    def step(x):                #= step
        ran.append("step")
        return jnp.sin(x)

    step(x8)                    # before watching began
    # watch
    step(x8)                    #> step: first
    step(x16)                   #> step: shape x f32[8,4]→f32[16,4]
    step(put(x16))              #> step again: committed x

`#>` lists, separated by `;`, what its line makes JAX do: `NAME: CHANGES` is a trace with the
lowering and the compilation that follow it, `(NAME: CHANGES)` one within another trace, which is
neither lowered nor compiled, `~NAME: CHANGES` one whose compilations are JAX's own affair (those of
`grad(jit(f))` differ from version to version), `^NAME: CHANGES` one of a library's function that a
library jitted, which is no retrace of the reader's, `NAME again: CHANGES` a lowering and a compilation
without a trace, and `NAME fails: CHANGES` a trace that ends in an exception, at the line with `#!`. Changes are joined by
` + `; where more than one answer is right they stand beside one another, ` | ` between them. Names
that are equally right are separated by `/`; the first is what the body itself notes.

`NAME: CHANGES => HINT` also asks for the hint of that event: `=> -` for none. A line `#~ NAME: TEXT`
asks for the text of a cause of that function, as the log and its findings write it. `# %%` begins
another cell, and `# again 1` runs the first cell again.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

WATCH = "# watch"
KINDS = (
    *("first", "shape", "dtype", "weak type", "static", "style", "pytree", "none", "config"),
    *("sharding", "device", "committed", "mesh", "options", "function", "cleared"),
    *("order", "class"),
)
NOWHERE = ("first", "function", "cleared")
"""Kinds of changes that are at no argument."""
_TOLD = re.compile(r"#>(.*)$")
_WRITTEN = re.compile(r"#=(.*?)(?:#|$)")
_MAGIC = re.compile(r"^([ ]*)%.*$", re.MULTILINE)
_CELL = re.compile(r"# %%|# again (?P<number>\d+)|# watch")
_CAUSE = re.compile(r"#~ (?P<name>\S+): (?P<text>.*)$")
_NEXT = re.compile(r";\s+(?=[(~^]?\S+?(?: again| fails)?: )")
"""Separates the entries of a line: hints have semicolons, too."""
_ENTRY = re.compile(
    r"(?P<within>\()?(?P<how>[~^])?(?P<names>\S+?)(?: (?P<what>again|fails))?: (?P<why>.*?)"
    r"(?: => (?P<hint>.*?))?(?(within)\))$",
    re.DOTALL,
)


@dataclass(frozen=True)
class Difference:
    """One expected change. Empty fields are not compared."""

    kind: str
    where: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True)
class Truth:
    """One trace, or one lowering and compilation without a trace."""

    names: tuple[str, ...]
    line: int
    traced: bool
    compiled: bool | None
    """None where it is JAX's own affair."""
    fails: bool
    within: bool
    library: bool
    """True if the function and the jit are a library's."""
    why: tuple[tuple[Difference, ...], ...]
    """The answers that are right."""
    hint: str | None
    """The expected hint; None if the program names none."""

    @property
    def first(self) -> bool:
        """True for the first trace."""
        return self.why == ((Difference("first"),),)


class Cell(NamedTuple):
    """Lines that run as one cell."""

    start: int
    end: int
    watched: bool


@dataclass(frozen=True)
class Program:
    """The text of a cell, with what is true of it."""

    library: str
    kind: str
    subject: str
    """The jitted function, and the way of jitting it."""
    looking: str
    text: str
    counted: bool = True
    """True if bodies run exactly at the traces of the truth. False if the program was captured before,
    because they may have run then."""

    @property
    def name(self) -> str:
        return f"{self.library}: {self.kind}, {self.subject}, {self.looking}"

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @cached_property
    def unwatched(self) -> int:
        """The number of lines before `watch`."""
        return self.lines.index(WATCH) + 1 if WATCH in self.lines else 0

    @property
    def in_cells(self) -> bool:
        """True if it has magics or several cells, so that it runs as cells of IPython."""
        return _MAGIC.search(self.text) is not None or "# %%" in self.lines

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells in the order in which they run."""
        starts = [0, *(i for i, line in enumerate(self.lines) if _CELL.fullmatch(line))]
        ends = [*starts[1:], len(self.lines)]
        written: list[Cell] = []
        ran: list[Cell] = []
        for begin, end in zip(starts, ends, strict=True):
            marked = _CELL.fullmatch(self.lines[begin]) if self.lines else None
            watched = begin + 1 >= self.unwatched
            if marked and marked["number"]:
                ran.append(written[int(marked["number"]) - 1]._replace(watched=watched))
            start = begin + (marked is not None)
            written.append(Cell(start, end, watched))
            ran += [written[-1]] if end > start else []
        return ran

    @cached_property
    def causes(self) -> dict[str, set[str]]:
        """The texts of causes, by function."""
        found: dict[str, set[str]] = {}
        for line in self.lines:
            if told := _CAUSE.match(line):
                found.setdefault(told["name"], set()).add(told["text"])
        return found

    @cached_property
    def truths(self) -> tuple[Truth, ...]:
        found: list[Truth] = []
        for number, line in enumerate(self.lines, 1):
            if told := _TOLD.search(line):
                found += [_truth(entry.strip(), number) for entry in _NEXT.split(told[1])]
        return tuple(found)

    @cached_property
    def failing(self) -> set[int]:
        """The lines that raise while they are traced."""
        return {number for number, line in enumerate(self.lines, 1) if line.endswith("#!")}

    def written(self, names: tuple[str, ...]) -> set[int]:
        """The lines that are where the function is written; empty where the program does not
        say."""
        marked = {
            number
            for number, line in enumerate(self.lines, 1)
            if (found := _WRITTEN.search(line)) and set(found[1].split()) & set(names)
        }
        return marked | {line for at in marked for line in self._decorators.get(at, ())}

    @cached_property
    def _decorators(self) -> dict[int, list[int]]:
        """The lines of decorators, by the line of what they decorate."""
        return {
            node.lineno: [decorator.lineno for decorator in node.decorator_list]
            for node in ast.walk(ast.parse(_MAGIC.sub(r"\1pass", self.text)))
            if isinstance(node, ast.FunctionDef | ast.ClassDef)
        }


def _truth(entry: str, line: int) -> Truth:
    found = _ENTRY.fullmatch(entry)
    assert found, f"line {line}: {entry!r} is no truth"
    again = found["what"] == "again"
    within = found["within"] is not None
    fails = found["what"] == "fails"
    compiled = None if found["how"] == "~" else not (within or fails)
    return Truth(
        names=tuple(found["names"].split("/")),
        line=line,
        traced=not again,
        compiled=compiled,
        fails=fails,
        within=within,
        library=found["how"] == "^",
        why=tuple(
            tuple(sorted(map(_difference, answer.split(" + ")), key=_key))
            for answer in found["why"].split(" | ")
        ),
        hint="" if found["hint"] == "-" else found["hint"],
    )


def _difference(text: str) -> Difference:
    text = text.strip()
    kind = next((kind for kind in KINDS if text == kind or text.startswith(f"{kind} ")), None)
    assert kind is not None, f"{text!r} is no change"
    where, _, values = text.removeprefix(kind).strip().partition(" ")
    before, _, after = values.partition("→")
    assert bool(where) is (kind not in NOWHERE), f"{text!r}: at which argument?"
    return Difference(kind, where, before.strip(), after.strip())


def _key(change: Difference) -> tuple[str, str]:
    return change.kind, change.where


def written(kind: str, texts: dict[str, str], library: str = "JAX") -> list[Program]:
    """Programs that are written out, by name."""
    return [
        Program(library, kind, name, "not looked at", text.strip("\n"))
        for name, text in texts.items()
    ]


Edits = tuple[tuple[str, str], ...]
"""Replacements that a hint suggests. Empty if it suggests none that can be applied."""


def with_fixed(
    kind: str, texts: dict[str, tuple[str, Edits]], library: str = "JAX"
) -> list[Program]:
    """Programs that are written out, each followed by the same with its edits."""
    found: list[Program] = []
    for name, (text, edits) in texts.items():
        (program,) = written(kind, {name: text}, library)
        found += [program, *([fixed(program, *edits)] if edits else [])]
    return found


def fixed(program: Program, *edits: tuple[str, str]) -> Program:
    """The program as its hint says to write it: each edit replaces a text, and nothing is traced
    again."""
    text = program.text
    for old, new in edits:
        assert old in text, f"{program.name}: {old!r} is not in it"
        text = text.replace(old, new)
    lines = [_only_first(line) for line in text.splitlines() if not _CAUSE.match(line)]
    subject = f"{program.subject}, as the hint says"
    return replace(program, subject=subject, text="\n".join(lines))


def _only_first(line: str) -> str:
    told = _TOLD.search(line)
    if told is None:
        return line
    first = [
        entry for entry in _NEXT.split(told[1].strip()) if entry.rstrip(")").endswith(": first")
    ]
    return line[: told.start()] + (f"#> {'; '.join(first)}" if first else "")
