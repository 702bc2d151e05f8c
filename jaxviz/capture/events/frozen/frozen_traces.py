"""The values that each trace read, and those that are others now.

JAX announces no call that its caches answer. So the values are compared when a cell ends, for
functions that the code of the cell can reach.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import count, islice, takewhile
from threading import RLock
from time import perf_counter
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from jaxviz.capture._events import Call
from jaxviz.capture._jax import calls
from jaxviz.capture.events.describe import arguments_of
from jaxviz.capture.events.frozen.fingerprints import (
    ChangedValue,
    Fingerprint,
    changes,
    fingerprint,
)
from jaxviz.capture.events.frozen.followed_reads import (
    Jitted,
    ReadPlace,
    Walk,
    chain,
    function_of_code,
    is_jit,
    layers_of,
)
from jaxviz.capture.events.trace_cache import Clears
from jaxviz.capture.jaxprs.walk import walk
from jaxviz.capture.reads.code_reads import Step, reads_of, surely_run
from jaxviz.capture.reads.read_values import Bound, Function, Root, argument, resolved
from jaxviz.capture.shown.objects import (
    PARTIAL,
    class_attribute,
    inherits,
    is_class,
)
from jaxviz.capture.shown.source import cell_of, cells_run, file_kind, line_of
from jaxviz.capture.shown.strings import name, names_secret
from jaxviz.capture.weak import Weak, reference
from jaxviz.schema import FrozenValue
from jaxviz.schema.signature import Trace

TRACES_REMEMBERED = 1_000
MOST_FUNCTIONS = 200
"""The most traces that are compared when a cell ends."""
SECONDS = 0.001
"""The time after which no other trace is compared."""
MOST_EQNS = 300
"""The most eqns of a program in which the user's code is searched."""
MOST_TYPES = 3
"""The most types of arguments that are named."""


class KeptRead(NamedTuple):
    """A value that a trace read, as it was then."""

    root: Root
    steps: tuple[Step, ...]
    text: str
    place: ReadPlace
    value: Fingerprint


@dataclass
class TracedValues:
    """The values that a trace read. It keeps no object of the user or of JAX alive."""

    trace: Trace
    fun: Callable[[], Any]
    receiver: Callable[[], Any]
    """The object of a bound method that was jitted; returns None for other functions."""
    jaxpr: Callable[[], Any]
    mentioned: frozenset[Any]
    """The attributes and string constants of all code that may have run."""
    reads: list[KeptRead]
    has_receiver: bool
    reported: dict[str, Any] = field(default_factory=dict)
    """The present values that were reported, or are not certain, by path."""


class Difference(NamedTuple):
    """A value of a trace that is another one now."""

    of: TracedValues
    read: KeptRead
    change: ChangedValue


Names = dict[str, Any]
CellCode = Callable[[], tuple[CodeType, Names] | None]
"""Returns the code of a cell and the user's names."""


class FrozenTraces:
    """Remembers what each trace read."""

    def __init__(self, clears: Clears) -> None:
        self._clears = clears
        self._traces: OrderedDict[int, TracedValues] = OrderedDict()
        self._numbers = count()
        self._lock = RLock()

    def note(self, trace: Trace, call: Call, jaxpr: Any) -> None:
        """Remembers the values that a trace of `call` has read."""
        found = values_read(trace, call, jaxpr)
        if found is not None and found.reads:
            with self._lock:
                self._traces[next(self._numbers)] = found
                if len(self._traces) > TRACES_REMEMBERED:
                    self._traces.popitem(last=False)

    def of_program(self, fun: Any, jaxpr: Any) -> list[FrozenValue]:
        """The values that the program of a jitted function keeps and that are others now."""
        if jaxpr is None or not any(map(is_jit, layers_of(fun))):
            return []
        found = [one for one in self._living() if one.jaxpr() is jaxpr]
        differences = [one for traced in found for one in differences_of(traced)]
        return [_record(one, {}) for one in _certain(differences)]

    def of_cell(self, code: CellCode, once: bool = True) -> list[FrozenValue]:
        """The same for jitted functions that the code of a cell can reach. With `once`, only
        changes that were not reported before."""
        differences = [*self._differences(once)]
        if not differences:
            return []
        found = code()
        if found is None:
            return []
        reached = Walk(function_of_code(*found))
        differences = [one for one in differences if _is_reached(one, reached)]
        if once:
            for one in differences:
                one.of.reported[one.read.text + one.change.path] = one.change
        certain = _certain(differences)
        records = (_record(one, reached.objects) for one in reversed(certain))
        return [*{(one.function, one.path, one.now): one for one in records}.values()][::-1]

    def _differences(self, once: bool) -> Iterator[Difference]:
        ends = perf_counter() + SECONDS
        for traced in _each_function_first(self._living())[:MOST_FUNCTIONS]:
            found = differences_of(traced)
            texts = {one.read.text + one.change.path: one.change for one in found}
            for gone in traced.reported.keys() - texts.keys():
                del traced.reported[gone]
            for one in found:
                path = one.read.text + one.change.path
                if not once or traced.reported.get(path) != one.change:
                    yield one
            if perf_counter() > ends:
                return

    def _living(self) -> list[TracedValues]:
        """The traces whose function and program still exist. JAX forgets all programs at
        `jax.clear_caches`, and those of one function at `f.clear_cache`, which looks the same."""
        with self._lock:
            cleared, happened = self._clears.count, self._clears.happened()
            for number, one in [*self._traces.items()]:
                is_gone = one.jaxpr() is None or one.fun() is None
                if happened or one.trace.cleared < cleared or is_gone:
                    del self._traces[number]
            return [*self._traces.values()]


