"""What distinguishes an eqn from others of its primitive. As `js/src/facts/detail.ts`."""

from __future__ import annotations

import math
import re

from jaxviz import schema
from jaxviz.picture.model.describe import bytes_text, label_of
from jaxviz.picture.model.family import family_of, plain_name
from jaxviz.picture.model.literals import literal_of

TELLING = (
    "axes",
    "axis",
    "axis_name",
    "dimension",
    "dimensions",
    "new_dtype",
    "new_sizes",
    "shape",
    "permutation",
    "broadcast_dimensions",
    "y",
    "length",
    "reverse",
    "policy",
    "name",
    "iota_dimension",
    "all_gather_dim",
    "slice",
    "dynamic_slice_sizes",
    "call_target_name",
)
"""The parameters that tell two eqns of one primitive apart, in the order they are shown."""

_NOTHING = {"", "None", "False", "false", "{}", "[]", "()"}
"""What a parameter is that tells nothing."""
LONGEST = 28
_SHORT = {
    "dimension": "dim",
    "dimensions": "dims",
    "broadcast_dimensions": "dims",
    "iota_dimension": "dim",
    "all_gather_dim": "dim",
    "permutation": "perm",
    "dynamic_slice_sizes": "sizes",
}
"""How they are written of later stages, where most are named at length."""

_FREE = {"bitcast", "constant", "get_tuple_element", "tuple"}
_APPLIES = {
    "reduce",
    "reduce_window",
    "scatter",
    "select_and_scatter",
    "all_reduce",
    "reduce_scatter",
    "map",
    "sort",
}
"""Operations whose body says how two values become one, or which of them comes first."""
_TOLD = ("contraction", "collective", "reduction", "control", "random")
"""In what order a fusion's operations are told."""


def detail_of(stage: schema.Stage, graph: schema.Graph, eqn: schema.Eqn) -> str:
    """Short enough for a box; empty where nothing does."""
    plain = plain_name(eqn.op)
    if plain in ("dot_general", "dot"):
        return _contraction(eqn)
    if plain == "fusion":
        return _fused_from(stage, eqn)
    if plain == "constant":
        return literal_of(eqn)
    if plain == "get_tuple_element":
        return f"#{_param(eqn, 'index')}"
    if plain == "compare":
        return _direction(eqn)
    if plain == "while" and eqn.trips is not None:
        return f"×{eqn.trips:,}"
    transfer = family_of(eqn.op, len(eqn.bodies), eqn.name) == "collective"
    devices = _devices(eqn) if transfer else ""
    parts = (
        _applied(stage, eqn),
        devices or _telling(stage, eqn),
        _transferred(stage, graph, eqn) if transfer else "",
    )
    return _cut(" ".join(filter(None, parts)))


def is_free(op: str) -> bool:
    """Whether nothing is done when it runs: it renames, or holds together, what is there."""
    return plain_name(op) in _FREE


def applies_body(op: str) -> bool:
    """Whether what an eqn holds says but how it works on single values."""
    return plain_name(op) in _APPLIES


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def _param(eqn: schema.Eqn, name: str) -> str:
    return next((param.value for param in eqn.params if param.name == name), "")


def _whole(eqn: schema.Eqn, name: str) -> str:
    """The same where all of it is there."""
    found = (one for one in eqn.params if one.name == name and one.size <= len(one.value))
    return next((param.value for param in found), "")


def _telling(stage: schema.Stage, eqn: schema.Eqn) -> str:
    params = {param.name: param.value for param in reversed(eqn.params)}
    for name in TELLING:
        value = params.get(name, "")
        if value not in _NOTHING and value != eqn.name:
            if stage.kind == "jaxpr":
                return f"{name}={value}"
            return f"{_SHORT.get(name, name)}={value.replace(', ', ',')}"
    return ""


_CONTRACTING = re.compile(r"contracting_dim\w* = (\[[\d, ]*\])", re.ASCII)
_DIMENSIONS = re.compile(r"[\[({]((?:\d+,\s*)*\d*)[\])}]", re.ASCII)


