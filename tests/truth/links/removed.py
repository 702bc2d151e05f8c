"""Checks guessed links against XLA's own: a random fifth of XLA's origins is removed, guessed, and
compared.

XLA leaves other instructions without a name than a random fifth: casts, copies, constants that are
broadcast, products that it hands to a library. What is hard to guess at random, a `multiply`
between others, it always names. So this tells how far a guess can be trusted, and not how many are
made.

Several eqns may be right for one instruction, though XLA names one: see `_Truth.fits`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.links import guess_origins
from jaxviz.analysis.links.dataflow import OUTSIDE
from jaxviz.analysis.links.jaxpr_eqns import JaxprEqns
from jaxviz.analysis.links.linked_stage import LinkedStage
from jaxviz.ops import row_of

SHAPES = ("broadcast_in_dim", "expand_dims", "reshape", "squeeze")
"""Primitives that only give a value another shape."""
PART = 5
"""One of this many origins is removed."""


class Removed(NamedTuple):
    """Numbers of removed origins, and of the guesses for them."""

    taken: int
    same: int
    as_well: int
    """Guesses that name another eqn than XLA did, for which the instruction was made as well."""
    wrong: int


class Guess(NamedTuple):
    number: int
    """The instruction, numbered through all graphs."""
    truth: tuple[int, ...]
    origin: tuple[int, ...]
    """Empty where nothing was guessed."""


def removed(stage: schema.Stage, jaxpr: schema.Stage, seed: str) -> Removed:
    truth = _Truth(_named(stage), jaxpr)
    found = list(guesses(stage, jaxpr, seed))
    made = [one for one in found if one.origin]
    same = [one for one in made if one.origin[-1] == one.truth[-1]]
    others = [one for one in made if one.origin[-1] != one.truth[-1]]
    as_well = sum(truth.fits(one) for one in others)
    return Removed(len(found), len(same), as_well, len(others) - as_well)


def guesses(stage: schema.Stage, jaxpr: schema.Stage, seed: str) -> Iterator[Guess]:
    """The guess for each instruction whose origin is removed."""
    named = _named(stage)
    known = [number for number, eqn in enumerate(_eqns(named)) if eqn.origin]
    taken = set(random.Random(seed).sample(known, len(known) // PART))
    found = _eqns(guess_origins(_without(named, taken), jaxpr))
    truth = _eqns(named)
    for number in sorted(taken):
        yield Guess(number, truth[number].origin, found[number].origin)


def _named(stage: schema.Stage) -> schema.Stage:
    """The stage without its guesses."""
    return _without(stage, {number for number, eqn in enumerate(_eqns(stage)) if eqn.guess})


def _without(stage: schema.Stage, numbers: set[int]) -> schema.Stage:
    """The stage without the origins of some eqns."""
    eqns = (
        replace(eqn, origin=(), guess=False) if number in numbers else eqn
        for number, eqn in enumerate(_eqns(stage))
    )
    graphs = [replace(graph, eqns=[next(eqns) for _ in graph.eqns]) for graph in stage.graphs]
    return replace(stage, graphs=graphs)


def _eqns(stage: schema.Stage) -> list[schema.Eqn]:
    return [eqn for graph in stage.graphs for eqn in graph.eqns]


class _Truth:
    """XLA's own origins of a stage."""

    def __init__(self, named: schema.Stage, jaxpr: schema.Stage) -> None:
        self._jaxpr = JaxprEqns(jaxpr)
        self._around = LinkedStage(named, self._jaxpr)
        self._values = _Values(jaxpr)
        self._last = [eqn.origin[-1] if eqn.origin else None for eqn in _eqns(named)]

    def fits(self, guess: Guess) -> bool:
        """True if the instruction was made for the guessed eqn as well as for the one that XLA
        names. A fusion is made for each eqn in it, a constant for each eqn that uses it, and a move
        or cast for each move or cast in a row that it replaces. XLA keeps one of several
        instructions that compute the same."""
        number, eqn, truth = guess.number, guess.origin[-1], guess.truth[-1]
        around = self._around
        short, long = sorted((guess.origin, guess.truth), key=len)
        if long[: len(short)] == short or self._is_same(guess.origin, guess.truth):
            return True
        if around.flow.transparent[number]:
            return eqn in self._held(number)
        if around.is_of_constant(number):
            return eqn in self._constant_of(number)
        if around.is_movement(number) and self._is_shared(eqn, truth, number):
            return True
        return self._is_alone(eqn, number) and self._is_joined(eqn, truth, number)

    def _is_same(self, one: tuple[int, ...], other: tuple[int, ...]) -> bool:
        eqns = [self._jaxpr.flow.eqns[origin[-1]] for origin in (one, other)]
        both = [self._values.of.get(origin) for origin in (one, other)]
        return eqns[0].op == eqns[1].op and None not in both and both[0] == both[1]

    def _held(self, number: int) -> set[int | None]:
        flow = self._around.flow
        [body] = flow.eqns[number].bodies
        return {self._last[one] for one, graph in enumerate(flow.graph_of) if graph == body.graph}

    def _constant_of(self, number: int) -> set[int]:
        """The eqns that use it, and those that compute their operands of literals alone."""
        around = self._around
        users = around.eqns(around.users(number).eqns)
        makers = {made for user in users for made in self._jaxpr.flow.makers(user)}
        return users | {made for made in makers if made != OUTSIDE}

    def _is_alone(self, eqn: int, number: int) -> bool:
        """True if only this instruction can have been made for an eqn."""
        return all(last != eqn for one, last in enumerate(self._last) if one != number)

    def _is_shared(self, guess: int, truth: int, number: int) -> bool:
        """True if an instruction moves or casts, for the guessed eqn, a value that both eqns
        use."""
        jaxpr, around = self._jaxpr, self._around
        common = {*jaxpr.bases(guess)} & {jaxpr.base(truth), *jaxpr.bases(truth)} - {""}
        return bool(common) and guess in around.eqns(around.users(number).eqns)

    def _is_joined(self, guess: int, truth: int, number: int) -> bool:
        """True if an instruction may do the work of two eqns in a row: one of them only moves or
        casts, or both are reductions."""
        jaxpr = self._jaxpr
        rows = [row_of(jaxpr.flow.eqns[eqn].op) for eqn in (guess, truth)]
        if all(row.family == "reduction" for row in rows):
            return truth in jaxpr.bases(guess) or guess in jaxpr.bases(truth)
        passes = self._around.is_movement(number)
        moves = [eqn for eqn in (guess, truth) if jaxpr.is_movement(eqn)]
        if not moves or (not passes and moves != [truth]):
            return False
        near = guess if moves[0] == truth else truth
        return jaxpr.base(moves[0]) in [near, *jaxpr.bases(near)]


