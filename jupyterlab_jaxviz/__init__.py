"""The parts of jaxviz without JAX: the page's texts, which Jupyter's server imports, and the
entrance `%load_ext jupyterlab_jaxviz`.

PyPI's `jaxviz` is another project, which installs the same folder `jaxviz`. This folder is ours
alone, so it can report that the other one was overwritten.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

REPAIR = (
    "run `pip uninstall jaxviz`, then `pip install --force-reinstall --no-deps .` in the clone of "
    "jupyterlab-jaxviz, and restart the kernel."
)


def load_ipython_extension(shell: Any) -> None:
    """Load the extension `jaxviz`. Raises UsageError if another project overwrote it."""
    _ours().load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Unload the extension `jaxviz`."""
    _ours().unload_ipython_extension(shell)


def _ours() -> Any:
    spec = find_spec("jaxviz")
    if spec is None or spec.origin is None or not _is_ours(Path(spec.origin)):
        from IPython.core.error import UsageError

        raise UsageError(f"another project named jaxviz has overwritten this one: {REPAIR}")
    import jaxviz

    return jaxviz


def _is_ours(file: Path) -> bool:
    return "jaxviz.magics" in file.read_text("utf-8", "replace")
