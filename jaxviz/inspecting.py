"""Captures calls (`inspect`), raises for findings (`check`), displays objects of JAX (`show`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import Any, NamedTuple, overload

from IPython.display import display
from msgspec.structs import replace

from jaxviz import schema
from jaxviz.analysis.findings import KINDS
from jaxviz.capture import (
    CallAgain,
    Captured,
    CaptureError,
    JaxObject,
    call_again,
    capture,
    captured_object,
    kind_of_jax_object,
)
from jaxviz.display.text.summary import finding_lines, findings_title, fit_lines, fits
from jaxviz.program import Program, finished_program
from jaxviz.schema.opening import chosen
from jaxviz.session import session


class Target(NamedTuple):
    """The platform and devices of the later stages; None lets JAX choose."""

    platform: str | None = None
    devices: int | None = None


ANY_TARGET = Target()


@overload
def inspect(
    fun: JaxObject, *, keep: bool = False, platform: str | None = None, devices: int | None = None
) -> Program: ...


@overload
def inspect(
    fun: Callable[..., Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    keep: bool = False,
    platform: str | None = None,
    devices: int | None = None,
) -> Callable[..., Program]: ...


def inspect(
    fun: Callable[..., Any] | JaxObject,
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    *,
    keep: bool = False,
    platform: str | None = None,
    devices: int | None = None,
) -> Callable[..., Program] | Program:
    """Capture the program that JAX makes of a call: `inspect(fun)(*args)`.

    Like `jax.make_jaxpr` it traces `fun`, and computes nothing. A jitted function is traced through
    its own cache, with its own static arguments. `inspect(lowered)` shows an object that JAX has
    already made of a call.

    Parameters
    ----------
    fun : callable, ClosedJaxpr, Traced, Lowered, Compiled or jax.export.Exported
        The function to capture: yours, JAX's, or a transformed one. Or an object of JAX. A jaxpr
        and a `Traced` have all stages, a `Lowered` has StableHLO and HLO, for which it is compiled
        on the first request, an `Exported` has StableHLO, and a `Compiled` HLO. The `error` of any
        other stage is the reason why it cannot be made.
    static_argnums, static_argnames : optional
        The static arguments by position or name, as in `jax.jit`. They are part of the program, and
        no inputs.
    keep : bool, optional
        Retain all arrays that `fun` closes over, for the later stages. By default at most 16 MiB
        are retained, and larger arrays are used while they exist.
    platform : {"tpu", "cuda", "rocm", "cpu", "gpu"}, optional
        The platform for which StableHLO is lowered; this machine may lack it. `gpu` is `cuda`. By
        default the platform of this process, the only one for which it can compile.
    devices : int, optional
        The number of devices of the program. For any other number the stage `hlo` has an error. The
        machine may lack the devices of a `jax.sharding.AbstractMesh`. XLA then compiles the program
        for the same number of CPU devices.

    Returns
    -------
    callable, or Program
        For an object of JAX its program. For a function a callable that takes its arguments: arrays
        of any shape, Python scalars or `jax.ShapeDtypeStruct`s. It returns the `Program` of that
        call. Arguments that cannot be arrays (a function, a string) are closed over, and so are
        numbers, shapes and dtypes in a call of JAX's own functions. `Program.fixed` has them.

    Raises
    ------
    CaptureError
        With one sentence that names the fix: when the callable is called, if the call cannot be
        traced; and for static arguments of an object of JAX.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> def loss(w, x):
    ...     return jnp.mean(jnp.tanh(x @ w) ** 2)
    >>> w = jax.ShapeDtypeStruct((8, 4), "float32")
    >>> program = jaxviz.inspect(jax.grad(loss))(w, jnp.ones((32, 8)))
    >>> program.name
    'grad(loss)'
    >>> [(one.path, one.aval.text) for one in program.results]
    [('result', 'f32[8,4]')]
    """
    target = Target(platform, devices)
    if kind_of_jax_object(fun):
        static = static_argnames if static_argnums is None else static_argnums
        return program_of_object(fun, static, keep, target=target)

    def call(*args: Any, **kwargs: Any) -> Program:
        return inspected(fun, args, kwargs, static_argnums, static_argnames, keep, target=target)

    return call


def show(obj: JaxObject) -> None:
    """Display the view of an object that JAX made of a call.

    In a notebook that has loaded the extension, such an object draws itself as the last value of a
    cell. `show` draws it anywhere else, such as in a loop, and draws programs of any size. Outside
    of a notebook it prints the summary.

    Parameters
    ----------
    obj : ClosedJaxpr, Traced, Lowered, Compiled or jax.export.Exported
        The object, with the stages that `inspect` names.

    Raises
    ------
    TypeError
        For anything else. A function is captured by `jaxviz.inspect(fun)(*args)`.
    CaptureError
        If the object cannot be read.

    Examples
    --------
    >>> import jax, jaxviz
    >>> jaxviz.show(jax.make_jaxpr(lambda x: x * 2.0)(1.0))
    <lambda>(x) → ~f32[]: 1 eqn
    ...
    """
    if not kind_of_jax_object(obj):
        raise TypeError(
            "obj must be a ClosedJaxpr, Traced, Lowered, Compiled or Exported of JAX, not "
            f"{type(obj).__name__}: jaxviz.inspect(f)(x) shows a call of a function."
        )
    display(program_of_object(obj))


def program_of_object(
    value: Any,
    static: Any = None,
    keep: bool = False,
    opening: schema.Opening = schema.UNCHOSEN,
    target: Target = ANY_TARGET,
) -> Program:
    """Give the program of an object of JAX, which refuses `static` arguments."""
    kind = kind_of_jax_object(value)
    if static is not None:
        raise CaptureError(
            "static arguments are chosen where a function is traced, and this is a "
            f"{kind} already: leave them out."
        )
    found = captured_object(value, kind, keep)
    if isinstance(found, Captured):
        return captured_program(found, opening, target)
    if target != ANY_TARGET:
        raise CaptureError(
            "platform and devices are chosen where a program is lowered, and this is a "
            f"{kind} already: leave them out."
        )
    return finished_program(*found, opening)


def captured_program(
    captured: Captured,
    opening: schema.Opening,
    target: Target = ANY_TARGET,
    again: CallAgain | None = None,
) -> Program:
    """Give the program of a captured call, with later stages for a target.

    `again` makes the call again, for another trace.
    """
    captured.later.set_target(*target)
    return Program(*captured, opening, again)


def inspected(
    fun: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    static_argnums: int | Iterable[int] | None = None,
    static_argnames: str | Iterable[str] | None = None,
    keep: bool = False,
    receiver: str = "",
    opening: schema.Opening = schema.UNCHOSEN,
    target: Target = ANY_TARGET,
) -> Program:
    """Capture the program of one call, as `inspect` does.

    `receiver` is the text before the dot in the call (`model` in `model.apply(x)`), if known.
    """
    call = fun, args, kwargs, static_argnums, static_argnames, keep, receiver
    statics = {"static_argnums": static_argnums, "static_argnames": static_argnames}
    again = call_again(fun, args, kwargs, statics, receiver)
    began = perf_counter()
    captured = capture(*call)
    frozen = tuple(session.frozen_in(fun, captured.later.jaxpr()))
    captured = captured._replace(head=replace(captured.head, frozen=frozen))
    program = captured_program(captured, opening, target, again)
    program._stages.traced = perf_counter() - began
    return program


class FindingsError(AssertionError):
    """A program costs more than it needs to, or does not fit into the memory.

    Attributes
    ----------
    program : Program
        The program that was checked.
    findings : list of Finding
        The findings that are not allowed.

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
        """`fit` has the lines that explain that it does not fit; empty if it fits."""
        lines = [f"{program.name}: {findings_title(findings)}", *finding_lines(findings), *fit]
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
    """Capture the program of a call as `inspect` does, and raise if it has findings.

    Use it in a test: it runs nothing, and compiles only with `memory`. A note is no error.

    Parameters
    ----------
    fun : callable
        As in `inspect`.
    static_argnums, static_argnames : optional
        As in `inspect`.
    allow : iterable of str, optional
        Kinds of findings that are no error, by the names in `Finding.kind`: `"upcast"`.
    memory : float or str, optional
        The memory of a device in GiB (`0.6`), or with its unit (`"600MiB"`). The program is
        compiled. It is an error if it does not fit, by XLA's estimate, or if that is not known.

    Returns
    -------
    callable
        Takes the arguments of `fun`, and returns the `Program` of that call.

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
        found = [one for one in program.findings if not one.is_note and one.kind not in allowed]
        if found or fit:
            raise FindingsError(program, found, fit)
        return program

    return call


def too_large(program: Program, gib: float) -> list[str]:
    """Give the lines that explain why a program may not fit into `gib` GiB; empty if it fits."""
    refused = program.stage("hlo").error
    if refused is not None:
        return [f"It is not known whether it fits into the memory: {refused}"]
    record = program.record
    return [] if fits(record, gib) else [one for one in fit_lines(record, gib) if one]
