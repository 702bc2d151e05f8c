"""Holds what jaxviz says of a program against what its author would say: `authors.txt`.

A sentence of an author is read as parts, each with all names that are right for it. Compared are
the roles, the names of what each role holds (and of what is in none), and whether anything bears a
name of nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import jax

import jaxviz
from jaxviz import schema

from . import programs
from .outlines import MARK, ROLES, Part, outline, roles_in

TIMES = re.compile(r" ×(\d+)$")
TOKEN = re.compile(r"[^()·,]+|[()·,]")


@dataclass(frozen=True)
class Wanted:
    """A part of an author's sentence."""

    names: tuple[str, ...]
    optional: bool
    times: int
    parts: tuple[Wanted, ...] | None

    @property
    def role(self) -> str:
        return self.names[0] if self.names[0] in ROLES else ""

    def is_right_for(self, name: str) -> bool:
        return any(_pattern(one).fullmatch(name) for one in self.names)


@dataclass
class Section:
    """The parts with one role. Parts without a role are a section of their own."""

    role: str
    held: list[Part]


@dataclass(frozen=True)
class Agreement:
    """Differences between an outline and its author's sentence; empty if both agree."""

    roles: list[str]
    names: list[str]
    nobodys: list[str]

    def lines(self) -> list[str]:
        found = {"roles": self.roles, "names": self.names, "nobody's": self.nobodys}
        return [f"{part}: {'; '.join(said)}" for part, said in found.items() if said]


@cache
def authors() -> dict[str, str]:
    """The sentences of the files of text by program, and the two lists."""
    files = sorted(Path(__file__).parent.glob("*.txt"))
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    said = (line.partition(": ") for line in lines if line and not line.startswith("#"))
    return {name: sentence for name, _, sentence in said}


def inspected(name: str) -> jaxviz.Program:
    """A program. What JAX has traced before keeps the lines of its first caller."""
    jax.clear_caches()
    fun, args = programs()[name]()
    program = jaxviz.inspect(fun)(*args)
    if notes := program.stage("jaxpr").notes:
        raise AssertionError(f"{name}: {notes}")
    return program


def agreement(name: str, stage: schema.Stage) -> Agreement:
    """Compares the outline of a program with its author's sentence."""
    said, wanted = outline(stage), list(sentence(authors()[name]))
    return Agreement(
        list(wrong_roles(said, wanted)), list(wrong_names(said, wanted)), nobodys(stage)
    )


def sentence(text: str) -> tuple[Wanted, ...]:
    """Reads a sentence. `…` alone is what the forward pass before it holds."""
    tokens = [token.strip() for token in TOKEN.findall(text) if token.strip()]
    parts, rest = _read(tokens)
    if rest:
        raise ValueError(f"{text}: {rest} is left over")
    return parts


def _read(tokens: list[str]) -> tuple[tuple[Wanted, ...], list[str]]:
    parts: list[Wanted] = []
    while tokens and tokens[0] != ")":
        token, tokens = tokens[0], tokens[1:]
        if token in "·,":
            continue
        inside = None
        if tokens and tokens[0] == "(":
            inside, tokens = _read(tokens[1:])
            tokens = tokens[1:]
        parts.append(_wanted(token, inside))
    return tuple(parts), tokens


def _wanted(token: str, inside: tuple[Wanted, ...] | None) -> Wanted:
    times = TIMES.search(token)
    names = [TIMES.sub("", name) for name in token.split("|")]
    optional = any(name.endswith("?") for name in names)
    count = int(times.group(1)) if times else 0
    return Wanted(tuple(name.rstrip("?") for name in names), optional, count, inside)


@cache
def _pattern(name: str) -> re.Pattern[str]:
    text = re.escape(name).replace(r"\*", ".*").replace(r"\#", r"\d+")
    return re.compile(text)


def nobodys(stage: schema.Stage) -> list[str]:
    """Names of groups, at any depth, that nobody gave."""
    names = {MARK.sub("", group.name) for graph in stage.graphs for group in graph.groups}
    return sorted(name for name in names if any(one.is_right_for(name) for one in _listed("never")))


@cache
def _listed(name: str) -> tuple[Wanted, ...]:
    return tuple(_wanted(one, None) for one in authors()[name].split(", "))


