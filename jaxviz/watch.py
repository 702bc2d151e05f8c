"""`watch()` records what JAX traces, lowers and compiles in a block, and why, as a `Log`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from inspect import GEN_CLOSED, getgeneratorstate
from types import CodeType
from typing import Any
from weakref import ref

from jaxviz import schema
from jaxviz.analysis.findings import findings_of_log
from jaxviz.capture.events.functions import definition_of, function_of
from jaxviz.capture.shown.objects import title_of
from jaxviz.display.bundle import chosen, key_for, log_bundle, preformatted
from jaxviz.display.outputs import LogAnswers, complete
from jaxviz.display.text.reports import cache_text, heading
from jaxviz.displayed import Findings
from jaxviz.export import SavedTimeline
from jaxviz.program import Program
from jaxviz.schema import CacheTable
from jaxviz.sentences.amounts import count_text
from jaxviz.session import Log as SessionLog
from jaxviz.session import session
from jaxviz.session.counts import repeats_in
from jaxviz.session.log_text import place
from jaxviz.tools.registry import CellProfile, cell_profiles


class Cache:
    """The programs that JAX traced of a function, a row each, with the differences of their calls.

    `Log.cache` gives one. As the last value of a cell it is a table. Its columns are the parts of
    JAX's cache key in which the rows differ.

    Attributes
    ----------
    table : CacheTable
        The columns and rows.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> double = jax.jit(lambda x: x * 2)
    >>> with jaxviz.watch() as log:
    ...     _ = double(jnp.ones(3)), double(jnp.ones(4)), double(jnp.zeros(3))
    >>> [row["x: shape"] for row in log.cache("<lambda>").records()]
    ['[3]', '[4]']
    """

    __slots__ = ("table",)

    def __init__(self, table: CacheTable) -> None:
        self.table = table

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each program, for `pandas.DataFrame`."""
        headings = [heading(column) for column in self.table.columns]
        return [
            {
                "number": row.number,
                "site": None if row.site is None else place(row.site),
                **dict(zip(headings, row.cells, strict=True)),
            }
            for row in self.table.rows
        ]

    def __len__(self) -> int:
        return len(self.table.rows) + self.table.omitted

    def __str__(self) -> str:
        return cache_text(self.table)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return {"text/plain": str(self), "text/html": preformatted(str(self))}


class Log(SavedTimeline, SessionLog):
    """The traces, lowerings and compilations so far, with their reasons.

    `watch` gives one, which grows while its block runs; any thread may read it at any time. As the
    last value of a cell it is a timeline; `print` gives a summary.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> @jax.jit
    ... def double(x):
    ...     return x * 2
    >>> with jaxviz.watch() as log:
    ...     _ = double(jnp.ones(3)), double(jnp.ones(4))
    >>> [(event.name, event.again) for event in log.events if event.kind == "trace"]
    [('double', False), ('double', True)]
    >>> log.retraces
    1
    """

    def program(self, number: int) -> Program | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Give the program of an event, without tracing again.

        Parameters
        ----------
        number : int
            `Event.number` of a trace, or of a lowering or compilation, for the program of its
            trace.

        Returns
        -------
        Program or None
            None if there is no such event, or if JAX's caches no longer have its program.
        """
        captured = super().program(number)
        return None if captured is None else Program(complete(captured))

    def cache(self, function: str | Callable[..., Any]) -> Cache:
        """Give the programs that JAX made of a function, with the differences between their calls.

        Parameters
        ----------
        function : str or callable
            The function, jitted or not, or its name, as in `Event.name`. If several functions have
            this name, the latest is taken.

        Raises
        ------
        TypeError
            If it is neither.
        ValueError
            If the function was not traced or, with `hits`, called.
        """
        if isinstance(function, str):
            return Cache(self.caches.named(function, self.functions))
        found = function_of(function) if callable(function) else None
        if found is None:
            kind = type(function).__name__
            raise TypeError(
                f"log.cache takes a function or its name, not an object of type {kind}."
            )
        return Cache(self.caches.named(found.name, self.functions, definition_of(found)))

    @property
    def profile(self) -> CellProfile | None:
        """Give the parts of the time, with `watch(profile=True)`, once its block has ended.

        None before that, without `profile`, and if something else profiled this process. In the
        last case `print(log)` says so.
        """
        return cell_profiles.profile_of(self)

    @property
    def findings(self) -> Findings:
        """Give each cause that the log has a hint for, with its line, cost and fix.

        A Python number in place of an array (`weak-type`), a new function on each call
        (`new-function`), batches of several sizes (`ragged-batch`), and all other causes
        (`retrace`). With `profile` also each Python loop that runs many small programs
        (`python-loop`). `# jaxviz: ignore ragged-batch` on the line of the call, or of the loop,
        silences a kind there. Once a `watch()` has ended, also each value that a jitted function
        keeps although it is another one now (`frozen-value`).
        """
        times = self.record().profile
        loops = times.loops if times else ()
        found = findings_of_log(self.functions, self.causes, self.events, loops)
        return Findings([*found, *self.record().findings])

    def _shown(self) -> tuple[schema.Log, str]:
        record = self.record()
        return record, self.summary(record)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        key = key_for(LogAnswers(super().program, self.record, self))
        data = log_bundle(*self._shown(), strip=False, key=key, last=True)
        return chosen(data, include, exclude)


def _of_record(name: str) -> Any:
    """Make a property of a field of a log's record."""
    return property(lambda log: getattr(log._record, name))


