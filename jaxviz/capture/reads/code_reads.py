"""Finds the names that a code object reads, by its bytecode: `scale`, `self.dt`, `cfg['lr']`.

`surely_run` finds the reads that happened in a run, from instructions that ran in it.
"""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from itertools import pairwise
from types import CodeType
from typing import Any, NamedTuple

from jaxviz.capture.weak import Weak

Position = tuple[int, int]
"""A line and a column."""


class Step(NamedTuple):
    """An attribute or an entry."""

    is_item: bool
    key: Any


class Read(NamedTuple):
    """A name that a code object reads, with the attributes and entries behind it."""

    scope: str
    """`global`, `free` (a closure variable) or `local`."""
    name: str
    steps: tuple[Step, ...]
    offset: int
    """The offset of its first instruction in bytes."""
    last: int
    """The offset of its last instruction in bytes."""
    is_called: bool


class CodeReads(NamedTuple):
    """The reads of a code object, and what says that one of them is no input of the result."""

    reads: tuple[Read, ...]
    stored: frozenset[str]
    """The names that it sets itself."""
    shared: frozenset[str]
    """Those of them that are global, or variables of an enclosing function."""
    stored_attributes: frozenset[str]
    mentioned: frozenset[Any]
    """The attributes and string constants in it."""
    inner: tuple[CodeType, ...]
    """The code of functions, lambdas and comprehensions in it."""
    changed: frozenset[int]
    """The offsets of reads of containers whose entries it sets."""
    discarded: tuple[tuple[int, int], ...]
    """The spans of offsets of calls whose result it does not use, such as `print(step)`."""


NO_READS = CodeReads((), frozenset(), frozenset(), frozenset(), frozenset(), (), frozenset(), ())
_SCOPES = {
    "LOAD_GLOBAL": "global",
    "LOAD_NAME": "global",
    "LOAD_DEREF": "free",
    "LOAD_CLASSDEREF": "free",
    "LOAD_FAST": "local",
    "LOAD_FAST_CHECK": "local",
    "LOAD_FAST_BORROW": "local",
}
_PAIRS = ("LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW", "STORE_FAST_LOAD_FAST")
_STORES = ("STORE_GLOBAL", "STORE_NAME", "STORE_FAST", "STORE_DEREF", "DELETE_GLOBAL")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_CONSTANTS = ("LOAD_CONST", "LOAD_SMALL_INT")
_CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
MOST_INSTRUCTIONS = 20_000
"""The reads of larger code are not searched."""
_found: Weak[CodeReads] = Weak()


def reads_of(code: CodeType) -> CodeReads:
    """The reads of a code object. The result is cached while the code exists."""
    found = _found.get(code)
    if found is None:
        found = _reads_of(code)
        _found.set(code, found)
    return found


def _reads_of(code: CodeType) -> CodeReads:
    if len(code.co_code) > 2 * MOST_INSTRUCTIONS:
        return NO_READS
    listed = [*dis.get_instructions(code)]
    strings = {const for const in code.co_consts if type(const) is str}
    attributes = {one.argval for one in listed if one.opname in _ATTRIBUTES}
    starts = {_start(one) for one in listed if one.opname in ("STORE_SUBSCR", "DELETE_SUBSCR")}
    return CodeReads(
        tuple(_reads(listed)),
        frozenset(_stored(listed)),
        frozenset(one.argval for one in listed if _is_shared(one, code)),
        frozenset(one.argval for one in listed if one.opname in ("STORE_ATTR", "DELETE_ATTR")),
        frozenset(strings | attributes),
        tuple(const for const in code.co_consts if type(const) is CodeType),
        frozenset(one.offset for one in listed if _start(one) in starts),
        tuple(_discarded(listed)),
    )


def _reads(listed: list[dis.Instruction]) -> Iterator[Read]:
    for at, one in enumerate(listed):
        if one.opname in _PAIRS:
            for name in one.argval[one.opname.startswith("STORE") :]:
                last = name == one.argval[-1]
                yield (
                    _read("local", name, listed, at)
                    if last
                    else Read("local", name, (), one.offset, one.offset, False)
                )
        elif one.opname in _SCOPES:
            yield _read(_SCOPES[one.opname], one.argval, listed, at)


