"""Objects that record who runs their code go into every place of a program and through every tool:
no frame of jaxviz ran any of it. Frames of JAX may: it hashes and compares static arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import canaries
import jax
import jax.numpy as jnp
import pytest
from canaries import CallableCanary, Canary, CanaryError
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, shell_fixture

import jaxviz

shell = shell_fixture("import canaries, jax, jax.numpy as jnp, jaxviz")
CANARY = Canary()
X = jnp.arange(3.0)
TIMED = ("timeit/capture.py", "__hash__", "__eq__", "Meta.__hash__", "Meta.__eq__")
"""`timeit` calls the jitted function itself. JAX's compiled call, which has no frame, looks up the
arguments in its cache. A canary that is the function is called as well."""


class Given(NamedTuple):
    """A call."""

    fun: Any
    args: tuple[Any, ...] = (X,)
    kwargs: Mapping[str, Any] = MappingProxyType({})


def sine(x: Any, *rest: Any, **more: Any) -> Any:
    return jnp.sin(x)


def with_default(x: Any, n: Any = CANARY) -> Any:
    return jnp.sin(x)


def closing_over(canary: Any) -> Any:
    def inside(x: Any) -> Any:
        return jnp.sin(x) if canary is not None else x

    return inside


def reading_a_global(x: Any) -> Any:
    return jnp.sin(x) if CANARY is not None else x


def calling_back(canary: Any) -> Any:
    return lambda x: jax.pure_callback(canary, jax.ShapeDtypeStruct((3,), "float32"), x)


class Method:
    """An object that holds a canary."""

    def __init__(self) -> None:
        self.held = Canary()

    def of(self, x: Any) -> Any:
        return jnp.sin(x)


@jax.tree_util.register_pytree_node_class
class Node:
    """A pytree with a canary beside its array."""

    def __init__(self, x: Any, held: Any = None) -> None:
        self.x, self.held = x, held

    def tree_flatten(self) -> Any:
        return (self.x,), self.held

    @classmethod
    def tree_unflatten(cls, held: Any, children: Any) -> Any:
        return cls(children[0], held)


PLACES: dict[str, Callable[[], Given]] = {
    "an argument": lambda: Given(sine, (X, Canary())),
    "a keyword argument": lambda: Given(sine, (X,), {"n": Canary()}),
    "a leaf": lambda: Given(sine, (X, {"a": Canary(), "b": [X, (Canary(), None)]})),
    "a key of a dict": lambda: Given(sine, (X, {Canary(): X})),
    "beside a node's arrays": lambda: Given(sine, (X, Node(X, Canary()))),
    "a static argument": lambda: Given(jax.jit(sine, static_argnums=1), (X, Canary())),
    "a named static argument": lambda: Given(
        jax.jit(lambda x, n: jnp.sin(x), static_argnames="n"), (X,), {"n": Canary()}
    ),
    "within a static tuple": lambda: Given(
        jax.jit(sine, static_argnums=1), (X, (1, Canary(), "a"))
    ),
    "a closure": lambda: Given(jax.jit(closing_over(Canary()))),
    "a closure's list": lambda: Given(closing_over([Canary(), X])),
    "a global": lambda: Given(jax.jit(reading_a_global)),
    "a default": lambda: Given(with_default),
    "a static default": lambda: Given(jax.jit(with_default, static_argnames="n")),
    "a partial": lambda: Given(jax.jit(functools.partial(lambda n, x: jnp.sin(x), Canary()))),
    "a method's object": lambda: Given(jax.jit(Method().of)),
    "a callback": lambda: Given(jax.jit(calling_back(CallableCanary()))),
    "a callback's partial": lambda: Given(calling_back(functools.partial(len, Canary()))),
    "the function": lambda: Given(CallableCanary()),
    "a jitted object": lambda: Given(jax.jit(CallableCanary())),
    "a class": lambda: Given(sine, (X, Canary)),
    "a static class": lambda: Given(jax.jit(sine, static_argnums=1), (X, Canary)),
}


def inspected(call: Given, _: Path) -> None:
    program = jaxviz.inspect(call.fun)(*call.args, **call.kwargs)
    program.stage("hlo")
    assert str(program)
    assert program.findings is not None


def displayed(call: Given, _: Path) -> None:
    program = jaxviz.inspect(call.fun)(*call.args, **call.kwargs)
    assert program._repr_mimebundle_()


def watched(call: Given, _: Path) -> None:
    with jaxviz.watch() as log:
        for rows in (3, 2):
            args = [arg[:rows] if arg is X else arg for arg in call.args]
            # What JAX refuses, it refuses also without jaxviz.
            with suppress(TypeError, ValueError, jax.errors.JaxRuntimeError):
                call.fun(*args, **call.kwargs)
    assert log.findings is not None
    assert str(log) is not None
    assert log.records() is not None


def compared(call: Given, _: Path) -> None:
    one, other = (jaxviz.inspect(call.fun)(*call.args, **call.kwargs) for _ in range(2))
    assert str(jaxviz.compare(one, other))


def saved(call: Given, folder: Path) -> None:
    program = jaxviz.inspect(call.fun)(*call.args, **call.kwargs)
    for ending in ("json", "svg", "html", "dot"):
        program.save(folder / f"x.{ending}")
    assert str(jaxviz.load(folder / "x.json"))


def run_by(tool: Any) -> Callable[[Given, Path], None]:
    def run(call: Given, _: Path) -> None:
        with refusing():
            assert str(tool(call.fun)(*call.args, **call.kwargs))

    return run


def counted(call: Given, _: Path) -> None:
    with refusing():
        program = jaxviz.inspect(call.fun)(*call.args, **call.kwargs)
        assert str(program.statistics(*call.args, **call.kwargs))


@contextmanager
def refusing() -> Iterator[None]:
    """Passes what JAX or a tool refuses, but no failure of jaxviz itself."""
    refused = ""
    try:
        yield
    except (jaxviz.CaptureError, ValueError, TypeError, jax.errors.JaxRuntimeError) as error:
        refused = str(error)
    assert "jaxviz failed" not in refused


TOOLS: dict[str, Callable[[Given, Path], None]] = {
    "inspect": inspected,
    "display": displayed,
    "watch": watched,
    "compare": compared,
    "save": saved,
    "check": run_by(jaxviz.check),
    "steps": run_by(jaxviz.steps),
    "find_nan": run_by(jaxviz.find_nan),
    "timeit": run_by(functools.partial(jaxviz.timeit, seconds=0)),
    "statistics": counted,
}


def assert_untouched() -> None:
    file, *hashes = TIMED
    found = [one for one in canaries.ours() if not one.startswith("__call__ ")]
    assert [one for one in found if not (file in one and one.split()[0] in hashes)] == []


@pytest.fixture(autouse=True)
def _none_yet() -> Iterator[None]:
    canaries.calls.clear()
    yield
    canaries.calls.clear()


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("tool", TOOLS)
def test_no_tool_runs_code_of_a_value(tool: str, place: str, tmp_path: Path) -> None:
    call = PLACES[place]()
    canaries.calls.clear()
    TOOLS[tool](call, tmp_path)
    assert_untouched()


MAGICS = (
    "%jaxviz {}",
    "%jaxviz --steps {}",
    "%jaxviz --stage hlo {}",
    "%%jaxviz\n{}",
    "%jaxviz on\n{}",
)


@pytest.mark.parametrize("magic", MAGICS)
@pytest.mark.parametrize("place", PLACES)
def test_no_magic_runs_code_of_a_value(shell: InteractiveShell, magic: str, place: str) -> None:
    call = PLACES[place]()
    names = [f"a{i}" for i in range(len(call.args))]
    shell.user_ns.update(f=call.fun, **dict(zip(names, call.args, strict=True)), **call.kwargs)
    written = ", ".join((*names, *(f"{key}={key}" for key in call.kwargs)))
    canaries.calls.clear()
    Run(shell, magic.format(f"f({written});"))
    Run(shell, "%jaxviz off")
    for name in ("f", *names, *call.kwargs):
        shell.user_ns.pop(name)
    assert_untouched()


FAILS = (
    *("x.reshape(c)", "x + c", "c + x", "c[0] + x", "c(x)", "c.layer(x)", "jnp.stack([x, c])"),
    *("jnp.where(x > 0, c, x)", "x.at[c].set(1.0)", "x[c]", "x[0:c]", "int(x[0]) + c", "float(c)"),
    *(
        "[x[i] for i in c]",
        "jnp.zeros(c)",
        "jnp.arange(c)",
        "np.add(x, c)",
        "c @ x",
        "x if c > x else 0",
    ),
    *(
        "c.at[0].set(x)",
        "jnp.einsum('ij,j', x, c)",
        "{c: x}[0] + int(x[0])",
        "jax.random.normal(c)",
    ),
    *(
        "lax.scan(c, x, c)",
        "lax.cond(c, c, c, x)",
        "lax.cond(x[0], c, sine, x)",
        "lax.while_loop(c, c, x)",
    ),
    *(
        "lax.fori_loop(0, c, c, x)",
        "jax.vmap(c)(x)",
        "jax.vmap(sine, in_axes=c)(x)",
        "jax.grad(c)(x)",
    ),
    *(
        "jax.jit(sine, static_argnums=c)(x)",
        "jax.jit(sine)(c)",
        "bool(x[0]) and c",
        "held['c'] + x",
    ),
    *("held.get(c) + x", "jnp.concatenate((x, c))", "jax.nn.softmax(x, axis=c)", "x.sum(axis=c)"),
    *(
        "jax.jit(sine, static_argnums=1)(x, [c])",
        "jax.device_put(x, c)",
        "x.astype(c)",
        "jnp.dot(x, c)",
    ),
    *("raise_(canaries.CanaryError(c))", "raise_(ValueError(c))", "raise_(TypeError(x, c))"),
    *(
        "raise_(KeyError(c))",
        "assert_(c)",
        "jnp.ones(3)[x > 0] + c",
        "np.asarray(x) + c",
        "c.c.c + x",
    ),
    *(
        "lax.scan(lambda a, b: (a, c), x, None)",
        "lax.scan(lambda a, b: (c, b), x, x)",
        "math.sin(c)",
    ),
    *("lax.cond(True, lambda x: (x, c), lambda x: x, x)", "jax.checkpoint(c)(x)", "c.shape[x]"),
    *("lax.dynamic_slice(x, (c,), (c,))", "jnp.linspace(0, 1, c)", "jax.tree.map(c, x, held)"),
    *("jnp.broadcast_to(x, (c, 3))", "x.at[0].set(c)", "range(x)[c]", "len(c) + x", "str(c) + x"),
)
"""Lines that fail with a canary `c`, or a traced `x`."""
CELL = """
def raise_(error): raise error
def assert_(c): assert c is None, c
def sine(x): return jnp.sin(x)
@jax.jit
def fails(x):
    c = canaries.CallableCanary() if {callable} else canaries.Canary()
    held = {{"c": c, 1: [c]}}
    return {line}
fails(jnp.arange(3.0))
"""


@pytest.mark.parametrize("line", FAILS)
def test_no_card_runs_code_of_a_value(shell: InteractiveShell, line: str) -> None:
    Run(shell, "import math, numpy as np\nfrom jax import lax\n%jaxviz on").result.raise_error()
    for is_callable in (False, True):
        Run(shell, CELL.format(line=line, callable=is_callable))
        Run(shell, "%jaxviz explain")
        Run(shell, "jaxviz.explain()")
        assert_untouched()
    Run(shell, "%jaxviz off")


def test_an_exception_that_records_stays_unread() -> None:
    def raises(x: Any) -> Any:
        raise CanaryError(Canary(), x)

    with pytest.raises(jaxviz.CaptureError):
        jaxviz.inspect(raises)(X)
    assert_untouched()
