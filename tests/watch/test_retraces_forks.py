"""A process that is forked while its parent is watched goes on as it would without jaxviz."""

from __future__ import annotations

import os
import signal
import threading
import warnings

import jax
import pytest

import jaxviz
from jaxviz.session.session import session

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")


def forked(hits: bool) -> int:
    """The exit status of a child that traces and calls while a thread of the parent holds our
    lock."""
    double = jax.jit(lambda x: x * 2)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with session._lock:
            held.set()
            done.wait()

    with jaxviz.watch(hits=hits), warnings.catch_warnings(action="ignore"):
        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(30)
            double.trace(jax.ShapeDtypeStruct((3,), "float32"))
            with jaxviz.watch() as log:
                double.trace(jax.ShapeDtypeStruct((4,), "float32"))
            os._exit(0 if [event.kind for event in log.events] == ["trace"] else 1)
        done.set()
        thread.join()
        return os.waitpid(child, 0)[1]


@pytest.mark.parametrize("hits", [False, True])
def test_a_child_traces_and_watches(hits: bool) -> None:
    assert forked(hits) == 0
