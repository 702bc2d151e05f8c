"""A secret that a static value holds is in no saved program, and in no message."""

from __future__ import annotations

import functools
import json
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import pytest
from test_statics import PRINTING, SECRET, Printing, State, called

import jaxviz


def hidden() -> str:
    """Not written in a function that is shown: its source is part of what is saved."""
    return SECRET


def secret_config() -> Any:
    return functools.partial(called, token=hidden())


def bound() -> Any:
    return Printing(hidden()).__repr__


def program_with_secrets(x: Any) -> Any:
    shape = jax.ShapeDtypeStruct((), jnp.float32)
    y = jax.pure_callback(secret_config(), shape, x)
    jax.debug.callback(bound(), x)
    jax.debug.print("{} {}", x, hidden())
    return State(
        jax.pure_callback(lambda s: s.x, shape, State(y, "train", hidden())), "a", hidden()
    )


def test_no_secret_is_in_a_program(tmp_path: Any) -> None:
    program = jaxviz.inspect(program_with_secrets)(1.0)
    for stage in ("jaxpr", "stablehlo", "hlo"):
        assert program.stage(stage) is not None
    program.save(tmp_path / "p.json")
    program.save(tmp_path / "p.html")
    program.save(tmp_path / "p.svg")
    sinks = [path.read_text() for path in tmp_path.iterdir()]
    sinks += [repr(program), json.dumps(program._repr_mimebundle_())]
    sinks.append(msgspec.json.encode(program.record).decode())
    assert all(SECRET not in sink for sink in sinks)
    assert "callback_func=called" in program.stage("jaxpr").text


def test_no_secret_is_in_a_refusal() -> None:
    def takes(x, token=SECRET, config=PRINTING, n=(1, 2)):
        return x

    with pytest.raises(jaxviz.CaptureError) as caught:
        jaxviz.inspect(takes)()
    assert str(caught.value).startswith(
        "the call does not fit takes(x, token=str of 28 characters, config=Printing, n=(1, 2))"
    )
    with pytest.raises(jaxviz.CaptureError) as caught:
        jaxviz.inspect(takes, static_argnames="token")(1.0, token=[SECRET])
    told = "\n".join(caught.value._render_traceback_())
    assert SECRET not in told