def _read(scope: str, name: str, listed: list[dis.Instruction], at: int) -> Read:
    """The read that begins at an instruction."""
    first, steps = listed[at], list[Step]()
    pushed = any(
        one.opname == "PUSH_NULL"
        for one in (*listed[max(at - 1, 0) : at], *listed[at + 1 : at + 2])
    )
    is_called = pushed or (first.opname == "LOAD_GLOBAL" and bool((first.arg or 0) & 1))
    last = first.offset
    at += 1
    while at < len(listed):
        one = listed[at]
        if one.opname in _ATTRIBUTES:
            steps.append(Step(False, one.argval))
            has_bit = one.opname == "LOAD_ATTR" and sys.version_info >= (3, 12)
            is_called = one.opname == "LOAD_METHOD" or (has_bit and bool((one.arg or 0) & 1))
            last = one.offset
            at += 1
        elif (
            one.opname in _CONSTANTS
            and at + 1 < len(listed)
            and _is_subscript(listed[at + 1])
            and type(one.argval) in (str, int, bool)
        ):
            steps.append(Step(True, one.argval))
            last = listed[at + 1].offset
            at += 2
        else:
            break
    return Read(scope, name, tuple(steps), first.offset, last, is_called)


def _is_subscript(one: dis.Instruction) -> bool:
    return one.opname == "BINARY_SUBSCR" or (one.opname == "BINARY_OP" and one.argrepr == "[]")


def _stored(listed: list[dis.Instruction]) -> Iterator[str]:
    for one in listed:
        if one.opname in _STORES:
            yield one.argval
        elif one.opname.startswith("STORE_FAST_") and type(one.argval) is tuple:
            yield from one.argval if one.opname == "STORE_FAST_STORE_FAST" else one.argval[:1]


def _is_shared(one: dis.Instruction, code: CodeType) -> bool:
    return one.opname in ("STORE_GLOBAL", "DELETE_GLOBAL") or (
        one.opname == "STORE_DEREF" and one.argval in code.co_freevars
    )


def _start(one: dis.Instruction) -> Position | None:
    found = one.positions
    if found is None or found.lineno is None or found.col_offset is None:
        return None
    return found.lineno, found.col_offset


def _discarded(listed: list[dis.Instruction]) -> Iterator[tuple[int, int]]:
    """The calls that are a statement of their own."""
    for at, (call, pop) in enumerate(pairwise(listed)):
        if pop.opname != "POP_TOP" or call.opname not in _CALLS or call.positions is None:
            continue
        if call.positions != pop.positions:
            continue
        before = next(one for one in reversed(listed[:at]) if one.opname != "PRECALL")
        if before.opname == "LOAD_CONST" and before.positions == call.positions:
            continue  # the exit of a `with`
        within = [one.offset for one in listed[: at + 1] if _is_within(one, call)]
        yield min(within), pop.offset


def _is_within(one: dis.Instruction, whole: dis.Instruction) -> bool:
    inner, outer = one.positions, whole.positions
    if inner is None or outer is None or None in (*inner, *outer):
        return False
    begins = (outer.lineno, outer.col_offset) <= (inner.lineno, inner.col_offset)
    ends = (inner.end_lineno, inner.end_col_offset) <= (outer.end_lineno, outer.end_col_offset)
    return begins and ends


_ENDS = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")
_RETURNS = _ENDS[:2]
_ALWAYS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT")


def surely_run(code: CodeType, ran: set[int]) -> set[int]:
    """The offsets of instructions that a finished run of the code has run: those on all its paths,
    and those on all paths to an instruction that is known to have `ran`.

    Exceptions that the code catches are not followed, so their handlers are left out."""
    listed = [*dis.get_instructions(code)]
    following = _following(listed)
    order = [one.offset for one in listed]
    before: dict[int, set[int]] = {offset: set() for offset in order}
    for offset, nexts in following.items():
        for after in nexts:
            before[after].add(offset)
    found = _dominators(order, before)
    returns = [
        found[one.offset] for one in listed if one.opname in _RETURNS and one.offset in found
    ]
    always = set.intersection(*returns) if returns else set[int]()
    return always.union(*(found[offset] for offset in ran if offset in found))


def _following(listed: list[dis.Instruction]) -> dict[int, list[int]]:
    """For each instruction those that may run next."""
    jumps = {*dis.hasjrel, *dis.hasjabs}
    following: dict[int, list[int]] = {}
    for at, one in enumerate(listed):
        nexts = [one.argval] if one.opcode in jumps else []
        if one.opname not in (*_ENDS, *_ALWAYS) and at + 1 < len(listed):
            nexts.append(listed[at + 1].offset)
        following[one.offset] = nexts
    return following


def _dominators(order: list[int], before: dict[int, set[int]]) -> dict[int, set[int]]:
    """For each reachable instruction those on all paths to it."""
    found: dict[int, set[int]] = {order[0]: {order[0]}}
    changed = True
    while changed:
        changed = False
        for offset in order[1:]:
            known = [found[one] for one in before[offset] if one in found]
            if known:
                new = set.intersection(*known) | {offset}
                if found.get(offset) != new:
                    found[offset] = new
                    changed = True
    return found
