"""Reads private names of JAX and jaxlib that tell about modules and executables. Each name has the
versions that it was seen on, and a fallback."""

from __future__ import annotations

import copy
import io
import re
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
from jax.sharding import PartitionSpec
from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo
from msgspec import Struct

from jaxviz.capture._jax import is_unspecified


def hlo_module(written: str | bytes) -> Any:
    """jaxlib's `HloModule` of XLA's text or of a serialized `HloModuleProto`. Raises what XLA
    raises; XLA may also end the process, where the file was made to do so.

    `HloModule.from_serialized_hlo_module_proto` and `hlo_module_from_text` were seen on 0.6.2 in
    `xla_client._xla`, on 0.10 to 0.12.0 in `xla_client.hlo`. Without them AttributeError is raised.
    """
    if isinstance(written, str):
        return _hlo().hlo_module_from_text(written)
    return _hlo().HloModule.from_serialized_hlo_module_proto(written)


def _hlo() -> Any:
    return getattr(xla_client, "hlo", None) or getattr(xla_client, "_xla")  # noqa: B009


def without_versions(context: ir.Context, serialized: bytes) -> ir.Module:
    """The module of a portable artifact, StableHLO's form that later versions read, too. Raises
    what MLIR raises.

    `stablehlo.deserialize_portable_artifact` was seen on 0.6.2 to 0.12.0.
    """
    return stablehlo.deserialize_portable_artifact(context, serialized)


def executable_module(compiled: Any) -> Any:
    """The `HloModule` of an executable; of several the first.

    `Compiled.runtime_executable` is public, `hlo_modules` jaxlib's, seen on 0.6.2 to 0.12.0.
    Without them there is no stage of optimized HLO.
    """
    return compiled.runtime_executable().hlo_modules()[0]


def is_on_cpus(compiled: Any) -> bool:
    """Whether an executable is for CPUs; true where its devices are not known.

    `LoadedExecutable.local_devices` is jaxlib's, seen on 0.6.2 to 0.12.0.
    """
    try:
        return all(one.platform == "cpu" for one in compiled.runtime_executable().local_devices())
    except Exception:
        return True


def live_modules() -> Iterator[bytes]:
    """The serialized modules of the executables of this process that are still there, the latest
    first.

    `Device.client`, `live_executables` and `hlo_modules` are jaxlib's, seen on 0.6.2 to 0.12.0.
    Without them there are none.
    """
    try:
        found = [*jax.local_devices()[0].client.live_executables()]
    except Exception:
        return
    for executable in found:
        for module in executable.hlo_modules():
            yield module.as_serialized_hlo_module_proto()


def recompilable(lowered: Any, change: Callable[[Any], None]) -> Any:
    """A copy of a `Lowered` for a compilation that the user's own does not know of: JAX keeps an
    executable with its `Lowered`, and knows a module again that it has compiled. `change` is done
    to the copied module.

    `Lowered._lowering`, with `_hlo` and `_executable`, was seen on 0.6.2 to 0.12.0. The fallback is
    the `Lowered` itself.
    """
    try:
        module = lowered.compiler_ir("stablehlo")
        lowering, copied = copy.copy(lowered._lowering), copy.copy(lowered)
        with module.context:
            lowering._hlo = type(module).parse(bytecode(module))
        change(lowering._hlo)
        lowering._executable = None
        copied._lowering = lowering
    except Exception:
        return lowered
    return copied


def parameter_shardings(compiled: Any) -> list[str]:
    """How the parameters of an executable lie on its devices, in XLA's words (`{replicated}`);
    empty where it runs on one, or XLA does not say.

    Up to 0.10.2 its text says so too, on 0.12 no longer. jaxlib's `get_parameter_shardings` and
    `HloSharding.from_proto` were seen on 0.6.2 to 0.12.0.
    """
    try:
        found = compiled.runtime_executable().get_parameter_shardings() or []
        return [str(xla_client.HloSharding.from_proto(one)) for one in found]
    except Exception:
        return []


def printed(module: Any) -> str:
    """XLA's own text of an `HloModule`, or of a serialized one, without metadata and what was asked
    of XLA, which no file of a module has; empty where XLA does not print it.

    `HloModule.to_string` and `HloPrintOptions` were seen on 0.6.2 to 0.12.0. Without them the stage
    has no text.
    """
    try:
        options = _hlo().HloPrintOptions()
        options.print_metadata = False
        read = hlo_module(module) if isinstance(module, bytes) else module
        head, newline, rest = read.to_string(options).partition("\n")
        return _ASKED.sub("", head) + newline + rest
    except Exception:
        return ""


