"""Reads the attributes of ops (`schema.Eqn.attributes`), and makes readable text of them: params,
shardings, groups of devices.

`elided` removes the values of arrays from params, and from a module's text, since they must not
leave the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import chlo, sdy, stablehlo

from jaxviz.capture.device_groups import Used, along, counted, listed, paired
from jaxviz.capture.jaxprs.params import VALUE_LIMIT
from jaxviz.capture.shown.strings import name, plain
from jaxviz.capture.stages.stablehlo.operations import Op
from jaxviz.schema import Attributes, Convolution, Dimensions, Dot, Groups, Pairs, Param, Sizes
from jaxviz.schema.params import MOST_DEVICES, xla_labels

Meshes = dict[str, list[tuple[str, int]]]
"""The axes and sizes of each mesh that a module defines, by the mesh's name."""

Raw = dict[str, Any]
"""The attributes of an op, by MLIR's names."""
Rule = Callable[[Raw, Meshes], Attributes]


def meshes_of(module: Any) -> Meshes:
    found: Meshes = {}
    for block in module.regions[0].blocks:
        for op in block.operations:
            if op.operation.name == "sdy.mesh":
                raw = op.operation.attributes
                axes = map(sdy.MeshAxisAttr, sdy.MeshAttr(raw["mesh"]).axes)
                found[raw["sym_name"].value] = [(axis.name, axis.size) for axis in axes]
    return found


def attributes_of(raw: Raw, meshes: Meshes) -> Attributes | None:
    """The attributes of an op; None if no rule reads them, or if they are not as expected."""
    for key, rule in _RULES.items():
        if key in raw:
            try:
                return rule(raw, meshes)
            except (ArithmeticError, LookupError, TypeError, ValueError):
                return None
    return None


def axes_on_mesh(found: Any, meshes: Meshes) -> tuple[list[tuple[str, int]], list[Used]] | None:
    """The mesh and the axes that define groups of devices. None for groups in another form, and for
    an unknown mesh. JAX writes meshes from 0.11 on."""
    kind = getattr(stablehlo, "ReplicaGroupMeshAxesAttr", None)
    if kind is None or not kind.isinstance(found):
        return None
    groups = kind(found)
    mesh = meshes.get(ir.FlatSymbolRefAttr(groups.mesh).value)
    if mesh is None:
        return None
    names = [axis for axis, _ in mesh]
    used: list[Used] = []
    for one in map(stablehlo.AxisRefAttr, groups.axes):
        info: Any = one.sub_axis_info
        part = info and stablehlo.SubAxisInfoAttr(info)
        before, some = (part.pre_size, part.size) if part else (1, 0)
        used.append((names.index(one.name), before, some))
    return mesh, used


def _groups(raw: Raw, meshes: Meshes) -> Groups:
    found = raw["replica_groups"]
    on_mesh = axes_on_mesh(found, meshes)
    if on_mesh is not None:
        mesh, used = on_mesh
        return along([size for _, size in mesh], used)
    count, size = found.type.shape
    if count * size > MOST_DEVICES:
        return counted(count, size)
    devices = _integers(found)
    return listed([devices[at : at + size] for at in range(0, count * size, size)])


def _pairs(raw: Raw, meshes: Meshes) -> Pairs:
    devices = _integers(raw["source_target_pairs"])
    return paired([*zip(devices[::2], devices[1::2], strict=True)])


def _dot(key: str, kind: type[Any]) -> Rule:
    def read(raw: Raw, meshes: Meshes) -> Dot:
        numbers = kind(raw[key])
        return Dot(
            lhs=tuple(numbers.lhs_contracting_dimensions),
            rhs=tuple(numbers.rhs_contracting_dimensions),
            lhs_batch=tuple(numbers.lhs_batching_dimensions),
            rhs_batch=tuple(numbers.rhs_batching_dimensions),
        )

    return read


