"""`check`: a program without findings, or an error that has them all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jaxviz import schema
from jaxviz.analysis.findings import KINDS
from jaxviz.display.summary import finding_lines
from jaxviz.inspecting import inspect
from jaxviz.program import Program


class FindingsError(AssertionError):
    """A program costs more than it needs to.

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

    def __init__(self, program: Program, findings: list[schema.Finding]) -> None:
        many = "1 finding" if len(findings) == 1 else f"{len(findings)} findings"
        super().__init__("\n".join([f"{program.name}: {many}", *finding_lines(findings)]))
        self.program = program
        self.findings = findings


def check(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    allow: Iterable[str] = (),
) -> Callable[..., Program]:
    """Capture the program of a call as `inspect` does, and raise if anything is found in it.

    Use it in a test: nothing is run or compiled.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    allow : iterable of str, optional
        Kinds of findings that are no error, by the names that `Finding.kind` has: `"upcast"`.

    Returns
    -------
    callable
        What takes the arguments of `fun`, and returns the `Program` of that call.

    Raises
    ------
    FindingsError
        When it is called, with all findings that are not allowed.
    ValueError
        Where `allow` has a kind that there is not.

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

    def call(*args: Any, **kwargs: Any) -> Program:
        program = inspect(fun, static_argnums, static_argnames)(*args, **kwargs)
        found = [one for one in program.findings if one.kind not in allowed]
        if found:
            raise FindingsError(program, found)
        return program

    return call
