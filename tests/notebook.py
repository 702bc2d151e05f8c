"""A real kernel that a test talks to as JupyterLab does: cells have ids, and comms are open."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty
from typing import Any, Literal
from uuid import uuid4

import msgspec
import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient
from nbformat import NotebookNode
from patience import Patience

from jaxviz import schema
from jaxviz.display import decode

Message = dict[str, Any]
OUTPUTS = ("stream", "display_data", "update_display_data", "execute_result", "error")


class Kernel:
    """A kernel that runs cells as JupyterLab sends them, with their ids."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client
        self.process: int = manager.provisioner.pid  # pyright: ignore
        self.subshell: str | None = None

    def run(self, cell: str, code: str, deleted: Iterable[str] = ()) -> list[Message]:
        """The contents of the cell's outputs. `deleted` are the cells deleted before it runs."""
        request = self.begin(cell, code, deleted)
        return [m["content"] for m in self.until_idle(request) if m["msg_type"] in OUTPUTS]

    def begin(self, cell: str, code: str, deleted: Iterable[str] = ()) -> str:
        """The id of the request, which runs from now on."""
        content = {"code": code, "silent": False, "store_history": True, "stop_on_error": False}
        return self.send("execute_request", content, {"cellId": cell, "deletedCells": [*deleted]})

    def until_idle(self, request: str) -> Iterator[Message]:
        """The kernel's messages in answer to a request."""
        for message in self.messages():
            if message["parent_header"].get("msg_id") == request:
                yield message
                if message["content"].get("execution_state") == "idle":
                    return

    def messages(self) -> Iterator[Message]:
        while True:
            yield self.heard_on(self.client.get_iopub_msg)

    def heard_on(self, get_message: Callable[..., Message]) -> Message:
        """The next message of a channel, for which the kernel has as long as it works."""
        patience = Patience([self.process])
        while True:
            try:
                return get_message(timeout=1)
            except Empty:
                patience.check()

    def send(self, kind: str, content: Message, metadata: Message | None = None) -> str:
        message = self.client.session.msg(kind, content, metadata=metadata)
        message["header"]["subshell_id"] = self.subshell
        self.client.shell_channel.send(message)
        return message["msg_id"]

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Meanwhile all is sent over a subshell, as JupyterLab sends what comms say: it is heard
        while a cell runs."""
        self.subshell = self.control("create_subshell_request", {})["subshell_id"]
        try:
            yield
        finally:
            self.subshell = None

    def control(self, kind: str, content: Message) -> Message:
        """The kernel's answer on the control channel, which it reads at any time."""
        self.client.control_channel.send(self.client.session.msg(kind, content))
        return self.heard_on(self.client.get_control_msg)["content"]

    def comms(self, target: str) -> list[str]:
        """The ids of the comms to a target, as the page finds out before it opens one."""
        request = self.send("comm_info_request", {"target_name": target})
        while True:
            reply = self.heard_on(self.client.get_shell_msg)
            if reply["parent_header"].get("msg_id") == request:
                return [*reply["content"]["comms"]]


class Comm:
    """The comm of one view."""

    def __init__(self, kernel: Kernel, data: Any) -> None:
        self.kernel = kernel
        self.id = uuid4().hex
        content = {"comm_id": self.id, "target_name": "jaxviz", "data": data}
        kernel.send("comm_open", content)

    def send(self, data: Any) -> None:
        self.kernel.send("comm_msg", {"comm_id": self.id, "data": data})

    def close(self) -> None:
        self.kernel.send("comm_close", {"comm_id": self.id, "data": {}})

    def heard(self) -> Iterator[Message]:
        """The messages that come over it, and the end of it."""
        for message in self.kernel.messages():
            if message["content"].get("comm_id") == self.id:
                yield message
                if message["msg_type"] == "comm_close":
                    return

    def answer(self, ask: int) -> tuple[Message, schema.Stage | None]:
        """The last message to a question, with the stage that came with it."""
        told, program = self.whole_answer(ask)
        return told, program and program.stages[0]

    def whole_answer(self, ask: int) -> tuple[Message, schema.Program | None]:
        """The last message to a question, with the program that came with it."""
        told, buffer = self.last(ask)
        return told, decode(buffer) if buffer else None

    def error(self, ask: int) -> str:
        """The sentence that answers a question in place of what was asked for."""
        return self.last(ask)[0]["error"]["text"]

    def last(self, ask: int) -> tuple[Message, bytes]:
        """The last message to a question, with the bytes that came with it."""
        for message in self.heard():
            data = message["content"]["data"]
            if data.get("ask") == ask and "doing" not in data:
                [*buffers] = message["buffers"]
                return data, bytes(buffers[0]) if buffers else b""
        raise AssertionError("the comm was closed")


