"""Makes a graph of each function and each region of a module.

A region is labelled by its role in its op (`condition`, `body`). A region of MLIR may use values
that are defined outside of it. A graph may not: such values become further inputs of the graph, and
further operands of the region's op.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from msgspec.structs import replace

from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.op_names import branch_labels
from jaxviz.capture.stages.stablehlo.attributes import (
    Meshes,
    Params,
    result_path,
    sharding_of,
    shardings_of,
)
from jaxviz.capture.stages.stablehlo.operations import Function, Op, Region, Value
from jaxviz.capture.stages.stablehlo.origins import CALLS, Origins, called
from jaxviz.schema import Aval, Body, Eqn, Graph, Var


@dataclass(slots=True)
class _Block:
    """A region that becomes a graph: a function's body, or a region of an op."""

    region: Region
    function: str
    """The name of the function that contains it."""
    outer: int | None
    """The number of the block that directly contains it; None for a function's body."""
    title: str
    """The graph's name: that of the function, and empty for a region of an op."""
    shardings: list[str | None]
    """The sharding of each argument; None if not known."""
    reads: list[str] = field(default_factory=list)
    """The names of values that it uses and that are defined outside of it."""
    holder: tuple[int, ...] = ()
    """The `Eqn.origin` of the region's op."""


class Builder:
    """Makes the graphs of a stage: first those of functions, then those of regions, outer ones
    first."""

    def __init__(self, functions: list[Function], origins: Origins, meshes: Meshes) -> None:
        self.avals = Types()
        self._params = Params(meshes)
        self._origins = origins
        self._blocks = [
            _Block(f.body, f.name, None, f.name, list(map(sharding_of, f.arguments)))
            for f in functions
        ]
        self._results = tuple(map(result_path, functions[0].results))
        self._number = {f.name: number for number, f in enumerate(functions)}
        self._region: dict[int, int] = {}
        for number, block in enumerate(self._blocks):
            for op in block.region.ops:
                for region in op.regions:
                    self._region[id(region)] = len(self._blocks)
                    free: list[str | None] = [None] * len(region.arguments)
                    self._blocks.append(_Block(region, block.function, number, "", free))
        for block in reversed(self._blocks):
            block.reads = list(dict.fromkeys(self._read(block.region)))

    def graphs(self, program: Graph | None) -> list[Graph]:
        """All graphs. The first one, of `main`, has the paths of arguments and results of
        `program`, the jaxpr's first graph; without it the paths that JAX wrote into the module."""
        made: list[_Vars] = []
        graphs: list[Graph] = []
        for block in self._blocks:
            variables = _Vars(self.avals, None if block.outer is None else made[block.outer])
            made.append(variables)
            graphs.append(self._graph(block, variables))
        args = tuple(map(name, self._blocks[0].region.places))
        results = self._results
        if program is not None:
            same = len(program.results) == len(graphs[0].outvars)
            args = _paths(args, program.args)
            results = program.results if same else graphs[0].results
        graphs[0] = replace(graphs[0], args=args, results=results)
        return graphs

    def _read(self, region: Region) -> Iterator[str]:
        """The values that a region or its inner regions use, and that are defined outside."""
        defined = {value.name for value in region.arguments}
        for op in region.ops:
            yield from (operand for operand in self._operands(op) if operand not in defined)
            defined.update(value.name for value in op.results)
        yield from (result for result in region.results if result not in defined)

    def _operands(self, op: Op) -> list[str]:
        """The op's operands, then the outside values that its regions use."""
        if not op.regions:
            return op.operands
        reads = (read for region in op.regions for read in self._reads(region))
        return [*op.operands, *(read for read in dict.fromkeys(reads) if read not in op.operands)]

    def _reads(self, region: Region) -> list[str]:
        return self._blocks[self._region[id(region)]].reads

    def _graph(self, block: _Block, variables: _Vars) -> Graph:
        region = block.region
        arguments = zip(region.arguments, block.shardings, strict=True)
        invars = [variables.define(value, sharding) for value, sharding in arguments]
        invars += [variables.take(read) for read in block.reads]
        eqns = [self._eqn(op, block, variables) for op in region.ops]
        outvars = tuple(map(variables.index, region.results))
        return Graph(
            name=name(block.title),
            vars=variables.records,
            constvars=(),
            invars=tuple(invars),
            outvars=outvars,
            args=("",) * len(invars),
            results=("",) * len(outvars),
            eqns=eqns,
            groups=[],
            effects=(),
        )

    def _eqn(self, op: Op, block: _Block, variables: _Vars) -> Eqn:
        operands = self._operands(op)
        origin = self._origins.within(self._origins.of(op, block.function), block.holder)
        for region in op.regions:
            self._blocks[self._region[id(region)]].holder = origin
        source = self._origins.eqn(origin)
        invars = tuple(map(variables.index, operands))
        shardings = shardings_of(op)
        params, attributes = self._params.of(op)
        has_bodies = bool(op.regions) or op.name in CALLS
        return Eqn(
            op=op.name.removeprefix("func."),
            name=_callee(op),
            invars=invars,
            outvars=tuple(map(variables.define, op.results, shardings)),
            roles=roles(op, operands),
            params=params,
            attributes=attributes,
            bodies=(*self._called(op), *self._regions(op, operands, source)) if has_bodies else (),
            effects=(),
            frame=None if source is None else source.frame,
            call=None if source is None else source.call,
            inherited=source is not None and source.inherited,
            scope=self._origins.scope(op),
            span=op.span,
            origin=origin,
            guess=False,
            own="",
            trips=None,
            cost=None,
        )

    def _regions(self, op: Op, operands: list[str], source: Eqn | None) -> Iterator[Body]:
        labels = labels_of(op, source)
        for number, region in enumerate(op.regions):
            yield Body(
                label=labels[number],
                graph=self._region[id(region)],
                inputs=(*inputs(op, region), *map(operands.index, self._reads(region))),
                outputs=outputs(op, number, region),
            )

    def _called(self, op: Op) -> Iterator[Body]:
        for callee in called(op):
            if callee in self._number:
                number = self._number[callee]
                body = self._blocks[number].region
                yield Body(
                    label=_ROLES.get(op.name, "called"),
                    graph=number,
                    inputs=_straight(len(body.arguments), len(op.operands)),
                    outputs=_straight(len(body.results), len(op.results)),
                )