def _each_function_first(traces: list[TracedValues]) -> list[TracedValues]:
    """The latest trace of each function, then the others, the latest first."""
    seen: set[Any] = set()
    found: tuple[list[TracedValues], list[TracedValues]] = [], []
    for one in reversed(traces):
        found[one.trace.identity in seen].append(one)
        seen.add(one.trace.identity)
    return [*found[0], *found[1]]


def values_read(trace: Trace, call: Call, jaxpr: Any) -> TracedValues | None:
    """The values that the trace of a call has read; None if the function is not the user's."""
    layers = layers_of(call.fun)
    inner = layers[-1]
    if type(inner) is not FunctionType or file_kind(inner.__code__.co_filename) != "own":
        return None
    bound = _arguments(layers, inner, call)
    found = Walk(Function(inner, bound), codes_in(inner.__code__, jaxpr))
    reads = [
        KeptRead(one.bound.root, one.bound.steps, one.bound.text, one.place, value)
        for one in found.reads
        if one.bound.root.is_kept and not _is_set(one.bound, found)
        if (value := fingerprint(one.bound.value)) is not None
    ]
    receiver = next((one.__self__ for one in layers if type(one) is MethodType), None)
    mentioned = frozenset(found.mentioned)
    return TracedValues(
        trace,
        reference(inner),
        reference(receiver),
        reference(jaxpr),
        mentioned,
        reads,
        receiver is not None,
    )


_codes: Weak[list[Callable[[], Any]]] = Weak()


def codes_in(code: CodeType, jaxpr: Any) -> list[CodeType]:
    """The user's code in the first eqns of the function's first program. It is read once for each
    function, since it takes more time than all else."""
    known = _codes.get(code)
    if known is None:
        eqns = islice((eqn for one in walk(jaxpr).jaxprs for eqn in one.eqns), MOST_EQNS)
        found = {id(ran): ran for eqn in eqns for ran in _called_by(code, calls(eqn)[1]())}
        own = [ran for ran in found.values() if file_kind(ran.co_filename) == "own"]
        known = [*map(reference, own)]
        _codes.set(code, known)
    return [ran for one in known if (ran := one()) is not None]


def _called_by(code: CodeType, stack: list[tuple[CodeType, int]]) -> list[CodeType]:
    """The code of the calls within a function. Up to JAX 0.8 the calls around it follow."""
    within = [*takewhile(lambda ran: ran is not code, (ran for ran, _ in stack))]
    is_whole = len(within) == len(stack) and any(ran.co_name == "<module>" for ran in within)
    return [] if is_whole else within


def _is_set(bound: Bound, found: Walk) -> bool:
    """True if the traced code itself sets the value."""
    if bound.root.name in found.names_set:
        return True
    if any(not step.is_item and step.key in found.stored for step in bound.steps):
        return True
    return any(bound.text.startswith(path) for path in found.paths_changed)


def _arguments(layers: list[Any], inner: FunctionType, call: Call) -> dict[str, Bound]:
    """The arguments of a call by parameter, with those that a method or a partial binds."""
    names = inner.__code__.co_varnames[: inner.__code__.co_argcount]
    found: dict[str, Bound] = {}
    for key, _, static, value in arguments_of(call):
        found[key] = argument(key, value, static and _is_compared_by_identity(value))
    for layer in layers:
        if type(layer) is MethodType and names:
            found[names[0]] = argument(names[0], layer.__self__, True)
        elif inherits(type(layer), partial):
            bound = PARTIAL["args"].__get__(layer)
            for key, value in [*zip(names, bound, strict=False), *_keywords(layer)]:
                found[key] = argument(key, value, True)
        elif layer is not inner and not is_class(layer) and names[:1] == ("self",):
            found.setdefault("self", argument("self", layer, False))
    return found


def _keywords(bound: Any) -> Iterable[tuple[str, Any]]:
    return [*PARTIAL["keywords"].__get__(bound).items()]


def _is_compared_by_identity(value: Any) -> bool:
    kind = type(value)
    return (
        class_attribute(kind, "__hash__") is object.__hash__
        and class_attribute(kind, "__eq__") is object.__eq__
    )


def differences_of(traced: TracedValues) -> list[Difference]:
    """The values of a trace that differ from those of now."""
    found: list[Difference] = []
    for read in traced.reads:
        bound, _ = resolved(read.root, read.steps)
        if bound is None or len(bound.steps) != len(read.steps):
            continue
        now = fingerprint(bound.value)
        if now is not None:
            found += (
                Difference(traced, read, one)
                for one in changes(read.value, now)
                if _is_mentioned(one.path, traced.mentioned)
            )
    return found