def _contraction(eqn: schema.Eqn) -> str:
    """Dimension 1 of the left is contracted with 0 of the right: `1·0`. JAX writes that as
    `(([1], [0]), ([], []))`, StableHLO as `lhs_contracting_dimensions = [1], rhs_…`, and HLO as
    parameters `lhs_contracting_dims={1}`."""
    value = _param(eqn, "dimension_numbers") or _param(eqn, "contracting_dims")
    numbers = _param(eqn, "dot_dimension_numbers")
    if numbers:
        value = " ".join(_CONTRACTING.findall(numbers))
    elif not value:
        value = f"{_param(eqn, 'lhs_contracting_dims')} {_param(eqn, 'rhs_contracting_dims')}"
    lists = [re.sub(r",\s*\Z", "", found) for found in _DIMENSIONS.findall(value)]
    if len(lists) < 2:
        return ""
    return "·".join(re.sub(r",\s*", ",", one) for one in lists[:2])


_DIRECTION = re.compile(r"\b[A-Z]{2}\b", re.ASCII)


def _direction(eqn: schema.Eqn) -> str:
    """`LT` of `LT` or `#stablehlo<comparison_direction LT>`."""
    found = _DIRECTION.search(_param(eqn, "direction") or _param(eqn, "comparison_direction"))
    return found[0] if found else ""


def _applied(stage: schema.Stage, eqn: schema.Eqn) -> str:
    """The one operation of a body that says how two values become one: `add`."""
    if not applies_body(eqn.op) or not eqn.bodies:
        return ""
    held = stage.graphs[eqn.bodies[0].graph].eqns
    return label_of(held[0]) if len(held) == 1 else ""


def _fused_from(stage: schema.Stage, eqn: schema.Eqn) -> str:
    """The operations that a fusion was made from, each once, heavy ones first: `dot add tanh`.
    What only moves data is told where there is nothing else."""

    def rank(one: schema.Eqn) -> int:
        family = family_of(one.op, len(one.bodies), one.name)
        if family in _TOLD:
            return _TOLD.index(family)
        return len(_TOLD) + (family == "movement")

    held = stage.graphs[eqn.bodies[0].graph].eqns if eqn.bodies else []
    ranked = sorted((one for one in held if not is_free(one.op)), key=rank)
    work = [one for one in ranked if rank(one) <= len(_TOLD)]
    return _cut(" ".join(dict.fromkeys(map(label_of, work or ranked or held))))


def _devices(eqn: schema.Eqn) -> str:
    """Which devices speak with one another: `8 devices`, `2×4 devices` in two groups, `8 pairs`."""
    pairs = _whole(eqn, "source_target_pairs")
    if pairs:
        return _plural(_sizes(pairs)[0], "pair")
    groups, each = _sizes(_whole(eqn, "replica_groups"))
    if groups == 0:
        return ""
    return _plural(each, "device") if groups == 1 else f"{groups}×{_plural(each, 'device')}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_TENSOR = re.compile(r"tensor<([0-9]+)x([0-9]+)x")
_TILED = re.compile(r"\[([0-9]+),([0-9]+)\]<=")
_LIST = re.compile(r"[\[{(]\s*(\d+(?:\s*,\s*\d+)*)\s*[\])}]", re.ASCII)


_MESH = re.compile(r"mesh\[([^\]]*)\] \{([^}]*)\}")


def _groups(mesh: str, axes: str) -> tuple[int, int]:
    """Along some axes of a mesh: `'y'` of `'x'=2,'y'=2`; none where it is only along part of
    one."""
    sizes = {name: int(size) for name, size in re.findall(r"'([^']*)'=([0-9]+)", mesh)}
    each = math.prod(sizes.get(re.sub(r"^'(.*)'\Z", r"\1", axis), 0) for axis in axes.split(","))
    return (math.prod(sizes.values()) // each, each) if each else (0, 1)


def _sizes(value: str) -> tuple[int, int]:
    """How many lists there are and how long the first one is, of `{{0,1},{2,3}}`, `[2,2]<=[4]`,
    `mesh['x'=2,'y'=2] {'y'}`, or `dense<…> : tensor<2x2xi64>`."""
    mesh = _MESH.match(value)
    if mesh:
        return _groups(mesh[1], mesh[2])
    given = _TENSOR.search(value) or _TILED.match(value)
    if given:
        return int(given[1]), int(given[2])
    lists = _LIST.findall(value)
    return len(lists), len(lists[0].split(",")) if lists else 1


def _transferred(stage: schema.Stage, graph: schema.Graph, eqn: schema.Eqn) -> str:
    """The bytes that each device gives or gets, whichever are more."""

    def total(variables: list[int]) -> int:
        return sum(stage.avals[graph.vars[var].aval].bytes or 0 for var in variables)

    most = max(total(eqn.invars), total(eqn.outvars))
    return bytes_text(most) if eqn.invars and most > 0 else ""
