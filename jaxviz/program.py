"""A captured program, as the user holds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.outline import outline
from jaxviz.capture import capture
from jaxviz.display.bundle import as_widget, mimebundle
from jaxviz.display.summary import summary
from jaxviz.picture import picture


class Program:
    """The program JAX made of one call: strings and numbers only, nothing of the call itself.

    Immutable. As the last value of a cell it is the picture; `print` gives a summary.
    """

    __slots__ = ("_record",)

    def __init__(self, record: schema.Program) -> None:
        object.__setattr__(self, "_record", record)

    _record: schema.Program

    @property
    def record(self) -> schema.Program:
        """All that is known, as it is saved and sent."""
        return self._record

    @property
    def name(self) -> str:
        """The function's name, with the transformations around it: `grad(loss)`."""
        return self._record.name

    @property
    def args(self) -> list[schema.Leaf]:
        """The inputs by the user's paths (`params['w1']`), each with its aval."""
        return list(self._record.args)

    @property
    def results(self) -> list[schema.Leaf]:
        """The outputs by path (`result[0]`), each with its aval."""
        return list(self._record.results)

    def stage(self, kind: str) -> schema.Stage:
        """One form of the program: `jaxpr`. Raises ValueError for a kind there is not."""
        for stage in self._record.stages:
            if stage.kind == kind:
                return stage
        known = ", ".join(repr(stage.kind) for stage in self._record.stages)
        raise ValueError(f"there is no stage {kind!r}: the stages are {known}.")

    def save(self, path: str | Path) -> None:
        """Writes the program to a file, in the form its suffix names.

        `.json` is what `jaxviz.load` reads; `.svg` the picture, and `.png` the same as a bitmap
        (with `pip install 'jupyterlab-jaxviz[png]'`); `.html` the view as a page that needs no
        network; `.dot` the graph for Graphviz, which draws it where its `dot` is installed:
        `graphviz.Source.from_file('f.dot').render(format='pdf')`. Raises ValueError for another
        suffix."""
        write = _WRITERS.get(Path(path).suffix.lower())
        if write is None:
            *known, last = _WRITERS
            raise ValueError(
                f"cannot save to {str(path)!r}: the file's name must end in "
                f"{', '.join(known)} or {last}."
            )
        Path(path).write_bytes(write(self._record))

    def __str__(self) -> str:
        return summary(self._record)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """What a notebook shows."""
        return mimebundle(self._record, include, exclude)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Program is immutable: {name!r} cannot be set.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Program is immutable: {name!r} cannot be deleted.")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self._record == other._record

    def __hash__(self) -> int:
        return hash((self._record.name, self._record.jax))

    def _display_(self) -> Any:
        """What marimo shows in place of this (its display protocol)."""
        return as_widget(self._record)

    def __repr__(self) -> str:
        eqns = sum(len(graph.eqns) for stage in self._record.stages for graph in stage.graphs)
        return f"<jaxviz.Program {self.name}: {eqns} eqns>"


def inspect(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
) -> Callable[..., Program]:
    """A function that takes the arguments of `fun` and returns the `Program` of that call.

    As `jax.make_jaxpr`: arguments are arrays, Python scalars or `jax.ShapeDtypeStruct`s, and
    nothing executes. A function that is jitted already is traced through its own cache, with
    the static arguments given there. Raises `CaptureError`, with one sentence that says what to
    mend, where the call cannot be traced.
    """

    def call(*args: Any, **kwargs: Any) -> Program:
        record = capture(fun, args, kwargs, static_argnums, static_argnames).program
        return Program(replace(record, stages=[_grouped(stage) for stage in record.stages]))

    return call


def _grouped(stage: schema.Stage) -> schema.Stage:
    """With groups: what they would make readable is shown without them rather than not at all."""
    try:
        return outline(stage)
    except Exception as error:
        note = f"The eqns are not grouped: jaxviz failed to group them ({type(error).__name__})."
        return replace(stage, notes=[*stage.notes, note])


def load(path: str | Path) -> Program:
    """The program that `Program.save` wrote to a `.json` file. Raises ValueError for another."""
    try:
        record = msgspec.json.decode(Path(path).read_bytes(), type=schema.Program)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{str(path)!r} is no program saved by jaxviz: {error}.") from error
    if record.version != schema.VERSION:
        raise ValueError(
            f"{str(path)!r} is of format {record.version}, and this jaxviz reads format "
            f"{schema.VERSION}: capture the program again."
        )
    return Program(record)


def _json(record: schema.Program) -> bytes:
    return msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"


def _svg(record: schema.Program) -> bytes:
    return picture(record).encode()


def _png(record: schema.Program) -> bytes:
    from jaxviz.export.png import png

    return png(record)


def _dot(record: schema.Program) -> bytes:
    from jaxviz.export.dot import dot

    return dot(record).encode()


def _html(record: schema.Program) -> bytes:
    from jaxviz.export.html import html

    return html(record).encode()


_WRITERS: dict[str, Callable[[schema.Program], bytes]] = {
    ".json": _json,
    ".svg": _svg,
    ".png": _png,
    ".dot": _dot,
    ".html": _html,
}