_PART = re.compile(r"\.(\w+)|\['([^']*)'\]")


def _is_mentioned(path: str, mentioned: frozenset[Any]) -> bool:
    """True if the code that ran names each field on the path within an object that it passed on."""
    return all((one[1] or one[2]) in mentioned for one in _PART.finditer(path))


def _certain(differences: list[Difference]) -> list[Difference]:
    """Those of values that the trace surely read and used."""
    evidence: dict[int, Evidence] = {}
    found: dict[tuple[int, str], Difference] = {}
    for one in differences:
        number = id(one.of)
        if number not in evidence:
            evidence[number] = Evidence(one.of)
        if evidence[number].has(one.read.place) and not _made_again(one):
            found.setdefault((number, one.read.text + one.change.path), one)
    return [*found.values()]


class Evidence:
    """The code that ran in a trace, from the Python calls that its eqns name."""

    def __init__(self, traced: TracedValues) -> None:
        self._ran: dict[int, set[int]] = {}
        """The instructions of the user's code that made eqns, by the number of the code."""
        self._codes: list[CodeType] = []
        self._surely: dict[int, set[int]] = {}
        jaxpr = traced.jaxpr()
        seen = set[int]()
        for one in () if jaxpr is None else walk(jaxpr).jaxprs:
            for eqn in one.eqns:
                made_by, stack = calls(eqn)
                if id(made_by) not in seen:
                    seen.add(id(made_by))
                    self._note(stack())

    def _note(self, stack: list[tuple[CodeType, int]]) -> None:
        for code, offset in stack:
            if file_kind(code.co_filename) == "own":
                if id(code) not in self._ran:
                    self._codes.append(code)
                self._ran.setdefault(id(code), set()).add(offset)

    def has(self, place: ReadPlace) -> bool:
        """True if the read surely ran, and its value was used."""
        return all(self._has_run(one) for one in chain(place)) and self._is_used(place)

    def _has_run(self, place: ReadPlace) -> bool:
        code = place.code()
        if code is None:
            return False
        ran = self._ran.get(id(code), set())
        is_called = place.within is None or (place.within.read.is_called and place.is_own)
        if not ran and not (place.is_own and is_called):
            return False
        if id(code) not in self._surely:
            self._surely[id(code)] = surely_run(code, ran)
        return place.read.offset in self._surely[id(code)]

    def _is_used(self, place: ReadPlace) -> bool:
        code = place.code()
        ran = self._ran.get(id(code), set())
        spans = [
            (first, last)
            for first, last in reads_of(code).discarded
            if first <= place.read.offset <= last
        ]
        return all(any(first <= one <= last for one in ran) for first, last in spans)


def _made_again(one: Difference) -> bool:
    """True if a cell that ran again unedited made the new array."""
    if one.change.kind != "array":
        return False
    target = re.compile(rf"(?m)^[^#\n]*\b{re.escape(one.read.root.name)}\b[^=\n]*=(?!=)")
    for file in cells_run():
        cell = cell_of(file)
        if cell.text is not None and target.search(cell.text):
            return cell.again
    return False


def _is_reached(one: Difference, reached: Walk) -> bool:
    """True if the code of a cell leads to the function, and to the object of an argument."""
    thing = one.read.root.thing()
    if thing is not None and id(thing) not in reached.objects:
        return False
    fun, receiver = one.of.fun(), one.of.receiver()
    return any(_is_same(jitted, fun, receiver, one.of.has_receiver) for jitted in reached.jitted)


def _is_same(jitted: Jitted, fun: Any, receiver: Any, has_receiver: bool) -> bool:
    return jitted.fun is fun and (not has_receiver or jitted.receiver is receiver)


def _record(one: Difference, objects: dict[int, str]) -> FrozenValue:
    """The difference in words. An object that the cell names has that name in place of `self`."""
    trace, read, change = one.of.trace, one.read, one.change
    text = read.text
    thing = read.root.thing()
    if thing is not None and read.root.name == "self":
        text = objects.get(id(thing), "self") + text.removeprefix("self")
    path = text + change.path
    is_secret = any(names_secret(part) for part in re.findall(r"\w+", path))
    leaves = [] if trace.signature is None else [*trace.signature.leaves.values()]
    types = [leaf.text for leaf in leaves[:MOST_TYPES]]
    return FrozenValue(
        function=trace.function.name,
        path=name(path),
        kind="hidden" if is_secret and change.kind == "value" else change.kind,
        before="" if is_secret else name(change.before),
        now="" if is_secret else name(change.after),
        types=name(", ".join([*types, *["…"] * (len(leaves) > MOST_TYPES)])),
        traced=trace.site,
        at=_line(read.place),
    )


def _line(place: ReadPlace) -> Any:
    code = place.code()
    return None if code is None else line_of(code, place.read.offset)
