"""Reads private names of JAX and jaxlib that tell about modules and executables. Each name has the
versions that it was seen on, and a fallback."""

from __future__ import annotations

import copy
import io
from typing import Any

from jaxlib import xla_client
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo


def hlo_module(written: str | bytes) -> Any:
    """jaxlib's `HloModule` of XLA's text or of a serialized `HloModuleProto`. Raises what XLA
    raises; XLA may also end the process, where the file was made to do so.

    `HloModule.from_serialized_hlo_module_proto` and `hlo_module_from_text` were seen on 0.6.2 in
    `xla_client._xla`, on 0.10 to 0.12.0 in `xla_client.hlo`. Without them AttributeError is raised.
    """
    hlo: Any = getattr(xla_client, "hlo", None) or getattr(xla_client, "_xla")  # noqa: B009
    if isinstance(written, str):
        return hlo.hlo_module_from_text(written)
    return hlo.HloModule.from_serialized_hlo_module_proto(written)


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


def recompilable(lowered: Any) -> Any:
    """A copy of a `Lowered` for a compilation that the user's own does not know of: JAX keeps an
    executable with its `Lowered`, and knows a module again that it has compiled.

    `Lowered._lowering`, with `_hlo` and `_executable`, was seen on 0.6.2 to 0.12.0. The fallback is
    the `Lowered` itself.
    """
    try:
        module, written = lowered.compiler_ir("stablehlo"), io.BytesIO()
        module.operation.write_bytecode(written)
        lowering, copied = copy.copy(lowered._lowering), copy.copy(lowered)
        with module.context:
            lowering._hlo = type(module).parse(written.getvalue())
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
        from jaxlib import xla_client

        found = compiled.runtime_executable().get_parameter_shardings() or []
        return [str(xla_client.HloSharding.from_proto(one)) for one in found]
    except Exception:
        return []


def reprinted(module: Any, serialized: bytes) -> str:
    """XLA's own text of another, serialized, module; empty where XLA does not print it.

    `HloModule.from_serialized_hlo_module_proto` and `to_string` were seen on 0.6.2 to 0.12.0.
    Without them the stage has no text.
    """
    try:
        return type(module).from_serialized_hlo_module_proto(serialized).to_string()
    except Exception:
        return ""
