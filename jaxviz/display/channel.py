"""Accepts the comms that pages of JupyterLab and Notebook open to this kernel, one for each
view."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import comm
from IPython.core.getipython import get_ipython

from jaxviz.display import panel
from jaxviz.display.outputs import PROCESS
from jaxviz.display.page_requests import PageRequests
from jaxviz.display.running_cell import is_page
from jaxviz.schema import VERSION, release

TARGET = "jaxviz"
"""The target name of the comms, the same as on the page."""


def listen() -> None:
    """Lets pages open comms. Calling it twice is harmless. Raises if there is no kernel.

    A kernel prints an error if a page opens a comm with an unknown target. So a page first lists
    the kernel's comms. One comm without messages is in this list, and shows that the kernel
    listens. Pages without our extension get a loader.
    """
    manager = comm.get_comm_manager()
    if TARGET in manager.targets:
        return
    panel.begin()
    manager.register_target(TARGET, opened)
    manager.register_comm(comm.create_comm(target_name=TARGET, comm_id=TARGET, primary=False))
    with suppress(Exception):
        if is_page():
            from jaxviz.display.widget import Loader

            Loader()


def opened(channel: Any, message: dict[str, Any]) -> None:
    """Handles a comm that a page has opened. The message's data is its purpose.

    A view sends `{version, key}`: the format that it reads, and the key of the output. A panel
    sends `{version, panel: true}`, a loader `{script: process}`. A newer page reads this kernel's
    format, too. If the page is older, the kernel closes the comm and names the format it writes.

    The page's first question may be in the same data. A separate message might overtake the opening
    of the comm, and ipykernel would then print that there is no such comm."""

    def send(content: dict[str, Any], buffers: list[bytes]) -> None:
        channel.send(content, buffers=buffers)

    data = message["content"].get("data")
    match data:
        case {"script": str(process)} if process == PROCESS:
            send({}, script())
            return
        case {"version": int(version), "key": str(key)} if version >= VERSION:
            requests = PageRequests(key, send)
        case {"version": int(version), "panel": True} if version >= VERSION:
            requests = panel.PanelRequests(send, subshell_of(message))
        case _:
            channel.close({"version": VERSION, "jaxviz": release()})
            return
    channel.on_msg(lambda sent: requests.receive(sent["content"].get("data")))
    channel.on_close(lambda _: requests.close())
    requests.receive(data)


def script() -> list[bytes]:
    from jaxviz.display.widget import built

    return [built("widget.js").encode(), built("widget.css").encode()]


def subshell_of(message: dict[str, Any]) -> Callable[[], bool]:
    """A function that returns True while the subshell of a message exists, or if that is not known.

    While a cell runs, a page sends its messages over a subshell. A page that is closed has only
    time to end its subshell."""
    name = message.get("header", {}).get("subshell_id")
    shell: Any = get_ipython()
    thread = getattr(getattr(shell, "kernel", None), "shell_channel_thread", None)
    if name is None or thread is None:
        return lambda: True
    return lambda: name in thread.manager.list_subshell()