def _convolution(raw: Raw, meshes: Meshes) -> Convolution:
    numbers = stablehlo.ConvDimensionNumbers(raw["dimension_numbers"])
    count = len(numbers.output_spatial_dimensions)
    padding = raw.get("padding")
    return Convolution(
        **xla_labels(numbers),
        strides=_each(raw, "window_strides", count),
        padding=(0,) * count if padding is None else _integers(padding)[::2],
        lhs_dilation=_each(raw, "lhs_dilation", count),
        rhs_dilation=_each(raw, "rhs_dilation", count),
        activated=False,
    )


def _each(raw: Raw, key: str, count: int) -> tuple[int, ...]:
    return _integers(raw[key]) if key in raw else (1,) * count


def _integers(found: Any) -> tuple[int, ...]:
    """The elements of an array in row-major order, or the single number."""
    if isinstance(found, ir.IntegerAttr):
        return (found.value,)
    if len(found) > MOST_DEVICES:
        raise ValueError  # a file may contain any array
    return tuple(found[at] for at in range(len(found)))


def _sizes(key: str) -> Rule:
    return lambda raw, _: Sizes(sizes=_integers(raw[key]))


def _along(key: str) -> Rule:
    return lambda raw, _: Dimensions(dimensions=_integers(raw[key]))


_RULES: dict[str, Rule] = {
    "dot_dimension_numbers": _dot("dot_dimension_numbers", stablehlo.DotDimensionNumbers),
    "ragged_dot_dimension_numbers": _dot(
        "ragged_dot_dimension_numbers", chlo.RaggedDotDimensionNumbers
    ),
    "dimension_numbers": _convolution,
    "window_dimensions": _sizes("window_dimensions"),
    "fft_length": _sizes("fft_length"),
    "replica_groups": _groups,
    "source_target_pairs": _pairs,
    "dimensions": _along("dimensions"),
    "permutation": _along("permutation"),
    "dimension": _along("dimension"),
}
"""The rules by the name of an attribute of the op."""


_DENSE = re.compile(r"dense(?:_resource)?<[^>]*>(?P<type> : tensor<[^>]*>)?")
_SCALAR = re.compile(r" : tensor<(complex<)?[a-zA-Z]\w*>")
_INDICES = re.compile(r" : tensor<(\d+x)*index>")
_STRUCTURE = tuple(
    f"{name} = " for name in ("replica_groups", "source_target_pairs", "padding", "permutation")
)


def elided(text: str) -> str:
    """The text with `dense<...>` for each array. Scalars stay. So do attributes about the movement
    of data: groups of devices, paddings, permutations and layouts."""

    def replacement(found: re.Match[str]) -> str:
        kind = found["type"] or ""
        if _SCALAR.fullmatch(kind) or _INDICES.fullmatch(kind):
            return found[0]
        before = found.string[max(0, found.start() - 30) : found.start()]
        return found[0] if before.endswith(_STRUCTURE) else f"dense<...>{kind}"

    return _DENSE.sub(replacement, text)


def with_mesh(key: str, found: Any, printed: str, meshes: Meshes) -> str:
    """The text of groups of devices with the mesh in place of its name. `printed` is returned for
    other attributes, and for groups along part of an axis."""
    on_mesh = axes_on_mesh(found, meshes) if key == "replica_groups" else None
    if on_mesh is None or any(some for _, _, some in on_mesh[1]):
        return printed
    mesh, used = on_mesh
    sizes = ",".join(f"'{axis}'={size}" for axis, size in mesh)
    axes = ",".join(f"'{mesh[at][0]}'" for at, _, _ in used)
    return f"mesh[{sizes}] {{{axes}}}"


_ONE = re.compile(r"<@[^,]*, \[[^\]]*\][^>]*>")
_RESULTS = {"sdy.manual_computation": "out_shardings", "sdy.sharding_constraint": "sharding"}


def sharding_of(attributes: dict[str, Any]) -> str | None:
    """The sharding in the attributes of a function's argument; None if they have none."""
    found = attributes.get("sdy.sharding") or attributes.get("mhlo.sharding")
    written = [] if found is None else _written(str(found))
    return written[0] if written else None


