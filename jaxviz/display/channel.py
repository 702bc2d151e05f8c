"""How pages of JupyterLab and Notebook reach this kernel: a comm for each view, opened there."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import comm

from jaxviz.display import panel
from jaxviz.display.asked import Asked
from jaxviz.display.hosts import is_page
from jaxviz.display.known import PROCESS
from jaxviz.display.subshell import subshell_of
from jaxviz.schema import VERSION, release

TARGET = "jaxviz"


def listen() -> None:
    """Lets pages open comms; doing so twice is harmless. Raises where there is no kernel.

    A page looks among the kernel's comms before it opens one, because a target that is not
    known prints an error. So there is one that nobody talks to: it says that we listen. Pages
    without our extension hear of a loader.
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
    """A page opens a comm with `{version, key}`: the format it reads, and the program's key; a
    panel with `{version, panel: true}`. A newer page reads this format too; an older one is told
    who writes which. A loader opens one with `{script: process}`. What a page asks first may come
    with that: a message which follows at once may overtake the handling of this one, and ipykernel
    then prints that there is no such comm."""

    def send(content: dict[str, Any], buffers: list[bytes]) -> None:
        channel.send(content, buffers=buffers)

    data = message["content"].get("data")
    match data:
        case {"script": str(process)} if process == PROCESS:
            send({}, script())
            return
        case {"version": int(version), "key": str(key)} if version >= VERSION:
            asked = Asked(key, send)
        case {"version": int(version), "panel": True} if version >= VERSION:
            asked = panel.PanelAsked(send, subshell_of(message))
        case _:
            channel.close({"version": VERSION, "jaxviz": release()})
            return
    channel.on_msg(lambda sent: asked.receive(sent["content"].get("data")))
    channel.on_close(lambda _: asked.close())
    asked.receive(data)


def script() -> list[bytes]:
    """What the loader fetches: the view's script and its style."""
    from jaxviz.display.widget import built

    return [built("widget.js").encode(), built("widget.css").encode()]
