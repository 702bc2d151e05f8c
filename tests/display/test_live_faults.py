"""Faults of ours while a cell runs change nothing in the user's cell."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from cells import SETUP, ran, word
from golden_jax import part
from notebook import Kernel, kernel_fixture, log_of, page

kernel = kernel_fixture(SETUP)


FAULTS = {
    "the log": "'jaxviz.magics.watching.Log'",
    "the session": "'jaxviz.magics.watching.session.open'",
    "the display": "'jaxviz.magics.watching.LiveLog'",
    "the place": "'jaxviz.display.live_log.CellDisplay'",
    "the bundle": "'jaxviz.display.live_log.log_bundle'",
    "the key": "'jaxviz.display.bundle.keep'",
    "the thread": "'jaxviz.display.live_log.Thread.start'",
    "the message": "'jaxviz.display.live_log.CellDisplay.put'",
    "the hook": "'jaxviz.display.live_log.CellDisplay._note'",
    "the hooks": "'ipykernel.zmqshell.ZMQDisplayPublisher.register_hook'",
    "the publisher": "'ipykernel.zmqshell.ZMQDisplayPublisher.publish'",
    "the widget": "'jaxviz.display.bundle.log_widget_view'",
    "the programs": "'jaxviz.session.Log.settle'",
    "the end": "'jaxviz.magics.watching.LiveLog.end'",
    "the record": "'jaxviz.session.Log.record'",
    "the summary": "'jaxviz.session.Log.summary'",
}
MINE = """
import warnings
print('one', step(x6).shape); warnings.warn('mine')
step(jnp.ones(len(ran) + 20)); ran.append(1); print('two')
"""


@pytest.mark.parametrize("fault", part(FAULTS, of=4))
def test_what_fails_of_ours_changes_nothing_of_the_users(kernel: Kernel, fault: str) -> None:
    for last in ("7", "boom"):
        plain = users(kernel, f"#\n{MINE}{last}")
        kernel.run("fault", f"fault = mock.patch({FAULTS[fault]}, side_effect=Exception('ours'))")
        try:
            for switch, head in (("off", "%%jaxviz"), ("on", "#"), ("on", LIMITED)):
                kernel.run("switch", f"fault.start()\n%jaxviz {switch}")
                found = users(kernel, f"{head}\n{MINE}{last}")
                kernel.run("switch", "fault.stop()")
                assert found.stderr == plain.stderr
                assert found.stdout.startswith(plain.stdout)
                assert OURS.fullmatch(found.stdout.removeprefix(plain.stdout)), found.stdout
                limited = head == LIMITED and found.others[-1] == "RetraceError"
                assert found.others == [*plain.others, *(["RetraceError"] if limited else [])]
        finally:
            kernel.run("switch", "mock.patch.stopall()\n%jaxviz off")


LIMITED = "%%jaxviz --max-retraces 0"
OURS = re.compile(r"(?:\d+ traces?, .*)?", re.DOTALL)
"""Where no page shows the log, it is printed."""


class Users(NamedTuple):
    """The user's own outputs of a cell."""

    stdout: str
    stderr: str
    others: list[str]


def users(kernel: Kernel, code: str) -> Users:
    outputs = [output for output in page(ran(kernel, code)) if not log_of(output)]
    text = {"stdout": "", "stderr": ""}
    for output in outputs:
        if "name" in output:
            text[output["name"]] += re.sub(r"\S*/ipykernel_\d+/\d+", "cell", output["text"])
    return Users(**text, others=[word(output) for output in outputs if "name" not in output])