def wrong_roles(said: Sequence[Part], wanted: Sequence[Wanted]) -> Iterator[str]:
    """Roles that are missing, and reported roles that do not exist."""
    told = [section.role for section in sections(said)[1:]]
    names = {part.plain for part in _everything(said)}
    for one in [one for one in _wanted_everywhere(wanted) if one.role]:
        if one.optional:
            told = [role for role in told if role != one.role]
        elif one.role in told:
            told.remove(one.role)
        elif not any(name in names for name in one.names[1:]):
            yield f"no {one.role}"
    yield from (f"{role} is none" for role in told)


def wrong_names(said: Sequence[Part], wanted: Sequence[Wanted]) -> Iterator[str]:
    """Names that are missing in a role, and others that stand there."""
    found = sections(said)
    loss = [one for one in _wanted_everywhere(wanted) if one.role == "loss"]
    rest = list(_wanted_everywhere(wanted, roles=False))
    yield from _differences("", found[0].held, rest, [*loss, *_roles_by_name(wanted)])
    forward: tuple[Wanted, ...] = ()
    seen: dict[str, int] = {}
    for one in [one for one in _wanted_everywhere(wanted) if one.role]:
        forward = one.parts or () if one.role == "forward" else forward
        parts = forward if one.parts and one.parts[0].names == ("…",) else one.parts
        place = seen[one.role] = seen.get(one.role, -1) + 1
        told = [section for section in found if section.role == one.role]
        if parts is not None and (place < len(told) or not one.optional):
            held = told[place].held if place < len(told) else []
            yield from _differences(f"{one.role}: ", held, parts, loss)


def _roles_by_name(wanted: Sequence[Wanted]) -> list[Wanted]:
    """Roles that a name may replace, such as `sgd` for an optimizer."""
    return [one for one in _wanted_everywhere(wanted) if one.role and len(one.names) > 1]


def _differences(
    where: str, held: Sequence[Part], wanted: Sequence[Wanted], also: Sequence[Wanted]
) -> Iterator[str]:
    required = [one for one in wanted if not one.optional]
    whole = [*also, *(one for one in required if one.parts is None)]
    names = list(_compared(held, whole, required))
    for one in required:
        right = [part for part in names if any(map(one.is_right_for, (part.plain, *part.members)))]
        if not any(one.times in (0, part.times) for part in right):
            times = f" ×{one.times}" if one.times else ""
            yield f"{where}no {'|'.join(one.names)}{times}"
    known = [*wanted, *also, *_listed("anywhere")]
    for part in names:
        around = part.role or roles_in(part) or _holds_all(part, required)
        if not (around or part.is_loss) and not any(one.is_right_for(part.plain) for one in known):
            yield f"{where}{part.name} is not said"


def _holds_all(part: Part, required: Sequence[Wanted]) -> bool:
    """True if a part is the whole model, which may have any name."""
    inside = [one.plain for one in _everything(part.parts)]
    return len(required) > 1 and all(any(map(one.is_right_for, inside)) for one in required)


def _compared(
    held: Sequence[Part], whole: Sequence[Wanted], required: Sequence[Wanted]
) -> Iterator[Part]:
    """All that is held, but for pieces without a name, and for what is in a part that the author
    names as a whole. The call of a whole model or loss may have the name of a part of it."""
    for part in held:
        if not part.name.startswith("~"):
            yield part
        is_whole = any(one.is_right_for(part.plain) for one in whole)
        if not is_whole or roles_in(part) or _holds_all(part, required):
            inside = [one for one in part.parts if not one.role]
            yield from _compared(inside, whole, required)


def sections(said: Sequence[Part]) -> list[Section]:
    """Parts without a role, then the parts of each role, in order. Equal roles in a row are one."""
    found = [Section("", [part for part in said if not part.role])]
    for part in _everything(said):
        if part.role:
            if found[-1].role != part.role:
                found.append(Section(part.role, []))
            found[-1].held.extend(part.parts)
    return found


def _everything(said: Sequence[Part]) -> Iterator[Part]:
    for part in said:
        yield part
        yield from _everything(part.parts)


def _wanted_everywhere(wanted: Sequence[Wanted], roles: bool = True) -> Iterator[Wanted]:
    """All parts of a sentence; without `roles` those that are in none."""
    for one in wanted:
        if one.role:
            if roles:
                yield one
            continue
        yield one
        yield from _wanted_everywhere(one.parts or (), roles)