class _Vars:
    """The variables of one graph, by their names in the text (`%0`)."""

    def __init__(self, avals: Types, around: _Vars | None) -> None:
        self.records: list[Var] = []
        self._avals = avals
        self._around = around
        self._index: dict[str, int] = {}

    def define(self, value: Value, sharding: str | None) -> int:
        return self._add(value.name, self._avals.index(value.type, sharding))

    def take(self, read: str) -> int:
        """Adds an input for a value of the enclosing graph; returns its index."""
        assert self._around is not None
        return self._add(read, self._around.records[self._around.index(read)].aval)

    def index(self, read: str) -> int:
        return self._index[read]

    def _add(self, key: str, aval: int) -> int:
        number = self._index[key] = len(self.records)
        self.records.append(Var(name=key, aval=aval, literal=False))
        return number


def _paths(found: tuple[str, ...], jaxprs: tuple[str, ...]) -> tuple[str, ...]:
    """The paths of the inputs: the jaxpr's if each equals that in `found`, or JAX wrote none there.
    Else `found`, since JAX omits unused inputs."""
    same = len(found) == len(jaxprs) and all(
        path in ("", own) for path, own in zip(found, jaxprs, strict=True)
    )
    return jaxprs if same else found


_ROLES = {"func.call": "body", "stablehlo.composite": "decomposition"}


def _callee(op: Op) -> str:
    """The name of the function or the custom call that the op calls; empty if there is none."""
    if op.name not in CALLS:
        return ""
    target = op.attributes.get("call_target_name")
    if target is not None:
        return name(target.value)
    found = called(op)
    return name(found[0]) if found else ""


def _straight(inner: int, outer: int) -> tuple[int, ...]:
    return tuple(range(inner)) if inner == outer else (-1,) * inner


_LABELS = {
    "stablehlo.while": ("condition", "body"),
    "stablehlo.if": ("true", "false"),
    "stablehlo.reduce": ("reducer",),
    "stablehlo.reduce_window": ("reducer",),
    "stablehlo.reduce_scatter": ("reducer",),
    "stablehlo.all_reduce": ("reducer",),
    "stablehlo.scatter": ("update",),
    "stablehlo.select_and_scatter": ("select", "scatter"),
    "stablehlo.sort": ("comparator",),
}
_CHOOSES = {"stablehlo.if": "pred", "stablehlo.case": "index"}
_FED = frozenset(("stablehlo.while", "sdy.manual_computation"))
_RETURNING = frozenset(("stablehlo.if", "stablehlo.case", "sdy.manual_computation"))


