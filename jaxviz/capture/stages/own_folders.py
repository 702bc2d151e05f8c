"""Folders for what JAX and XLA write for jaxviz and give in no other way. Nobody else may open
them, and they are gone once they are read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from tempfile import TemporaryDirectory

from jaxviz.safety.files import SENTENCE, none_left

ROOM = 1 << 20
"""With fewer bytes of room nothing is begun: JAX and XLA would fail in the middle."""


class NotWritableError(Exception):
    """Nothing, or no more, can be written to a folder. Its message is the whole sentence."""


def own_folder() -> TemporaryDirectory[str]:
    """An empty folder with some room. Raises NotWritableError."""
    if none_left():  # such a folder could not even be deleted again
        raise NotWritableError(f"jaxviz cannot open a folder for temporary files: {SENTENCE}")
    try:
        folder = TemporaryDirectory(prefix="jaxviz-")
    except OSError as error:
        raise _not_writable(error) from None
    try:
        check_room(folder.name)
    except BaseException:
        folder.cleanup()
        raise
    return folder


def check_room(folder: str) -> None:
    """Raises NotWritableError if there is no room left in a folder."""
    file = Path(folder, "room")
    try:
        file.write_bytes(bytes(ROOM))
    except OSError as error:
        raise _not_writable(error) from None
    finally:
        file.unlink(missing_ok=True)


def _not_writable(error: OSError) -> NotWritableError:
    at = f" {tempfile.tempdir}" if tempfile.tempdir else ""
    return NotWritableError(
        f"jaxviz cannot write to the folder for temporary files{at}: {error.strerror or error}. "
        "Free some room, or start the kernel with TMPDIR set to another folder."
    )
