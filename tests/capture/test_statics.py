"""One rule decides the text of a static value. Nothing else of the value is kept."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import zlib
from base64 import b64decode
from collections import namedtuple
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import jaxviz
from jaxviz import schema
from jaxviz.capture.calls.statics import static_of
from jaxviz.capture.shown.shown_values import shown
from jaxviz.capture.shown.strings import looks_secret, names_secret
from jaxviz.display.bundle import log_bundle

SECRET = "sk-proj-4fJ8s0QmZ1xT7vLk2RwB"
OTHER = "sk-proj-9hY3p5WnC6uD1aEj8GqM"


class Mode(enum.Enum):
    TRAIN = SECRET
    EVAL = OTHER


@dataclasses.dataclass(frozen=True)
class Config:
    lr: float = 0.1
    key: str = SECRET


class Printing:
    """An object that tells its secret to whoever asks."""

    def __init__(self, secret: str) -> None:
        self.secret = secret

    def __repr__(self) -> str:
        return self.secret

    __str__ = __repr__

    @property
    def __name__(self) -> str:
        return self.secret

    def __getattr__(self, attribute: str) -> Any:
        raise AssertionError(f"the user's code ran for {attribute}")


class Frozen(dict[str, Any]):
    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return 1

    def __repr__(self) -> str:
        return SECRET


PRINTING = Printing(SECRET)
LENGTH = f"str of {len(SECRET)} characters"
Point = namedtuple("Point", "x y")


def called(x: Any, token: str) -> Any:
    return x


SHOWN = [
    (1, "1"),
    (0.5, "0.5"),
    (True, "True"),
    (None, "None"),
    (1j, "1j"),
    ("train", "'train'"),
    ("NHWC", "'NHWC'"),
    ("mobilenet_v3_large_100", "'mobilenet_v3_large_100'"),
    ("a" * 32, repr("a" * 32)),
    ("a" * 33, "str of 33 characters"),
    (SECRET, LENGTH),
    ("eyJhbGciOi.eyJzdWI", "str of 18 characters"),
    ("AKIAIOSFODNN7EXAMPLE", "str of 20 characters"),
    ("d41d8cd98f00b204e980", "str of 20 characters"),
    (b"abc", "bytes of 3"),
    (10**40, "int of 41 digits"),
    ((28, 28), "(28, 28)"),
    (("train", 2), "('train', 2)"),
    (tuple(range(40)), "tuple of 40"),
    ((SECRET,), f"(str of {len(SECRET)} characters,)"),
    (Mode.TRAIN, "TRAIN"),
    (called, "called"),
    (Config, "Config"),
    (jnp.float32, "float32"),
    (np.dtype("int8"), "int8"),
    (np.float32(0.5), "0.5"),
    (np.ones((2, 3)), "float64[2,3]"),
    (jax.nn.relu, "relu"),
    (jnp.tanh, "tanh"),
    (functools.partial(called, token=SECRET), "called"),
    (Config(), "Config"),
    (Printing(SECRET), "Printing"),
    (Printing(SECRET).__repr__, "__repr__"),
    (Frozen(key=SECRET), "Frozen"),
    (Point(1, 2), "Point"),
    ({"a": 1}, "{'a': 1}"),
    ({"key": "a"}, "{'key': str of 1 characters}"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN, ids=[text for _, text in SHOWN])
def test_what_is_shown(value: Any, text: str) -> None:
    assert shown(value) == text


def test_names_of_secrets() -> None:
    for found in ("key", "api_key", "apiKey", "HF_TOKEN", "password", "client_secret"):
        assert names_secret(found)
    for other in ("monkey", "keyed", "tokenizer", "lr", "passes"):
        assert not names_secret(other)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz_", max_size=32))
def test_small_words_are_no_keys(text: str) -> None:
    prefixes = ("hf_", "gh", "npm_", "sk_", "pk_", "rk_")
    assert not looks_secret(text) or any(prefix in text for prefix in prefixes)


def fields(value: Any) -> dict[str, str]:
    return {field.path: field.text for field in static_of(value).fields}


def test_fields() -> None:
    assert fields(Config()) == {".lr": "0.1", ".key": LENGTH}
    assert fields(Point(1, (2, 3))) == {".x": "1", ".y": "(2, 3)", ".y[0]": "2", ".y[1]": "3"}
    assert fields(Frozen(lr=1, key="short")) == {"['lr']": "1", "['key']": "str of 5 characters"}
    assert fields(functools.partial(called, token=SECRET)) == {
        ".func": "called",
        ".keywords['token']": LENGTH,
    }
    assert fields(SimpleNamespace(inner=Config(2.0))) == {
        ".inner": "Config",
        ".inner.lr": "2.0",
        ".inner.key": LENGTH,
    }
    assert fields("train") == fields(3) == fields(called) == fields(Mode.TRAIN) == {}


def test_an_object_that_holds_itself() -> None:
    loop = SimpleNamespace()
    loop.loop = loop
    assert fields(loop) == {".loop": "SimpleNamespace"}


CHANGED: dict[str, tuple[Any, Any, list[tuple[str, str, str]]]] = {
    "a field": (Config(0.1), Config(0.2), [("n.lr", "0.1", "0.2")]),
    "a secret field": (Config(), Config(key=OTHER), [("n.key", LENGTH, f"another {LENGTH}")]),
    "a secret": (SECRET, OTHER, [("n", LENGTH, f"another {LENGTH}")]),
    "an enum": (Mode.TRAIN, Mode.EVAL, [("n", "TRAIN", "EVAL")]),
    "an object": (
        Printing(SECRET),
        Printing(SECRET),
        [("n", "Printing", "another Printing, not equal to it")],
    ),
    "an object's field": (
        Printing(SECRET),
        Printing(OTHER),
        [("n.secret", LENGTH, f"another {LENGTH}")],
    ),
    "a dict's item": (Frozen(lr=1), Frozen(lr=2), [("n['lr']", "1", "2")]),
    "a dict's new item": (Frozen(lr=1), Frozen(lr=1, b=2), [("n['b']", "absent", "2")]),
    "a partial's keyword": (
        functools.partial(called, token=SECRET),
        functools.partial(called, token=OTHER),
        [("n.keywords['token']", LENGTH, f"another {LENGTH}")],
    ),
    "a function": (lambda: 1, lambda: 1, [("n", "function <lambda>", "another function <lambda>")]),
    "the type": (Config(), Point(1, 2), [("n", "Config", "Point")]),
    "an item of many": (tuple(range(40)), (0, 9, *range(2, 40)), [("n[1]", "1", "9")]),
}


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("name", CHANGED)
def test_what_changed_is_reported_and_no_secret_is_in_any_sink(name: str) -> None:
    before, after, reason = CHANGED[name]

    @functools.partial(jax.jit, static_argnames="n")
    def step(x, n):
        return x * 2

    with jaxviz.watch() as log:
        step(jnp.ones(3), n=before)
        step(jnp.ones(3), n=after)
    event = next(event for event in log.events if event.again)
    assert [(c.where, c.before, c.after) for c in event.reason] == reason
    assert {change.kind for change in event.reason} == {"static"}
    for sink in sinks_of(log):
        assert SECRET not in sink
        assert OTHER not in sink


def sinks_of(log: Any) -> list[str]:
    record = log.record()
    bundle = log_bundle(record, str(log), strip=False, key="k" * 32, last=True)
    packed = zlib.decompress(b64decode(bundle[schema.LOG_MIME]["log"])).decode()
    return [str(log), repr(log), json.dumps(log.records()), packed, json.dumps(bundle)]


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class State:
    x: Any
    mode: str = dataclasses.field(metadata={"static": True})
    key: str = dataclasses.field(metadata={"static": True})


@pytest.mark.usefixtures("session")
def test_what_a_pytree_holds_beside_arrays() -> None:
    step = jax.jit(lambda state: state.x * 2)
    with jaxviz.watch() as log:
        step(State(jnp.ones(3), "train", SECRET))
        step(State(jnp.ones(3), "eval", SECRET))
        step(State(jnp.ones(3), "eval", OTHER))
    reasons = [e.reason for e in log.events if e.again]
    assert [[(c.kind, c.where, c.before, c.after) for c in reason] for reason in reasons] == [
        [("static", "state.mode", "'train'", "'eval'")],
        [("static", "state.key", LENGTH, f"another {LENGTH}")],
    ]
    assert all(SECRET not in sink and OTHER not in sink for sink in sinks_of(log))


@jax.tree_util.register_pytree_node_class
class Held:
    """A pytree of the user's own, which holds a mode beside its array."""

    def __init__(self, x: Any, mode: str) -> None:
        self.x, self.mode = x, mode

    def tree_flatten(self) -> Any:
        return (self.x,), (self.mode,)

    @classmethod
    def tree_unflatten(cls, held: Any, children: Any) -> Held:
        return cls(*children, *held)


@pytest.mark.usefixtures("session")
def test_what_a_pytree_holds_is_no_argument_that_became_static() -> None:
    step = jax.jit(lambda state: state.x * 2)
    with jaxviz.watch() as log:
        step(Held(jnp.ones(3), "train"))
        step(Held(jnp.ones(4), "train"))
        step(Held(jnp.ones(4), "eval"))
    reasons = [event.reason for event in log.events if event.again]
    assert [[(c.kind, c.where, c.before, c.after) for c in reason] for reason in reasons] == [
        [("shape", "state[<flat index 0>]", "f32[3]", "f32[4]")],
        [("static", "state[0]", "'train'", "'eval'")],
    ]
