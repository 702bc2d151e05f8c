"""A disk on which nothing more can be written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("Windows has neither mount nor rlimit", allow_module_level=True)

import resource

FILL = "fill"
"""The file that takes the room."""


@contextmanager
def full_disk(folder: Path) -> Iterator[Path]:
    """A folder on a full disk of 1 MB. Where this process may not mount one, no file that it writes
    meanwhile may be longer than 1 kB. Prints which of both."""
    with filling_disk(folder, "1m") as fill:
        fill()
        yield folder


@contextmanager
def filling_disk(folder: Path, size: str = "4m") -> Iterator[Callable[[], None]]:
    """A folder on a disk that is full once the function that this gives is called."""
    folder.mkdir()
    mount = f"mount -t tmpfs -o size={size} none '{folder}'"
    if subprocess.run(mount, shell=True, capture_output=True).returncode == 0:
        print(f"full disk: a tmpfs of {size}")
        try:
            yield lambda: fill(folder)
        finally:
            subprocess.run(["umount", "-l", str(folder)], check=True)
        return
    print("full disk: RLIMIT_FSIZE of 1 kB")
    sys.stdout.flush()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 10, before[1]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def fill(folder: Path) -> None:
    """Leaves room for nothing."""
    with (folder / FILL).open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(4096))