_ASKED = re.compile(r", allow_spmd_sharding_propagation_to_\w+=\{[^}]*\}")
"""Which shardings XLA was free to choose, in the first line of an executable's text."""


class Asked(Struct, frozen=True):
    """What JAX asks XLA to compile."""

    module: bytes
    """StableHLO, as MLIR's bytecode."""
    options: bytes
    """The serialized `CompileOptions`."""
    devices: list[int]
    """The ids of the devices to compile it for."""


class _Withheld(BaseException):
    """Ends a compilation before XLA has begun."""


class _Backend:
    """Stands before the backend of a `Lowered`, and keeps what it is asked to compile."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.asked: Asked | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._backend, name)

    def compile_and_load(
        self,
        module: Any,
        executable_devices: Any = (),
        compile_options: Any = None,
        host_callbacks: Any = (),
    ) -> None:
        if not host_callbacks:
            written = module if isinstance(module, bytes) else bytecode(module)
            ids = [device.id for device in executable_devices]
            self.asked = Asked(written, compile_options.SerializeAsString(), ids)
        raise _Withheld


def asked_of_xla(lowered: Any) -> Asked | None:
    """What JAX would ask XLA to compile for a `Lowered`, without compiling it. None where it is not
    for the CPU, calls back to Python, or its compilation is begun in a way that we do not know.

    `Lowered._lowering.compile_args["backend"]` and the backend's `compile_and_load` were seen on
    0.6.2 to 0.12.0.
    """
    backend = None
    try:
        lowering, copied = copy.copy(lowered._lowering), copy.copy(lowered)
        backend = _Backend(lowering.compile_args["backend"])
        if backend.platform != "cpu":
            return None
        lowering.compile_args = {**lowering.compile_args, "backend": backend}
        lowering._executable = None
        copied._lowering = lowering
        copied.compile()
    except _Withheld:
        return backend and backend.asked
    except Exception:
        return None
    return None


def asked_for_cpus(lowered: Any, devices: int) -> Asked:
    """What JAX would ask XLA to compile for so many devices of the CPU, for a `Lowered` of a mesh
    without devices. Raises ValueError where it calls back to Python, and AttributeError and
    KeyError where JAX keeps what is needed in a way that we do not know.

    `Lowered._lowering.compile_args` and its `_compiler_options_kvs`, and of jaxlib `CompileOptions`
    and `DeviceAssignment`, were seen on 0.6.2 to 0.12.0.
    """
    args = lowered._lowering.compile_args
    if args["host_callbacks"]:
        raise ValueError("it calls back to Python")
    options = xla_client.CompileOptions()
    options.num_replicas, options.num_partitions = 1, devices
    ids = np.arange(devices).reshape(1, devices)
    options.device_assignment = xla_client.DeviceAssignment.create(ids)
    options.parameter_is_tupled_arguments = args["tuple_args"]
    options.env_option_overrides = [*lowered._lowering._compiler_options_kvs]
    build: Any = options.executable_build_options
    build.use_spmd_partitioning = True
    build.use_shardy_partitioner = getattr(jax.config, "jax_use_shardy_partitioner")  # noqa: B009
    effects = [False for _ in args["ordered_effects"]]
    for way, shardings in (("parameters", "in_shardings"), ("output", "out_shardings")):
        free = [*effects, *map(_is_free, args[shardings])]
        setattr(build, f"allow_spmd_sharding_propagation_to_{way}", free)
    module = bytecode(lowered.compiler_ir("stablehlo"))
    return Asked(module, options.SerializeAsString(), [*range(devices)])


def _is_free(sharding: Any) -> bool:
    """Whether XLA may choose a sharding, or a dimension of it."""
    spec = getattr(sharding, "spec", None) or ()
    return is_unspecified(sharding) or PartitionSpec.UNCONSTRAINED in [*spec]


def compiled_as_asked(asked: Asked) -> Any:
    """The executable for what was `asked_of_xla`, with the methods of a `jax.stages.Compiled`.

    `Client.compile_and_load`, `CompileOptions.ParseFromString` and `DeviceList` were seen on 0.6.2
    to 0.12.0. Raises what XLA raises.
    """
    known = {device.id: device for device in jax.devices()}
    devices: Any = xla_client.DeviceList(tuple(known[one] for one in asked.devices))
    options = xla_client.CompileOptions.ParseFromString(asked.options)
    made = known[asked.devices[0]].client.compile_and_load(asked.module, devices, options)
    return SimpleNamespace(
        runtime_executable=lambda: made,
        cost_analysis=made.cost_analysis,
        memory_analysis=made.get_compiled_memory_stats,
    )


def bytecode(module: Any) -> bytes:
    """An `ir.Module` as MLIR's bytecode."""
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return written.getvalue()
