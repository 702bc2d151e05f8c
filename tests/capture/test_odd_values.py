"""Values that are large, that lie or that refuse to be asked: each tool works with them, and shows
at most their type and size."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter, thread_time
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from IPython.core.interactiveshell import InteractiveShell
from shells import Run, shell_fixture

import jaxviz
from jaxviz.capture.calls.statics import named_static, static_of
from jaxviz.capture.shown.shown_values import message_of, shown
from jaxviz.tools.steps.capture.bound_names import bound

shell = shell_fixture("import jax, jax.numpy as jnp, jaxviz")


class Plain:
    """An object without anything."""


def property_of(name: str) -> property:
    def raises(self: Any) -> Any:
        raise RuntimeError(f"no {name}")

    return property(raises)


Lying: Any = type("Lying", (), {"__class__": property(lambda self: dict)})
Raising: Any = type("Raising", (), {"__class__": property_of("class")})


def own_eq(cls: Any, other: object) -> bool:
    return cls is other


RaisingMeta: Any = type(
    "RaisingMeta",
    (type,),
    {
        **{
            name: property_of(name)
            for name in ("__name__", "__module__", "__mro__", "__dict__", "__bases__", "__doc__")
        },
        "__hash__": lambda cls: 0,
        "__eq__": own_eq,
        "__instancecheck__": property_of("__instancecheck__"),
    },
)
"""A metaclass whose properties raise."""


class Metaclassed(metaclass=RaisingMeta):
    """An object of a class that refuses."""


def refuses(self: Any, *args: Any) -> Any:
    raise RuntimeError("the user's code ran")


REFUSED = (
    *("__repr__", "__str__", "__len__", "__iter__", "__bool__", "__getattr__", "__contains__"),
    *("__getitem__", "__format__", "__dir__", "__index__", "__int__", "__float__", "__array__"),
    *("__lt__", "__ne__", "__reduce_ex__", "__sizeof__", "__copy__", "__deepcopy__", "__call__"),
)
Refusing: Any = type("Refusing", (), dict.fromkeys(REFUSED, refuses))
NoModule: Any = type("NoModule", (), {})
NoModule.__module__ = None
OfJax: Any = type("OfJax", (), {"__module__": "jax.evil", "__str__": refuses, "__repr__": refuses})
Array: Any = type(
    "ndarray", (), {"__module__": "numpy", "__qualname__": "ndarray", "shape": property(refuses)}
)
Named: Any = type("Named", (), {"__module__": 5, "__qualname__": "a\u202e\n<b>"})
Slotted: Any = type("Slotted", (), {"__slots__": ("a", "b"), "__weakref__": None})


OWN = ("__len__", "__iter__", "__getitem__", "__contains__", "__repr__", "__str__")
Text: Any = type("Text", (str,), dict.fromkeys((*OWN, "isidentifier", "isascii"), refuses))
Numbers: Any = type("Numbers", (tuple,), dict.fromkeys(OWN, refuses))
Table: Any = type(
    "Table",
    (dict,),
    {**dict.fromkeys((*OWN, "items", "keys", "values"), refuses), "__hash__": object.__hash__},
)
DEEP: Any = ()
for _ in range(500):
    DEEP = (DEEP,)
SELF: Any = []
SELF.append(SELF)
LARGEST = 10**5000

ODD: dict[str, tuple[Any, str]] = {
    "a large number": (LARGEST, "int of 5,001 digits"),
    "a large negative number": (-LARGEST, "int of 5,002 digits"),
    "almost a larger number": (LARGEST - 1, "int of 5,000 digits"),
    "a huge number": (1 << 10**6, "int of 301,030 digits"),
    "a large range": (range(LARGEST), "range(0, int of 5,001 digits)"),
    "a range with a step": (range(0, 10, 3), "range(0, 10, 3)"),
    "a small range": (range(3), "range(0, 3)"),
    "large numbers within": ((LARGEST, 1), "(int of 5,001 digits, 1)"),
    "a large number as a key": ({LARGEST: 1}, "{int of 5,001 digits: 1}"),
    "a lie": (Lying(), "Lying"),
    "no class": (Raising(), "Raising"),
    "a refusing metaclass": (Metaclassed(), "Metaclassed"),
    "a class with a refusing metaclass": (Metaclassed, "Metaclassed"),
    "a refusing object": (Refusing(), "Refusing"),
    "no module": (NoModule(), "NoModule"),
    "a class without a module": (NoModule, "NoModule"),
    "a module of JAX's": (OfJax(), "OfJax"),
    "an array of NumPy's": (Array(), "ndarray"),
    "a module that is a number": (Named(), "Named"),
    "empty slots": (Slotted(), "Slotted"),
    "a string's subclass": (Text("abc"), "Text"),
    "a tuple's subclass": (Numbers((1, 2)), "Numbers"),
    "a dict's subclass": (Table(a=1), "Table"),
    "deep tuples": (DEEP, "tuple of 1"),
    "a list within itself": (SELF, "list of 1"),
    "a long text": ("x" * 6_000_000, "str of 6,000,000 characters"),
    "long bytes": (b"x" * 6_000_000, "bytes of 6,000,000"),
    "a long tuple": (tuple(range(1_000_000)), "tuple of 1,000,000"),
    "a long list": ([0.5] * 1_000_000, "list of 1,000,000"),
    "a long dict": (dict.fromkeys(range(1_000_000)), "dict of 1,000,000"),
    "a long set": (frozenset(range(1_000_000)), "frozenset of 1,000,000"),
    "many long parts": ((tuple(range(1_000)),) * 1_000, "tuple of 1,000"),
    "long texts": (("x" * 6_000_000,) * 3, "tuple of 3"),
    "not a number": (float("nan"), "nan"),
    "a notebook's namespace": (SimpleNamespace(a=Lying()), "SimpleNamespace"),
    "an array of objects": (np.array([None], dtype=object), "object[1]"),
}
LONG = [case for case in ODD if case.startswith(("a long", "long", "many"))]


@pytest.mark.parametrize("case", ODD)
def test_what_is_shown_of_it(case: str) -> None:
    value, text = ODD[case]
    found = shown(value)
    assert found == text or (case in ("deep tuples", "a list within itself") and "…" in found)
    assert bound("value", value).text
    assert static_of(value).text == found
    assert static_of(value) == static_of(value)


@pytest.mark.parametrize("case", LONG)
@pytest.mark.parametrize("read", [shown, static_of, lambda value: bound("value", value)])
def test_a_long_value_takes_no_time(case: str, read: Callable[[Any], Any]) -> None:
    value, _ = ODD[case]
    read(value)
    whole = seconds_of(repr, value)
    assert min(seconds_of(read, value) for _ in range(20)) < whole / 20


def seconds_of(call: Callable[[Any], Any], value: Any) -> float:
    start = thread_time()
    call(value)
    return thread_time() - start


def static_step() -> Any:
    return jax.jit(lambda x, n: x * 2, static_argnums=1)


def is_hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def is_taken_by_jax(value: Any) -> bool:
    """False for a value whose class JAX 0.6.2 reads."""
    try:
        static_step()(jnp.ones(2), value)
    except RuntimeError:
        return False
    return True


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("case", ODD)
def test_each_tool_works_with_it(case: str) -> None:
    value, _ = ODD[case]
    if case in LONG:
        closed: Any = SimpleNamespace(held=value)  # JAX itself takes a long one apart
    else:
        closed = value

    def fun(x: Any, held: Any = closed) -> Any:
        return x * 2 if held is not None else x

    assert "mul" in str(jaxviz.inspect(fun)(1.0))
    assert "mul" in str(jaxviz.steps(fun)(1.0))
    if is_hashable(value) and is_taken_by_jax(value):
        step = static_step()
        with jaxviz.watch() as log:
            step(jnp.ones(3), value)
            step(jnp.ones(4), value)
        assert [len(event.reason) for event in log.events if event.again] == [1]
        assert "mul" in str(jaxviz.inspect(static_step())(1.0, value))


@pytest.mark.parametrize("case", ODD)
def test_the_magics_work_with_it(shell: InteractiveShell, case: str) -> None:
    shell.user_ns["odd"], _ = ODD[case]
    cell = "def f(x):\n    held = odd\n    return x * 2\n"
    for line in ("%jaxviz f(1.0)", "%jaxviz --steps f(1.0)"):
        run = Run(shell, cell + line)
        assert run.result.success
        assert len(run.shown) == 1
    run = Run(
        shell, f"{cell}%jaxviz on\n@jax.jit\ndef g(x):\n    return odd if x > 0 else x\ng(1.0)"
    )
    Run(shell, "%jaxviz off")
    assert any(
        "if or while on a traced value" in shown.get("text/plain", "") for shown in run.shown
    )


MESSAGES: dict[str, tuple[BaseException, str]] = {
    "a text": (ValueError("a text"), "a text"),
    "a number": (ValueError(3), "3"),
    "a key": (KeyError("k"), "'k'"),
    "several": (ValueError("a", 1), "('a', 1)"),
    "an object": (ValueError(OfJax()), "OfJax"),
    "an object among others": (ValueError("a", OfJax()), "('a', OfJax)"),
    "an array": (ValueError(np.arange(3)), "int64[3]"),
    "nothing": (ValueError(), ""),
    "a text with methods": (ValueError(Text("abc")), "abc"),
}


@pytest.mark.parametrize("case", MESSAGES)
def test_the_message_of_an_exception(case: str) -> None:
    error, text = MESSAGES[case]
    assert message_of(error) == text


def test_a_long_static_costs_a_watch_nothing() -> None:
    step, text = static_step(), "xY3" * 2_000_000
    step(jnp.ones(2), text)
    with jaxviz.watch() as log:
        start = perf_counter()
        step(jnp.ones(3), text)
        seconds = perf_counter() - start
    assert seconds < 2
    assert [event.reason[0].kind for event in log.events if event.again] == []


class Hashed:
    """An object that says for itself what is equal to it."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __hash__(self) -> int:
        return hash(self.held.tobytes())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hashed) and self.held.tobytes() == other.held.tobytes()