@contextmanager
def started(setup: str = "") -> Iterator[Kernel]:
    """A kernel that has run `setup`, which says nothing."""
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    client = manager.blocking_client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=None)  # as long as the kernel lives
        kernel = Kernel(manager, client)
        assert not setup or kernel.run("setup", setup) == []
        yield kernel
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def kernel_fixture(setup: str = "", scope: Literal["function", "module"] = "module") -> Any:
    """A fixture that is such a kernel: one for each test, or for those of a module."""

    @pytest.fixture(scope=scope)
    def kernel() -> Iterator[Kernel]:
        with started(setup) as kernel:
            yield kernel

    return kernel


class Executor(NotebookClient):
    """Executes a notebook. A cell, and what a kernel says at its end, has as long as the kernel
    works."""

    startup_timeout = None
    iopub_timeout = None

    def __init__(self, book: NotebookNode, **how: Any) -> None:
        super().__init__(book, timeout=5, **how)
        self._waits: tuple[NotebookNode | None, Patience] | None = None

    async def _async_handle_timeout(self, timeout: int, cell: NotebookNode | None = None) -> None:
        """Called after each 5 seconds in which a cell does not end."""
        if self._waits is None or self._waits[0] is not cell:
            self._waits = cell, Patience([self.km.provisioner.pid], limit=120)  # pyright: ignore
        self._waits[1].check()


def view_of(kernel: Kernel, shown: Message | str) -> Comm:
    """A view of what a kernel shows: an output of a cell, or the key in one."""
    if not isinstance(shown, str):
        displays = (shown["data"].get(mime) for mime in (schema.MIME, schema.LOG_MIME))
        shown = next(display["key"] for display in displays if display)
    return Comm(kernel, {"version": schema.VERSION, "key": shown})


def page(messages: Iterable[Message]) -> list[Message]:
    """The outputs of a cell as a page holds them in the end, after all that the kernel said."""
    outputs: list[Message] = []
    clear = False
    for message in messages:
        kind, content = message["msg_type"], message["content"]
        display = content.get("transient", {}).get("display_id")
        if kind == "clear_output":
            clear = content["wait"]
            outputs = outputs if clear else []
        elif kind == "update_display_data":
            shown = [one.get("transient", {}).get("display_id") == display for one in outputs]
            outputs = [content if same else one for one, same in zip(outputs, shown, strict=True)]
        elif kind in OUTPUTS:
            outputs = [] if clear else outputs
            clear = False
            if kind == "stream" and outputs and outputs[-1].get("name") == content["name"]:
                content = {**content, "text": outputs.pop()["text"] + content["text"]}
            outputs.append(content)
    return outputs


def log_of(output: Message) -> schema.Log | None:
    """The log that an output holds."""
    display = output.get("data", {}).get(schema.LOG_MIME)
    if display is None:
        return None
    assert display["version"] == schema.VERSION
    return msgspec.json.decode(zlib.decompress(b64decode(display["log"])), type=schema.Log)


def program_of(display: Message) -> schema.Program:
    """The program that an output holds."""
    assert display["version"] == schema.VERSION
    return decode(b64decode(display["program"]))
