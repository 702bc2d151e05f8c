"""Reads modules and executables with private names of JAX and jaxlib.

Each name has the versions that it was seen on, and a fallback.
"""

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
    """jaxlib's `HloModule` of XLA's text or of a serialized `HloModuleProto`. Raises XLA's errors.
    A malicious file can make XLA end the process.

    `HloModule.from_serialized_hlo_module_proto` and `hlo_module_from_text` were seen on 0.6.2 in
    `xla_client._xla`, on 0.10 to 0.12.0 in `xla_client.hlo`. Without them AttributeError is raised.
    """
    if isinstance(written, str):
        return _hlo().hlo_module_from_text(written)
    return _hlo().HloModule.from_serialized_hlo_module_proto(written)


def _hlo() -> Any:
    return getattr(xla_client, "hlo", None) or getattr(xla_client, "_xla")  # noqa: B009


def without_versions(context: ir.Context, serialized: bytes) -> ir.Module:
    """The module of a portable artifact, a form of StableHLO for all later versions. Raises MLIR's
    errors.

    `stablehlo.deserialize_portable_artifact` was seen on 0.6.2 to 0.12.0.
    """
    return stablehlo.deserialize_portable_artifact(context, serialized)


def executable_module(compiled: Any) -> Any:
    """The first `HloModule` of an executable.

    `Compiled.runtime_executable` is public, `hlo_modules` jaxlib's, seen on 0.6.2 to 0.12.0.
    Without them there is no stage of optimized HLO.
    """
    return compiled.runtime_executable().hlo_modules()[0]


def is_on_cpus(compiled: Any) -> bool:
    """True if an executable is for CPUs, or if its devices are not known.

    `LoadedExecutable.local_devices` is jaxlib's, seen on 0.6.2 to 0.12.0.
    """
    try:
        return all(one.platform == "cpu" for one in compiled.runtime_executable().local_devices())
    except Exception:
        return True


def live_modules() -> Iterator[bytes]:
    """The serialized modules of the living executables of this process, the latest first.

    `Device.client`, `live_executables` and `hlo_modules` are jaxlib's, seen on 0.6.2 to 0.12.0.
    Without them it yields none.
    """
    try:
        found = [*jax.local_devices()[0].client.live_executables()]
    except Exception:
        return
    for executable in found:
        for module in executable.hlo_modules():
            yield module.as_serialized_hlo_module_proto()


def recompilable(lowered: Any, change: Callable[[Any], None]) -> Any:
    """A copy of a `Lowered` whose compilation does not affect the user's: JAX stores an executable
    with its `Lowered`, and finds a module again that it has compiled. `change` changes the copied
    module in place.

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
    """XLA's texts for the shardings of an executable's parameters (`{replicated}`). Empty for one
    device, and if XLA does not report them.

    Until 0.10.2 the executable's text has them, too. jaxlib's `get_parameter_shardings` and
    `HloSharding.from_proto` were seen on 0.6.2 to 0.12.0.
    """
    try:
        found = compiled.runtime_executable().get_parameter_shardings() or []
        return [str(xla_client.HloSharding.from_proto(one)) for one in found]
    except Exception:
        return []


def printed(module: Any) -> str:
    """XLA's own text of an `HloModule` or a serialized one; empty if XLA does not print it. Leaves
    out metadata, and options of the compilation, which files of modules do not have.

    `HloModule.to_string` and `HloPrintOptions` were seen on 0.6.2 to 0.12.0. Without them the stage
    has no text.
    """
    try:
        options = _hlo().HloPrintOptions()
        options.print_metadata = False
        read = hlo_module(module) if isinstance(module, bytes) else module
        head, newline, rest = read.to_string(options).partition("\n")
        return _OPTIONS.sub("", head) + newline + rest
    except Exception:
        return ""


_OPTIONS = re.compile(r", allow_spmd_sharding_propagation_to_\w+=\{[^}]*\}")
"""Options in the first line of an executable's text: the shardings that XLA may choose."""


class CompileRequest(Struct, frozen=True):
    """JAX's request to XLA to compile a program."""

    module: bytes
    """StableHLO, as MLIR's bytecode."""
    options: bytes
    """The serialized `CompileOptions`."""
    devices: list[int]
    """The ids of the target devices."""


class _Intercepted(BaseException):
    """Ends a compilation before XLA has begun."""


class _Backend:
    """Wraps the backend of a `Lowered`, and records the request to compile."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self.request: CompileRequest | None = None

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
            self.request = CompileRequest(written, compile_options.SerializeAsString(), ids)
        raise _Intercepted


def compile_request(lowered: Any) -> CompileRequest | None:
    """The request that JAX would send to XLA for a `Lowered`. Does not compile it. None if it is
    not for the CPU, calls back to Python, or if this version of JAX compiles in another way.

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
    except _Intercepted:
        return backend and backend.request
    except Exception:
        return None
    return None


def request_for_cpus(lowered: Any, devices: int) -> CompileRequest:
    """The request to compile a `Lowered` of an abstract mesh for this number of CPU devices. Raises
    ValueError if it calls back to Python; AttributeError or KeyError if this version of JAX stores
    the options in another way.

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
    for side, shardings in (("parameters", "in_shardings"), ("output", "out_shardings")):
        free = [*effects, *map(_is_free, args[shardings])]
        setattr(build, f"allow_spmd_sharding_propagation_to_{side}", free)
    module = bytecode(lowered.compiler_ir("stablehlo"))
    return CompileRequest(module, options.SerializeAsString(), [*range(devices)])


def _is_free(sharding: Any) -> bool:
    """True if XLA may choose the sharding, or a dimension of it."""
    spec = getattr(sharding, "spec", None) or ()
    return is_unspecified(sharding) or PartitionSpec.UNCONSTRAINED in [*spec]


def compile_requested(request: CompileRequest) -> Any:
    """The executable for a request, with the methods of a `jax.stages.Compiled`.

    `Client.compile_and_load`, `CompileOptions.ParseFromString` and `DeviceList` were seen on 0.6.2
    to 0.12.0. Raises XLA's errors.
    """
    by_id = {device.id: device for device in jax.devices()}
    devices: Any = xla_client.DeviceList(tuple(by_id[one] for one in request.devices))
    options = xla_client.CompileOptions.ParseFromString(request.options)
    client = by_id[request.devices[0]].client
    executable = client.compile_and_load(request.module, devices, options)
    return SimpleNamespace(
        runtime_executable=lambda: executable,
        cost_analysis=executable.cost_analysis,
        memory_analysis=executable.get_compiled_memory_stats,
    )


def bytecode(module: Any) -> bytes:
    """An `ir.Module` as MLIR's bytecode."""
    written = io.BytesIO()
    module.operation.write_bytecode(written)
    return written.getvalue()
