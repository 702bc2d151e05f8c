"""Reads files of StableHLO and HLO: text, MLIR's bytecode, and serialized modules.

A hostile or deeply nested file can make MLIR and XLA end the process. So another interpreter reads
the file and writes the program as JSON. Its answer is checked like any file that jaxviz saved.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import msgspec

from jaxviz.capture.artifacts.jax_objects import NO_TOKEN, program_without_jaxpr, symbol_of
from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages._modules import hlo_module, printed
from jaxviz.capture.stages.hlo import stage_of as hlo_stage_of
from jaxviz.capture.stages.hlo.messages import module_in
from jaxviz.capture.stages.other_interpreter import NoAnswerError, NoRoomError, answer_of
from jaxviz.capture.stages.refusal import without
from jaxviz.capture.stages.stablehlo import stage_of as stablehlo_stage_of
from jaxviz.capture.stages.stablehlo.operations import parsed
from jaxviz.schema import Program, Stage
from jaxviz.sentences import sentence

LARGEST_FILE = 256 << 20
"""The limit of a file, in bytes."""
LONGEST_READING = 300
"""The limit of a reading, in seconds."""

_BYTECODE = b"ML\xefR"
_HLO_TEXT = re.compile(r"(?:\s*//[^\n]*\n)*\s*HloModule\b")
_MLIR_TEXT = re.compile(r"^\s*(?:module\b|func\.func\b|#\w+ = |\"builtin\.module\")", re.MULTILINE)


class NotReadError(Exception):
    """A file that is invalid. Its message is part of a sentence."""


class NoReaderError(Exception):
    """A failure of the other interpreter, which leaves the file unknown. Its message is the
    reason."""


def read_in_another_process(path: Path) -> bytes:
    """The program in a file, as JSON. Raises NotReadError, with what is wrong with the file,
    NoReaderError, and OSError if the file cannot be opened."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
    if size > LARGEST_FILE:
        raise NotReadError(f"it has {size >> 20:,} MiB, and at most {LARGEST_FILE >> 20} are read")
    try:
        return answer_of("read", os.fsencode(path.absolute()), LONGEST_READING)
    except NoRoomError as error:
        raise NoReaderError(str(error)) from None
    except NoAnswerError as error:
        raise NotReadError(str(error)) from None


def read_here(path: bytes) -> bytes:
    """The program in a file, as JSON. The other interpreter runs this. Raises like `program_in`."""
    return msgspec.json.encode(program_in(Path(os.fsdecode(path))))


def program_in(path: Path) -> Program:
    """The program in a file of any of these forms. Raises ValueError for any other file, or errors
    of MLIR and XLA."""
    written = path.read_bytes()
    if written.startswith(_BYTECODE):
        return _of_stablehlo(written, path)
    try:
        text = written.decode()
    except UnicodeDecodeError:
        return _of_hlo(module_in(written), path)
    if _HLO_TEXT.match(text):
        return _of_hlo(text, path)
    if _MLIR_TEXT.search(text):
        return _of_stablehlo(text, path)
    return _of_hlo(module_in(written), path)


def _of_stablehlo(written: str | bytes, path: Path) -> Program:
    module = parsed(written)
    others = [not_in_file(kind, "StableHLO") for kind in ("jaxpr", "hlo")]
    stage = stablehlo_stage_of(module, others[0], NO_TOKEN)
    return program_without_jaxpr(_title(symbol_of(module), path), [others[0], stage, others[1]])


def _of_hlo(written: str | bytes, path: Path) -> Program:
    module = hlo_module(written)
    others = [not_in_file(kind, "HLO") for kind in ("jaxpr", "stablehlo")]
    serialized = module.as_serialized_hlo_module_proto()
    stage = hlo_stage_of(serialized, printed(module), others[0], NO_TOKEN, [])
    return program_without_jaxpr(_title(module.name, path), [*others, stage])


def not_in_file(kind: str, form: str) -> Stage:
    """A stage that a file of this form does not lead to."""
    return without(kind, sentence("never, of a file", format=form))


def _title(called: str, path: Path) -> str:
    """The name of the function in the module's name, or else of the file."""
    return name(called.removeprefix("jit_") or path.name.partition(".")[0])
