"""Reports in a sentence that this process may open no more files: Python's own message does not say
what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager

SENTENCE = (
    "this process has as many files open as it may (ulimit -n): close some, or restart the kernel."
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
