"""The magics `%jaxviz` and `%%jaxviz`, which `%load_ext jaxviz` adds to IPython.

`%jaxviz loss(params, x)` captures the call, runs nothing, and displays its program. `%%jaxviz` runs
a cell and shows what it traced and why; `%jaxviz on` does so for all cells. An object of JAX, such
as a `ClosedJaxpr`, draws itself as the last value of a cell.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from IPython.core.interactiveshell import InteractiveShell

from jaxviz.display.channel import listen
from jaxviz.magics.line import completions, first_statement
from jaxviz.magics.magic import JaxvizMagics
from jaxviz.magics.objects import JaxObjects
from jaxviz.magics.watching import Cells, Watching


class Extension:
    """Adds the magics, completions, hooks and formatters to a shell, and removes them."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        self.cells = Cells(shell)
        self.watching = Watching(shell)
        self.matcher = completions(shell)
        self.magics = JaxvizMagics(shell, self.watching)
        shell.register_magics(self.magics)
        self.objects = JaxObjects(shell, lambda: self.magics.draws_objects)
        shell.Completer.custom_matchers.append(self.matcher)
        shell.input_transformers_cleanup.append(first_statement)
        for event, hook in self._hooks():
            shell.events.register(event, hook)
        self.cells.note_running()

    def _hooks(self) -> list[tuple[str, Callable[..., None]]]:
        watching = self.watching
        return [
            ("pre_run_cell", self.cells.before),
            ("pre_run_cell", watching.before),
            ("post_run_cell", watching.after),
        ]

    def remove(self) -> None:
        """Remove them. Captures and outputs stay."""
        shell = self.shell
        self.watching.close()
        self.objects.remove()
        for event, hook in self._hooks():
            shell.events.unregister(event, hook)
        shell.input_transformers_cleanup.remove(first_statement)
        shell.Completer.custom_matchers.remove(self.matcher)
        manager = shell.magics_manager
        for kind in ("line", "cell"):
            manager.magics[kind].pop("jaxviz", None)
        manager.registry.pop("JaxvizMagics", None)
        configurables: list[Any] = shell.configurables
        configurables.remove(self.magics)


_extensions: WeakKeyDictionary[InteractiveShell, Extension] = WeakKeyDictionary()


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Add the magics to a shell, as `%load_ext jaxviz` does.

    In a notebook a `ClosedJaxpr`, `Traced`, `Lowered`, `Compiled` or `Exported` that is the last
    value of a cell is drawn from now on. `%config JaxvizMagics.draws_objects = False` and
    `%jaxviz off` end this. Loading twice is harmless.

    Parameters
    ----------
    shell : InteractiveShell
        Where cells run: `IPython.get_ipython()`.

    Examples
    --------
    In a notebook or an IPython shell::

        %load_ext jaxviz
        %jaxviz loss(params, x)
    """
    if shell not in _extensions:
        _extensions[shell] = Extension(shell)
        with suppress(Exception):  # without a kernel there are no pages
            listen()


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """Remove the magics from a shell, as `%unload_ext jaxviz` does.

    Parameters
    ----------
    shell : InteractiveShell
        Where `load_ipython_extension` added them; it is harmless elsewhere.

    Examples
    --------
    In a notebook or an IPython shell::

        %unload_ext jaxviz
    """
    extension = _extensions.pop(shell, None)
    if extension is not None:
        extension.remove()
