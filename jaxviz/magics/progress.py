"""The line that says what a long compilation is doing."""

from __future__ import annotations

import sys
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.display import display

from jaxviz.display.running_cell import takes_updates


class Progress:
    """One line that says what a long compilation is doing, and for how long.

    It is renewed about twice a second; in the end the result takes its place.
    In a notebook it is an output, in a terminal the current line; elsewhere nothing is shown, nor
    where an output cannot be renewed.
    """

    def __init__(self, shell: InteractiveShell) -> None:
        self._kernel = getattr(shell, "kernel", None) is not None
        self._renewed = self._kernel and takes_updates()
        self._terminal = not self._kernel and sys.stderr.isatty()
        self._output: Any = None
        self._told = ""

    def tell(self, doing: str, seconds: float) -> None:
        """Show what is being done, and for how many seconds so far."""
        told = f"jaxviz: {doing}, {seconds:.0f} s"
        if told == self._told:
            return
        self._told = told
        if self._renewed:
            self._put({"text/plain": told})
        self._line(told)

    def show(self, bundle: dict[str, Any]) -> None:
        """Show a MIME bundle in place of the line."""
        self._line("")
        self._put(bundle)

    def end(self, how: str) -> None:
        """End without a result to show. If a line was shown, it now says how it ended."""
        self._line("")
        if self._output is not None:
            self._put({"text/plain": f"{self._told}: {how}."})

    def _put(self, bundle: dict[str, Any]) -> None:
        if self._output is None:
            self._output = display(bundle, raw=True, display_id=True)
        else:
            self._output.update(bundle, raw=True)

    def _line(self, text: str) -> None:
        if self._terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
