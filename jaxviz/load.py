"""Reads programs, reports and logs from files of `save`, and programs from files of compilers."""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from typing import Any

import msgspec

from jaxviz import schema
from jaxviz.capture import NoReaderError, NotReadError, read_in_another_process
from jaxviz.capture.shown.strings import name
from jaxviz.displayed import Report
from jaxviz.program import Program, finished_program
from jaxviz.safety.files import descriptors_needed
from jaxviz.schema.check import first_fault, first_report_fault
from jaxviz.schema.upgrade import NewerFormatError, read
from jaxviz.watch import LoadedLog, Log


class NotLoadedError(ValueError):
    """A file cannot be read. The message is one sentence: the fault, and what to do."""


def load(path: str | Path) -> Any:
    """Read a file of `save` (a program, a report or a log), or a compiler's program.

    Parameters
    ----------
    path : str or Path
        A `.json` file of this version of jaxviz or of any earlier one. Or StableHLO, as text or
        bytecode (`.mlir`, `.mlirbc`, or the bytes in `Exported.mlir_module_serialized`). Or HLO, as
        text or as a serialized module (`.txt`, `.hlo`, `.pb`: files of `--xla_dump_to`). The
        content decides which of these it is. Nothing in the file is run. A separate interpreter
        reads StableHLO and HLO of at most 256 MiB, which takes a few seconds.

    Returns
    -------
    Program, report or Log
        An object of the same type as the saved one. A program has the stages that were made before
        it was saved, or the one in a compiler's file; no others can be made. `Statistics` have the
        numbers that a notebook shows, and `Passes` no program after a pass.

    Raises
    ------
    ValueError
        With one sentence, for another file, a file of a later version, and a damaged program.
    OSError
        If the file cannot be opened.

    Examples
    --------
    >>> import jaxviz, tempfile, pathlib
    >>> program = jaxviz.inspect(lambda x: x * 2.0)(1.0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     program.save(pathlib.Path(folder) / "double.json")
    ...     again = jaxviz.load(pathlib.Path(folder) / "double.json")
    >>> again == program
    True
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(
            "path must be that of a file, as in jaxviz.load('step.json'), not "
            f"{type(path).__name__}."
        )
    with descriptors_needed(f"{str(path)!r} cannot be opened"):
        return _loaded(Path(path), path)


def _loaded(file: Path, path: str | Path) -> Any:
    try:
        if is_saved(file):
            return _saved(file.read_bytes(), path)
        return finished_program(checked(read_in_another_process(file), path), None, schema.UNCHOSEN)
    except NewerFormatError as error:
        raise NotLoadedError(f"{str(path)!r} {error}.") from None
    except NoReaderError as error:
        raise NotLoadedError(f"{str(path)!r} could not be read: {error}.") from None
    except NotReadError as error:
        raise NotLoadedError(
            f"{str(path)!r} is no program: {error}; name a .json file that Program.save wrote, or "
            "one of StableHLO or HLO."
        ) from None
    except msgspec.DecodeError as error:
        raise NotLoadedError(
            f"{str(path)!r} is no program saved by jaxviz: {name(str(error))}; name a .json "
            "file that Program.save wrote."
        ) from None


class _Kind(msgspec.Struct):
    """The fields that a report and a log have, and a program has not."""

    report: msgspec.Raw = msgspec.Raw()
    events: msgspec.Raw = msgspec.Raw()


def _saved(written: bytes, path: str | Path) -> Program | Report | Log:
    kind = _kind(written)
    if bytes(kind.report):
        saved = read(written, schema.SavedReport)
        _fits(first_fault(saved.program) or first_report_fault(saved.report, saved.program), path)
        classes = {one._reads: one for one in Report.__subclasses__()}
        try:
            return classes[type(saved.report)]._loaded(Program(saved.program), saved.report)
        except (ValueError, LookupError, zlib.error) as error:
            _fits(f"the report is damaged ({type(error).__name__})", path)
    if bytes(kind.events):
        return LoadedLog(read(written, schema.Log))
    return Program(checked(written, path))


def _kind(written: bytes) -> _Kind:
    try:
        return msgspec.json.decode(written, type=_Kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return _Kind()  # `read` reports the fault


def is_saved(file: Path) -> bool:
    """Return True if a file may be one of `save`, which contains JSON."""
    with file.open("rb") as opened:
        return file.suffix.lower() == ".json" or opened.read(64).lstrip()[:1] in (b"", b"{")


def checked(written: bytes, path: str | Path) -> schema.Program:
    """Give the program of a JSON text. Raises NotLoadedError if it is damaged."""
    record = read(written, schema.Program)
    _fits(first_fault(record), path)
    return record


def _fits(fault: str | None, path: str | Path) -> None:
    if fault is not None:
        raise NotLoadedError(
            f"{str(path)!r} does not fit together: {fault}; capture the program again, and save it."
        )