def labels_of(op: Op, source: Eqn | None) -> tuple[str, ...]:
    """The labels of the op's regions: `condition`, `branch 2`. `source` is the eqn that it comes
    from."""
    count = len(op.regions)
    if op.name == "stablehlo.case":
        return branch_labels(source, count)
    labels = _LABELS.get(op.name, ())[:count]
    return labels + ("body",) * (count - len(labels))


def roles(op: Op, operands: list[str]) -> tuple[str, ...]:
    """The op's `schema.Eqn.roles`. `operands` are its own, then the outside values that its regions
    use. A loop carries its own operands, and the others are its constants."""
    own = len(op.operands)
    if op.name == "stablehlo.while":
        return ("carry",) * own + ("const",) * (len(operands) - own)
    chooses = _CHOOSES.get(op.name)
    return (chooses,) + ("",) * (len(operands) - 1) if chooses else ()


def inputs(op: Op, region: Region) -> tuple[int, ...]:
    """For each argument of the region the index of the operand that feeds it; -1 for none."""
    count = len(region.arguments)
    return _straight(count, len(op.operands)) if op.name in _FED else (-1,) * count


def outputs(op: Op, number: int, region: Region) -> tuple[int, ...]:
    """For each result of the region the index of the op's result that it becomes; -1 for none."""
    count = len(region.results)
    loop = op.name == "stablehlo.while" and number == 1
    becomes = loop or op.name in _RETURNING
    return _straight(count, len(op.results)) if becomes else (-1,) * count


_TENSOR = re.compile(r"tensor<((?:(?:\d+|\?)x)*)(complex<f\d+>|\w+)(?:, .*)?>")
_INTEGER = re.compile(r"(u?)i(\d+)")
_FLOAT = re.compile(r"f(\d+)")


class Types:
    """The avals of a stage. Each type with its sharding is one record."""

    def __init__(self) -> None:
        self.records: list[Aval] = []
        self._index: dict[tuple[str, str | None], int] = {}

    def index(self, text: str, sharding: str | None = None) -> int:
        """The index in `records` of a type as MLIR prints it; adds the type if it is new."""
        key = (text, sharding)
        if key not in self._index:
            self._index[key] = len(self.records)
            self.records.append(aval_of(text, sharding))
        return self._index[key]


def aval_of(text: str, sharding: str | None = None) -> Aval:
    """The aval of a type: `tensor<8x64xf32>` is `f32[8,64]`. The aval of another type has MLIR's
    text, and neither shape nor bytes."""
    found = _TENSOR.fullmatch(text)
    sizes = found[1].split("x")[:-1] if found else []
    element, dtype, bits = _element(found[2]) if found else ("", "", None)
    count = None if "?" in sizes else math.prod(map(int, sizes))
    return Aval(
        text=f"{element}[{','.join(sizes)}]" if found else name(text),
        kind="array" if found else _kind(text),
        shape=[size if size == "?" else int(size) for size in sizes] if found else None,
        dtype=dtype,
        weak_type=False,
        sharding=sharding,
        memory=None,
        layout=None,
        bytes=None if bits is None or count is None else math.ceil(count * bits / 8),
    )


def _kind(text: str) -> str:
    if text.startswith("tuple<"):
        return "tuple"
    return "token" if text == "!stablehlo.token" else "other"


def _element(text: str) -> tuple[str, str, int | None]:
    """JAX's short and long name of an element type (`f32`, `float32`), and its bits; None for the
    bits if the type is not known."""
    if text == "i1":
        return "bool", "bool", 8
    if found := _INTEGER.fullmatch(text):
        sign = "u" if found[1] else ""
        return f"{sign or 'i'}{found[2]}", f"{sign}int{found[2]}", int(found[2])
    if found := _FLOAT.fullmatch(text):
        return text, f"float{found[1]}", int(found[1])
    if text.startswith("complex<f"):
        bits = 2 * int(text[9:-1])
        return f"c{bits}", f"complex{bits}", bits
    if text == "bf16":
        return "bf16", "bfloat16", 16
    if found := re.fullmatch(r"f(\d)(E\w+)", text):  # `f8E4M3FN` is `float8_e4m3fn`
        short = f"{found[1]}_{found[2].lower()}"
        return f"f{short}", f"float{short}", int(found[1])
    return text, text, None
