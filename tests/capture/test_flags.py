"""A setting of JAX's whose change makes it trace again is named as the reason of the retrace."""

from __future__ import annotations

import subprocess
import sys

CHANGED = """
import jax
from jaxviz.capture.events.describe import _FLAGS

runs = 0

def body(x):
    global runs
    runs += 1
    return x

jitted = jax.jit(body)
jitted.trace(1.0)
again = set()
for flag, value in jax.config.values.items():
    if not isinstance(value, bool):
        continue
    before = runs
    try:
        jax.config.update(flag, not value)
        jitted.trace(1.0)
    except Exception:
        continue
    finally:
        jax.config.update(flag, value)
    if runs > before:
        again.add(flag)
    jitted.trace(1.0)
print(len(again) > 5, sorted(again - {*_FLAGS}))
"""


def test_all_switches_that_make_jax_trace_again_are_known() -> None:
    command = [sys.executable, "-W", "ignore", "-c", CHANGED]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines()[-1] == "True []"
