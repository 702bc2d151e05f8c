"""`%jaxviz loss(params, x)`: the call is captured, not run, and its program displayed."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from IPython.core.interactiveshell import InteractiveShell

from jaxviz.magics.cells import Cells
from jaxviz.magics.completion import completions
from jaxviz.magics.magic import JaxvizMagics


class Extension:
    """What loading adds to a shell, and unloading takes out."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell
        shell.register_magics(JaxvizMagics)
        self.matcher = completions(shell)
        self.cells = Cells(shell)
        shell.Completer.custom_matchers.append(self.matcher)
        shell.events.register("pre_run_cell", self.cells.before)
        self.cells.note_running()

    def remove(self) -> None:
        self.shell.events.unregister("pre_run_cell", self.cells.before)
        self.shell.Completer.custom_matchers.remove(self.matcher)
        manager = self.shell.magics_manager
        manager.magics["line"].pop("jaxviz", None)
        manager.registry.pop("JaxvizMagics", None)


_extensions: WeakKeyDictionary[InteractiveShell, Extension] = WeakKeyDictionary()


def load_ipython_extension(shell: InteractiveShell) -> None:
    """`%load_ext jaxviz`. Loading twice is harmless."""
    if shell not in _extensions:
        _extensions[shell] = Extension(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """`%unload_ext jaxviz`."""
    extension = _extensions.pop(shell, None)
    if extension is not None:
        extension.remove()