class LoadedLog(Log):
    """A log that was read from a file. It has ended, and has no programs."""

    def __init__(self, record: schema.Log) -> None:
        super().__init__()
        self.close(record.error)
        self._record = record
        self.start = record.start

    _fields = "events omitted functions causes apart ops seconds making"
    events, omitted, functions, causes, apart, ops, seconds, making = map(  # pyright: ignore
        _of_record, _fields.split()
    )

    @property
    def again(self) -> int:
        """Give the same count as `Log`."""
        return sum(repeats_in(self._record.functions))

    def record(self) -> schema.Log:
        """Give the record that was saved."""
        return self._record

    def cache(self, function: str | Callable[..., Any]) -> Cache:
        """Give the programs of a function, as in `Log.cache`.

        The file has the functions with several programs, or with cached calls.
        """
        name = function if isinstance(function, str) else getattr(function, "__name__", "")
        tables = [one for one in self._record.caches if one.name == name]
        if not tables:
            others = ", ".join(dict.fromkeys(one.name for one in self._record.caches)) or "none"
            raise ValueError(f"the file has no programs of a function named {name}, but {others}.")
        return Cache(tables[-1])


class RetraceError(Exception):
    """Functions were retraced more often than `max_retraces` of `watch` allows."""


@contextmanager
def watch(
    *, hits: bool = False, profile: bool = False, max_retraces: int | None = None
) -> Iterator[Log]:
    """Record what JAX traces, lowers and compiles while a block runs, and why.

    Use it for a loop that compiles more often than it should, or in a test that must not retrace.
    It sees all threads, and may be nested. A call that JAX's caches answer costs the same as
    without it. It retains neither arguments nor functions.

    Parameters
    ----------
    hits : bool, optional
        Count the calls that JAX's caches answer, too; each costs a little more then.
    profile : bool, optional
        Run the block under JAX's profiler, too, for at most 10 seconds, 200,000 events or 200 MB.
        `Log.profile` then has the parts of the time.
    max_retraces : int, optional
        The most retraces of your functions, all together. By default any number.

    Yields
    ------
    Log
        The record so far. It does not change after the block ends.

    Raises
    ------
    RetraceError
        At the end of the block, with the reasons, if there were more retraces. An exception of the
        block itself has precedence.
    ValueError
        If `max_retraces` is no number of at least 0.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> double = jax.jit(lambda x: x * 2)
    >>> with jaxviz.watch() as log:
    ...     _ = double(jnp.ones(3))
    >>> len(log.functions)
    1
    >>> with jaxviz.watch(max_retraces=0):
    ...     _ = double(jnp.ones(5))
    Traceback (most recent call last):
    ...
    jaxviz.watch.RetraceError: 1 retrace, and max_retraces is 0.
    ...
    """
    if max_retraces is not None and (type(max_retraces) is not int or max_retraces < 0):
        raise ValueError(
            f"max_retraces must be a number of at least 0, not {max_retraces!r}: "
            "write max_retraces=0."
        )
    owner: list[ref[Generator[Log]]] = []
    block = _block(Log(hits=hits), profile, max_retraces, lambda: _has_not_ended(owner[0]()))
    owner.append(ref(block))
    return block


def _has_not_ended(block: Generator[Log] | None) -> bool:
    """Return True while the block of a `watch` still has its log."""
    return block is not None and getgeneratorstate(block) != GEN_CLOSED


def _block(
    log: Log, profile: bool, max_retraces: int | None, is_wanted: Callable[[], bool]
) -> Generator[Log]:
    """Open the log of a `watch`, and close it after its block."""
    error, profiler = None, None
    try:
        session.open(log, is_wanted)
        profiler = cell_profiles.begin(log) if profile else None
        yield log
    except BaseException as raised:
        error = title_of(type(raised))
        raise
    finally:
        with suppress(Exception):
            around = sys._getframe(2)  # beyond that of contextlib
            session.cell_ends(partial(_code_of, around.f_code, around.f_globals), log)
        with cell_profiles.ended(log, profiler):
            session.close(log, error)
    if exceeds := exceeded(log, max_retraces):
        raise exceeds


def _code_of(code: CodeType, names: dict[str, Any]) -> tuple[CodeType, dict[str, Any]]:
    """Give the code around a `watch`, as `Session.cell_ends` takes it."""
    return code, names


def exceeded(log: SessionLog, limit: int | None) -> RetraceError | None:
    """Give the error, with the reasons, if more was retraced than `limit` allows."""
    again = log.retraces
    if limit is None or again <= limit:
        return None
    made = count_text(again, "retrace")
    return RetraceError(f"{made}, and max_retraces is {limit}.\n{log!r}")
