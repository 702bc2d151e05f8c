"""Makes XLA write a program after each of its passes that changed it, and reads these files.

XLA writes to a folder. The folder also has the program's constants, until XLA has compiled.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture._jax import NO_CACHE, as_configured
from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages._modules import printed
from jaxviz.capture.stages.compiling import RefusedError
from jaxviz.capture.stages.hlo import stage_of
from jaxviz.capture.stages.hlo.messages import module_in, module_of, op_name_of
from jaxviz.capture.stages.op_names import Names, Origins
from jaxviz.safety.background import result_of
from jaxviz.safety.files import check_room, own_folder
from jaxviz.schema import Stage
from jaxviz.sentences import sentence

MOST_BYTES = 512 << 20
"""The most bytes that XLA may write of a program. Above it, no passes are reported."""


class PassedModule(NamedTuple):
    """The program after one pass."""

    pipeline: str
    name: str
    """The pass. Empty for changes of XLA between passes, and for the first module, which no pass
    has changed yet."""
    module: bytes
    """The serialized `HloModuleProto`, deflated."""
    ops: Counter[str]
    """The number of instructions of each opcode, without parameters, which are inputs."""
    eqns: frozenset[int]
    """The eqns of the jaxpr that the names of instructions contain, with the eqns around them."""


class PassedModules:
    """A program before XLA's first pass, and after each pass that changed it."""

    def __init__(self, modules: list[PassedModule], jaxpr: Stage, token: str) -> None:
        self.modules = modules
        self._jaxpr = jaxpr
        self._token = token

    def stage(self, number: int) -> Stage:
        """The program after the pass of that number; 0 means before the first."""
        found = self.modules[number]
        module = zlib.decompress(found.module)
        stage = stage_of(module, printed(module), self._jaxpr, self._token, [])
        return replace(stage, notes=[*stage.notes, sentence("written by XLA")])


def passed_modules(
    lowered: Any, settings: dict[str, Any], jaxpr: Stage, token: str
) -> PassedModules:
    """Compiles a `Lowered`, whose op names have `token` before the numbers of eqns, and returns the
    modules that XLA wrote. The wait can be interrupted. The folder is removed once XLA is done.

    Raises RefusedError if XLA writes too much, NotWritableError, and the exceptions of compiling.
    """
    modules = result_of(lambda: _written(lowered, {**settings, **NO_CACHE}, jaxpr, token))
    return PassedModules(modules, jaxpr, token)


def _written(
    lowered: Any, settings: dict[str, Any], jaxpr: Stage, token: str
) -> list[PassedModule]:
    with own_folder() as folder, as_configured(settings):
        lowered.compile(compiler_options={**_OPTIONS, "xla_dump_to": folder})
        check_room(folder)  # XLA only logs that there was no room
        files = _of_program(Path(folder))
        if sum(file.path.stat().st_size for file in files) > MOST_BYTES:
            raise RefusedError(sentence("passes too large", most=MOST_BYTES >> 20))
        return [*_changed(files, Names(token), Origins(jaxpr))]


_OPTIONS = {
    "xla_dump_hlo_pass_re": ".*",
    "xla_dump_hlo_as_proto": True,
    "xla_dump_hlo_as_text": False,
    "xla_dump_max_hlo_modules": -1,
}
"""XLA writes a module only after a pass that changed it (seen on 0.6.2 to 0.12.0)."""


class _File(NamedTuple):
    path: Path
    pipeline: str
    name: str


_NAME = re.compile(
    r"^module_(\d+)\..*\.(\d{4,})\.([^.]+)\.after_([^.]+)(?:\.before_[^.]+)?\.hlo\.pb$"
)
_LAST = re.compile(r"^module_(\d+)\..*after_optimizations\.hlo\.pb$")
_BEGIN = "pipeline-start"


def _of_program(folder: Path) -> list[_File]:
    """The files that XLA wrote of the program, in order. Other programs that it compiles, such as
    to try a kernel, have later numbers."""
    found = [(match, file) for file in folder.iterdir() if (match := _NAME.match(file.name))]
    last = [(match, file) for file in folder.iterdir() if (match := _LAST.match(file.name))]
    first = min((int(match[1]) for match, _ in found), default=-1)
    own = [(int(match[2]), match, file) for match, file in found if int(match[1]) == first]
    own.sort(key=lambda one: one[0])
    files = [_File(file, match[3], match[4].removesuffix(_BEGIN)) for _, match, file in own]
    return [*files, *(_File(file, "", "") for match, file in last if int(match[1]) == first)]


def _changed(files: list[_File], names: Names, origins: Origins) -> Iterator[PassedModule]:
    """The modules that differ from the one before."""
    before = None
    for path, pipeline, passed in files:
        serialized = module_in(path.read_bytes())
        module = module_of(serialized)
        if module == before:
            continue
        before = module
        ops, eqns = _read(module, names, origins)
        deflated = zlib.compress(serialized, 1)
        yield PassedModule(name(pipeline), name(passed), deflated, ops, eqns)


def _read(module: Any, names: Names, origins: Origins) -> tuple[Counter[str], frozenset[int]]:
    ops: Counter[str] = Counter()
    found: set[bytes] = set()
    for computation in module.computations:
        for one in computation.instructions:
            if one.opcode != "parameter":
                ops[one.opcode] += 1
                found.add(one.metadata)
    written = (names.numbers(op_name_of(one)) for one in found)
    return ops, frozenset(number for one in written for number in origins.of(one, ()))
