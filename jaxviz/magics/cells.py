"""Notes each cell that runs, so that the source lines of a captured program can name their cell."""

from __future__ import annotations

from typing import Any

from IPython.core.interactiveshell import ExecutionInfo, InteractiveShell

from jaxviz.capture.source import note_cell
from jaxviz.display.running_cell import stored


class Cells:
    """Notes the cells that a shell runs."""

    def __init__(self, shell: InteractiveShell) -> None:
        self.shell = shell

    def before(self, info: ExecutionInfo) -> None:
        """Notes the cell that begins. The hook never raises, so the cell is not affected."""
        try:
            cell = getattr(info, "cell_id", None) or self.parent().get("metadata", {}).get("cellId")
            count = stored(self.shell) + 1 if info.store_history else None
            self.note(info.raw_cell or "", cell, count, getattr(info, "transformed_cell", None))
        except Exception:
            return

    def note_running(self) -> None:
        """Notes the cell that loads the extension, for which the hook comes too late."""
        try:
            parent = self.parent()
            if code := parent.get("content", {}).get("code"):
                self.note(code, parent["metadata"].get("cellId"), stored(self.shell))
        except Exception:
            return

    def parent(self) -> dict[str, Any]:
        """The request that the kernel is answering; empty where there is no kernel."""
        kernel = getattr(self.shell, "kernel", None)
        return kernel.get_parent() if kernel is not None else {}

    def note(
        self, raw: str, cell: str | None, count: int | None, transformed: str | None = None
    ) -> None:
        """Notes a cell under the file name that IPython compiles it with. `transformed` is the cell
        as IPython runs it, where known, so that the user's own input transformers run only
        once."""
        shell = self.shell
        number = shell.execution_count if count is None else count
        file = shell.compile.get_code_name(raw, transformed or shell.transform_cell(raw), number)
        note_cell(file, raw, cell, count)