class _Values:
    """Numbers the values of a jaxpr, with calls written out. Eqns that compute the same of the same
    have one number, in any shape, because XLA reshapes in any order."""

    def __init__(self, jaxpr: schema.Stage) -> None:
        self._stage = jaxpr
        self._firsts = [0]
        for graph in jaxpr.graphs:
            self._firsts.append(self._firsts[-1] + len(graph.eqns))
        self._numbers: dict[tuple[object, ...], int] = {}
        self.of: dict[tuple[int, ...], int] = {}
        """By the eqn's own number, after those of the eqns around it."""
        self._follow((), 0, [self._number(path) for path in jaxpr.graphs[0].args])

    def _number(self, *key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _follow(self, around: tuple[int, ...], number: int, inputs: list[int]) -> list[int]:
        """Computes a body with the values of its inputs; gives those of its results."""
        graph = self._stage.graphs[number]
        known = dict(zip(graph.invars, inputs, strict=True))
        for var, held in enumerate(graph.vars):
            if var not in known:
                known[var] = self._number(held.name if held.literal else (around, number, var))
        for place, eqn in enumerate(graph.eqns, self._firsts[number]):
            origin = (*around, place)
            operands = [known[var] for var in eqn.invars]
            if eqn.bodies or eqn.effects:
                results = self._held(origin, eqn, operands)
            elif eqn.op in SHAPES:
                results = operands[:1]
            else:
                params = [(param.name, param.value) for param in eqn.params]
                key = self._number(eqn.op, *params, *operands)
                results = [self._number(key, place) for place, _ in enumerate(eqn.outvars)]
            known.update(zip(eqn.outvars, results, strict=True))
            self.of[origin] = results[0] if results else -1
        return [known[var] for var in graph.outvars]

    def _held(self, origin: tuple[int, ...], eqn: schema.Eqn, operands: list[int]) -> list[int]:
        """The results of an eqn that has bodies: of a call those of what it calls."""
        results = [self._number(origin, place) for place, _ in enumerate(eqn.outvars)]
        is_call = row_of(eqn.op).bodies == "called"
        for body in eqn.bodies:
            graph = self._stage.graphs[body.graph]
            inputs = [
                operands[fed] if is_call and fed >= 0 else self._number(origin, body.graph, var)
                for fed, var in zip(body.inputs, graph.invars, strict=True)
            ]
            made = self._follow(origin, body.graph, inputs)
            if is_call:
                for place, result in enumerate(body.outputs):
                    results[place] = made[result] if result >= 0 else results[place]
        return results
