"""`check`: a program without findings, or an error that has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jaxviz import schema
from jaxviz.amounts import count_text
from jaxviz.analysis.findings import KINDS
from jaxviz.display.memory_text import fit_lines, fits
from jaxviz.display.summary import finding_lines
from jaxviz.inspecting import inspect
from jaxviz.program import Program
from jaxviz.schema.opening import chosen


class FindingsError(AssertionError):
    """A program costs more than it needs to, or does not fit into the memory.

    Attributes
    ----------
    program : Program
        What was checked.
    findings : list of Finding
        What was found and not allowed.

    Examples
    --------
    >>> import jax, jaxviz, numpy as np
    >>> x = jax.ShapeDtypeStruct((1024, 1024), "bfloat16")
    >>> try:
    ...     jaxviz.check(lambda x: x * np.float32(2.0))(x)
    ... except jaxviz.FindingsError as error:
    ...     print([one.kind for one in error.findings])
    ['upcast']
    """

    def __init__(
        self, program: Program, findings: list[schema.Finding], fit: Iterable[str] = ()
    ) -> None:
        """`fit` says that it does not fit into the memory; empty if it fits."""
        many = count_text(len(findings), "finding")
        lines = [f"{program.name}: {many}", *finding_lines(findings), *fit]
        super().__init__("\n".join(lines))
        self.program = program
        self.findings = findings


def check(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    allow: Iterable[str] = (),
    memory: float | str | None = None,
) -> Callable[..., Program]:
    """Capture the program of a call as `inspect` does, and raise if anything is found in it.

    Use it in a test: nothing is run, and nothing is compiled without `memory`.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    allow : iterable of str, optional
        Kinds of findings that are no error, by the names that `Finding.kind` has: `"upcast"`.
    memory : float or str, optional
        The memory of a device in GiB (`0.6`), or with its unit (`"600MiB"`). The program is
        compiled, and it is an error if it does not fit, by XLA's estimate, or if that is not known.

    Returns
    -------
    callable
        What takes the arguments of `fun`, and returns the `Program` of that call.

    Raises
    ------
    FindingsError
        When it is called, with all findings that are not allowed, or if it does not fit.
    ValueError
        If `allow` contains an unknown kind, or `memory` is not an amount of memory.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> jaxviz.check(jnp.sin)(1.0).name
    'sin'
    """
    allowed = {allow} if isinstance(allow, str) else {*allow}
    unknown = allowed - {*KINDS}
    if unknown:
        raise ValueError(
            f"there is no kind {min(unknown)!r} of findings: the kinds are {', '.join(KINDS)}."
        )

    limit = chosen({"memory": memory}).memory

    def call(*args: Any, **kwargs: Any) -> Program:
        program = inspect(fun, static_argnums, static_argnames)(*args, **kwargs)
        fit = [] if limit is None else too_large(program, limit)
        found = [one for one in program.findings if one.kind not in allowed]
        if found or fit:
            raise FindingsError(program, found, fit)
        return program

    return call


def too_large(program: Program, gib: float) -> list[str]:
    """Say that a program does not fit into so many GiB, or is not known to; empty if it fits."""
    refused = program.stage("hlo").error
    if refused is not None:
        return [f"It is not known whether it fits into the memory: {refused}"]
    record = program.record
    return [] if fits(record, gib) else [one for one in fit_lines(record, gib) if one]
