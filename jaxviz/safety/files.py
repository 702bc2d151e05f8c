"""Writes files and temporary folders safely.

If writing fails, the earlier file is unchanged. If the process may open no more files, or the disk
is full, one sentence says what to do.
"""

from __future__ import annotations

import errno
import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

SENTENCE = (
    "this process has reached its limit of open files (ulimit -n): close some, or restart the "
    "kernel."
)


class NoDescriptorError(OSError):
    """No more files can be opened. Its message is one sentence."""


@contextmanager
def descriptors_needed(doing: str) -> Iterator[None]:
    """Raises NoDescriptorError, which begins with `doing`, in place of Python's own error."""
    try:
        yield
    except (OSError, ImportError) as error:
        if not lacks_descriptor(error):
            raise
        raise NoDescriptorError(f"{doing}: {SENTENCE}") from None


def lacks_descriptor(error: BaseException) -> bool:
    """True if Python raises this exception because it may open no more files."""
    if isinstance(error, ImportError):  # of a library in C, it has the text alone
        return os.strerror(errno.EMFILE) in str(error)
    return isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE)


def none_left() -> bool:
    """True if this process may open no more files now. XLA does not report that."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return lacks_descriptor(error)
    return False


NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""A full disk, a quota that is used up, and a file that is larger than the process may write."""
_NOT_BESIDE = frozenset((errno.EACCES, errno.EPERM, errno.EROFS, errno.EBUSY))
"""The folder takes no new file, or does not let one be replaced."""


def write_file(path: str | Path, content: bytes) -> None:
    """Writes a file beside its target, then replaces the target. A link stays, as does the mode.
    In a folder that takes no new file the target is overwritten. Raises OSError, with `path`."""
    target = os.path.realpath(path)
    try:
        if os.path.exists(target) and not os.path.isfile(target):
            _written(target, "wb", content)  # a pipe or device
        elif os.path.exists(target) and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        else:
            _replaced(target, content)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def advice(error: OSError) -> str:
    """Advice if a file was not written, as part of a sentence."""
    if error.errno in NO_ROOM:
        return "free some room, or name a file on another disk"
    if lacks_descriptor(error):
        return "close some files, or raise the limit (ulimit -n)"
    return "name a file in a folder that there is and that may be written to"


def _replaced(target: str, content: bytes) -> None:
    beside = os.path.join(os.path.dirname(target), f".jaxviz-{secrets.token_hex(8)}")
    try:
        _written(beside, "xb", content)
        if os.path.exists(target):
            os.chmod(beside, os.stat(target).st_mode & 0o7777)
        os.replace(beside, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        if not (isinstance(error, OSError) and error.errno in _NOT_BESIDE):
            raise
        _overwritten(target, content)


def _overwritten(target: str, content: bytes) -> None:
    """The room is taken before anything is overwritten, where the system can do that."""
    if os.path.exists(target) and hasattr(os, "posix_fallocate") and content:
        with open(target, "r+b") as file:
            before = os.fstat(file.fileno()).st_size
            try:
                os.posix_fallocate(file.fileno(), 0, len(content))
            except OSError as error:
                file.truncate(before)
                if error.errno in NO_ROOM:
                    raise
    _written(target, "r+b" if os.path.exists(target) else "wb", content)


def _written(path: str, mode: str, content: bytes) -> None:
    with open(path, mode) as file:
        file.write(content)
        if mode == "r+b":
            file.truncate()


ROOM = 1 << 20
"""The bytes of free space that JAX and XLA need at least. With less they would fail later."""


class NotWritableError(Exception):
    """A folder cannot be written to, or is full. The message is a whole sentence."""


def own_folder() -> TemporaryDirectory[str]:
    """An empty temporary folder that only this user may open. Raises NotWritableError."""
    if none_left():  # such a folder could not even be deleted
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
