"""Runs cells that are watched in a real kernel, and reads what a page would show of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from notebook import Kernel, Message, log_of, page

from jaxviz import schema

SETUP = """
%load_ext jaxviz
import sys, threading
from unittest import mock
import jax, jax.numpy as jnp
from IPython.display import clear_output, display
x3, x4, x5, x6, x7 = (jnp.ones(n) for n in (3, 4, 5, 6, 7))
@jax.jit
def step(x):
    return jnp.sin(x) * 2
import jaxviz
with jaxviz.watch(): step(x3)
ran = []
"""
"""After it, `step` was traced while somebody watched."""
numbers = count()
DISPLAYS = ("display_data", "update_display_data")


def logs(messages: list[Message]) -> list[schema.Log]:
    """The logs in these messages, in order."""
    found = [log_of(message["content"]) for message in messages if message["msg_type"] in DISPLAYS]
    return [log for log in found if log is not None]


def ran(kernel: Kernel, code: str) -> list[Message]:
    """Runs a new cell, and returns the kernel's messages."""
    return [*kernel.until_idle(kernel.begin(f"cell-{next(numbers)}", code))]


def until_printed(messages: Iterator[Message], text: str) -> list[Message]:
    """Messages until all of `text` is printed: a `print` may arrive in parts."""
    heard: list[Message] = []
    while "".join(one["content"].get("text", "") for one in heard) != text:
        heard.append(next(messages))
    return heard


def seen(kernel: Kernel, code: str) -> tuple[schema.Log | None, list[str]]:
    """The last log that the page shows, and a word on each output, in their order."""
    outputs = page(ran(kernel, code))
    found = [log for log in map(log_of, outputs) if log is not None]
    assert len(found) <= 1
    return found[0] if found else None, [word(output) for output in outputs]


def word(output: Message) -> str:
    if log_of(output):
        return "log"
    return output.get("text") or output.get("ename") or output["data"]["text/plain"]
