"""The shells beside a kernel's main one, over which pages talk while a cell runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from IPython.core.getipython import get_ipython


def subshell_of(message: dict[str, Any]) -> Callable[[], bool]:
    """Whether the shell that a message came over is still there: a page that is left ends its own,
    and has no time to say more. Where that cannot be known, it is."""
    name = message.get("header", {}).get("subshell_id")
    shell: Any = get_ipython()
    thread = getattr(getattr(shell, "kernel", None), "shell_channel_thread", None)
    if name is None or thread is None:
        return lambda: True
    return lambda: name in thread.manager.list_subshell()