def result_path(attributes: dict[str, Any]) -> str:
    """The user's path of a result of `main`, from its attributes; empty if JAX wrote none. Before
    0.7 the path does not begin with `result`."""
    found = attributes.get("jax.result_info")
    path = "" if found is None else name(found.value)
    return path if path.startswith("result") else f"result{path}" if path[:1] in "[." else ""


def shardings_of(op: Op) -> list[str | None]:
    """The sharding of each result of an op; None for each if the op has none."""
    raw = op.attributes
    key = _RESULTS.get(op.name, "sdy.sharding")
    found = raw.get(key) or raw.get("mhlo.sharding") if raw else None
    if found is None:
        return [None] * len(op.results)
    written = _written(str(found))
    return list(written) if len(written) == len(op.results) else [None] * len(op.results)


def _written(text: str) -> list[str]:
    if text.startswith('"'):
        return [name(text[1:-1])]
    return [name(found) for found in _ONE.findall(text)]


_SHOWN_ELSEWHERE = frozenset(("callee", "call_target_name", "operandSegmentSizes"))
_PRINTED = 4096
_PLAIN_ATTRIBUTES = frozenset(
    ("Attribute", "DenseI64ArrayAttr", "IntegerAttr", "StringAttr", "BoolAttr")
)
_TYPED = re.compile(r"(-?[\d.e+-]+) : [if]\d+")
_ENUM = re.compile(r"#stablehlo<\w+ (\w+)>")
_INTEGERS = re.compile(r"array<i\d+(?:: ([^>]*))?>")
_SHORT_DENSE = re.compile(r"dense<(?!\.\.\.)([^>]*)> : tensor<(?:[^<>]|<[^<>]*>)*>")


_Params = tuple[tuple[Param, ...], Attributes | None]


class Params:
    """Makes the params of a stage's ops. Ops with equal attributes share theirs."""

    def __init__(self, meshes: Meshes) -> None:
        self._meshes = meshes
        self._cached: dict[tuple[tuple[str, str], ...], _Params] = {}

    def of(self, op: Op) -> _Params:
        """The op's attributes as params, without those that an eqn has as fields; and as values."""
        if not op.attributes:
            return (), None
        written = tuple(
            (key, str(value) if type(value).__name__ in _PLAIN_ATTRIBUTES else _printed(value))
            for key, value in op.attributes.items()
            if key not in _SHOWN_ELSEWHERE
        )
        found = self._cached.get(written)
        if found is None:
            raw, meshes = op.attributes, self._meshes
            params = tuple(
                _param(key, with_mesh(key, raw[key], printed, meshes)) for key, printed in written
            )
            found = self._cached[written] = params, attributes_of(raw, meshes)
        return found


def _param(key: str, printed: str) -> Param:
    text = plain(readable(key, printed))
    size = len(text)
    if size > VALUE_LIMIT:
        text = text[: VALUE_LIMIT - 1] + "…"
    return Param(name=name(key), value=text, size=size)


def readable(key: str, printed: str) -> str:
    """MLIR's text of an attribute without redundant types, prefixes and quotes, and without the
    values of arrays."""
    if printed == "unit":
        return "true"
    text = elided(f"{key} = {printed}").partition(" = ")[2]
    text = _INTEGERS.sub(lambda found: f"[{found[1] or ''}]", text)
    text = _ENUM.sub(r"\1", _TYPED.sub(r"\1", text))
    text = _SHORT_DENSE.sub(r"\1", text)
    quoted = len(text) > 1 and text[0] == text[-1] == '"'
    return text[1:-1] if quoted and '"' not in text[1:-1] else text


def _printed(value: Any) -> str:
    """MLIR's text of an attribute; `dense<...>` for an array with over `_PRINTED` elements."""
    kind = type(value).__name__
    dense = kind.startswith("Dense") and kind.endswith("ElementsAttr")
    if dense and ("Resource" in kind or len(value) > _PRINTED):
        return "dense<...>"
    return str(value)
