"""Takes the comms that pages of JupyterLab and Notebook open to this kernel, one for each view."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import comm
from IPython.core.getipython import get_ipython

from jaxviz.display import panel
from jaxviz.display.known import PROCESS
from jaxviz.display.page_requests import PageRequests
from jaxviz.display.running_cell import is_page
from jaxviz.schema import VERSION, release

TARGET = "jaxviz"
"""The target name of the comms, the same as on the page."""


def listen() -> None:
    """Lets pages open comms. Calling it twice is harmless. Raises where there is no kernel.

    A kernel prints an error when a page opens a comm whose target it does not know, so a page first
    looks among the kernel's comms. For this there is one comm that nobody talks to: its presence
    says that the kernel listens. Pages without our extension get a loader.
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
    """Handles a comm that a page has opened; the data that comes with it says what for.

    A view sends `{version, key}`, the format that it reads and the key of what it shows. A panel
    sends `{version, panel: true}`, a loader `{script: process}`. A newer page reads this kernel's
    format, too. With an older one the comm is closed, saying which format the kernel writes.

    The page's first question may come with that data. A separate message might overtake the opening
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
    """The view's script and its styles, which the loader requests."""
    from jaxviz.display.widget import built

    return [built("widget.js").encode(), built("widget.css").encode()]


def subshell_of(message: dict[str, Any]) -> Callable[[], bool]:
    """A function that says whether the subshell that a message came over is still there.

    While a cell runs, a page talks over a subshell. When the page is closed, there is no time for
    it to say more than that the subshell ends. Where this is not known, the answer is yes."""
    name = message.get("header", {}).get("subshell_id")
    shell: Any = get_ipython()
    thread = getattr(getattr(shell, "kernel", None), "shell_channel_thread", None)
    if name is None or thread is None:
        return lambda: True
    return lambda: name in thread.manager.list_subshell()