@pytest.mark.usefixtures("session")
def test_an_object_that_hashes_its_array() -> None:
    step = static_step()
    with jaxviz.watch() as log:
        step(jnp.ones(3), Hashed(np.arange(3)))
        step(jnp.ones(4), Hashed(np.arange(3)))
        step(jnp.ones(4), Hashed(np.arange(1, 4)))
    reasons = [event.reason for event in log.events if event.again]
    assert [[(one.kind, one.where) for one in reason] for reason in reasons] == [
        [("shape", "x")],
        [("static", "n")],
    ]


def test_credentials_in_an_address_are_a_secret() -> None:
    for text in ("https://me:pass@host/x", "postgres://u:p@db", "s3://key:a@b", "redis://:pw@host"):
        assert shown(text) == f"str of {len(text)} characters"
        assert named_static("url", text).text == f"str of {len(text)} characters"
    for text in (
        "https://host/x:y@z",
        "me@host.org",
        "a:b@c",
        "https://host:80/a",
        "ssh://git@host",
    ):
        assert shown(text) == repr(text)


def without_lines(fun: Any) -> Any:
    fun.__code__ = fun.__code__.replace(co_linetable=b"")
    return fun


@pytest.mark.usefixtures("session")
def test_a_function_without_a_table_of_lines() -> None:
    fun = without_lines(lambda x: jnp.sin(x) * 2)
    assert "sin" in str(jaxviz.inspect(fun)(1.0))
    assert "sin" in jaxviz.inspect(fun)(1.0).stage("hlo").text
    assert str(jaxviz.steps(fun)(1.0))
    assert str(jaxviz.timeit(fun, seconds=0)(1.0))
    assert not jaxviz.find_nan(fun)(1.0)
    step = jax.jit(fun)
    with jaxviz.watch() as log:
        step(jnp.ones(2))
        step(jnp.ones(3))
    assert [len(event.reason) for event in log.events if event.again] == [1]
    assert str(log)


def test_the_error_of_a_function_without_a_table_of_lines(shell: InteractiveShell) -> None:
    fun = without_lines(lambda x: x if x > 0 else -x)
    with pytest.raises(jaxviz.CaptureError, match="cannot be traced"):
        jaxviz.inspect(fun)(1.0)
    shell.user_ns["fun"] = fun
    plain = Run(shell, "jax.jit(fun)(1.0)").result.error_in_exec
    watched = Run(shell, "%jaxviz on\njax.jit(fun)(1.0)").result.error_in_exec
    Run(shell, "%jaxviz off")
    assert type(watched) is type(plain)
    assert str(watched) == str(plain)


assert sys.get_int_max_str_digits() < 5_000
