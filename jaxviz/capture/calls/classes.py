"""Numbers the reader's classes, and finds where each is written. A class whose cell ran again is
another class, and JAX traces again for it."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterator
from itertools import count
from types import FunctionType

from jaxviz.capture.shown.objects import module_of, namespace_of, qualified_of, title_of
from jaxviz.capture.shown.source import cell_of, cells_run, file_kind, shown
from jaxviz.capture.shown.strings import name
from jaxviz.capture.weak import Weak
from jaxviz.schema.signature import Class, Place

_NOT_THE_READERS = frozenset(("builtins", "enum", "functools", "types", "collections"))
_known: Weak[Class] = Weak()
_numbers = count()


def class_of(kind: type) -> Class | None:
    """The record of a class that the reader wrote; None for classes of Python and of packages."""
    found = _known.get(kind)
    if found is None and is_readers(kind):
        found = Class(name(title_of(kind)), _key(kind), next(_numbers), _place(kind))
        _known.set(kind, found)
    return found


def is_readers(kind: type) -> bool:
    """Whether a class is written in a cell or a file of the reader's."""
    module = module_of(kind)
    if module in _NOT_THE_READERS:
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    return module == "__main__" or not isinstance(file, str) or file_kind(file) == "own"


def _key(kind: type) -> str:
    return name(f"{module_of(kind)}.{qualified_of(kind)}")


def _place(kind: type) -> Place | None:
    """The line that defines the class: in the file of one of its methods, in the reader's module,
    or in the cell that ran last of those that define such a class."""
    title = re.escape(title_of(kind))
    defines = re.compile(rf"\s*(class\s+{title}\b|{title}\s*=)")
    for file in _files(kind):
        for number, line in enumerate(linecache.getlines(file), 1):
            if defines.match(line):
                cell = cell_of(file)
                return Place(file, number, name(shown(file, cell)), cell.offset)
    return None


def _files(kind: type) -> Iterator[str]:
    for held in namespace_of(kind).values():
        if type(held) is FunctionType and file_kind(held.__code__.co_filename) == "own":
            yield held.__code__.co_filename
    file = getattr(sys.modules.get(module_of(kind)), "__file__", None)
    if isinstance(file, str) and file_kind(file) == "own":
        yield file
    yield from cells_run()
