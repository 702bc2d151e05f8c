"""Makes a graph of each computation of an HLO module, and an eqn of each instruction.

The computations that an instruction calls become the bodies of its eqn: condition and body of a
loop, the fused computation of a fusion. The order of XLA's `called_computation_ids` depends on the
opcode.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.hlo.instruction_text import InstructionLine, InstructionLines, params_of
from jaxviz.capture.stages.hlo.instructions import (
    Computation,
    Instruction,
    attributes_of,
    trips_of,
)
from jaxviz.capture.stages.hlo.messages import Shapes, op_name_of
from jaxviz.capture.stages.op_names import Names, Origins, branch_labels
from jaxviz.schema import Body, Eqn, Graph, Var, empty


class CalledComputation(NamedTuple):
    """A computation that an instruction calls."""

    graph: int
    """The index of its graph in the stage."""
    name: str
    parameters: int
    """The number of its parameters."""


def bodies_of(
    opcode: str,
    operands: int,
    called: list[CalledComputation],
    by_pred: bool,
    source: Eqn | None = None,
) -> tuple[Body, ...]:
    """The bodies of an instruction that calls these computations.

    `operands` is the number of its operands. `by_pred`: the first operand is a pred, with which a
    conditional chooses; otherwise its branches are those of `source`, the eqn that it comes from,
    in the same order."""
    whole = tuple(range(operands))
    match opcode:
        case "while":
            body, condition = called
            return _body("condition", condition, whole, ()), _body("body", body, whole, (0,))
        case "conditional":
            labels = ("true", "false") if by_pred else branch_labels(source, len(called))
            pairs = enumerate(zip(labels, called, strict=True), 1)
            return tuple(_body(label, one, (number,), (0,)) for number, (label, one) in pairs)
        case "fusion":
            return tuple(_body("fused", inner, whole, (0,)) for inner in called)
        case "call" | "async-start":
            return tuple(_body("body", inner, whole, (0,)) for inner in called)
        case "custom-call":
            return tuple(_body("called", inner, (), ()) for inner in called)
        case "select-and-scatter":
            pairs = zip(("select", "scatter"), called, strict=True)
            return tuple(_body(label, inner, (), ()) for label, inner in pairs)
        case _:
            return tuple(_body("to apply", inner, (), ()) for inner in called)


def roles_of(opcode: str, operands: int, by_pred: bool) -> tuple[str, ...]:
    """The `schema.Eqn.roles` of an instruction. The parameters are those of `bodies_of`. The carry
    of a loop is one operand, a tuple."""
    match opcode:
        case "while":
            return ("carry",)
        case "conditional":
            return ("pred" if by_pred else "index",) + ("",) * (operands - 1)
        case _:
            return ()


def _body(
    label: str, called: CalledComputation, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> Body:
    """The body. All its inputs are -1 if the computation takes another number of parameters."""
    if len(inputs) != called.parameters:
        inputs = (-1,) * called.parameters
    return Body(label=label, graph=called.graph, inputs=inputs, outputs=outputs or (-1,))


class Computations:
    """Makes the graphs of all computations of a module, which share sources and forms."""

    def __init__(
        self,
        module: Any,
        found: list[Computation],
        names: Names,
        origins: Origins,
        lines: InstructionLines,
        shardings: list[str],
    ) -> None:
        self.lines = lines
        self.shapes = Shapes()
        self.sequences = module.schedule.sequences
        self.around: dict[int, tuple[int, ...]] = {}
        """For each computation, by id, the common beginning of its callers' origins. Callers are
        read first, so it is complete when the computation is read."""
        self._names = names
        self._origins = origins
        self.everywhere: dict[bytes, _Source] = {}
        """Sources by metadata, if they are the same in each computation."""
        self._sources: dict[tuple[int, ...], dict[bytes, _Source]] = {}
        self._forms: dict[tuple[Any, ...], Eqn] = {}
        self._found = found
        self._entry: int = module.entry_computation_id
        self._computations = _as_called(found, self._entry)
        self._shardings = shardings
        self.parameters = {one.id: one.parameters for one in found}
        self._called = {
            one.id: CalledComputation(graph, one.name, len(self.parameters[one.id]))
            for graph, one in enumerate(self._computations)
        }

    def graphs(self, program: Graph | None) -> list[Graph]:
        """The graphs: the entry's first, then the others in the order in which they are called.
        The entry has the paths of `program`, the jaxpr's first graph; without it, XLA's names."""
        callers_first = reversed(self._found)
        made = {found.id: _ComputationGraph(self, found).graph() for found in callers_first}
        entry, *others = [made[found.id] for found in self._computations]
        return [_with_paths(entry, self._computations[0], program), *others]

    def sharding(self, computation: Computation, parameter: Instruction) -> str | None:
        """The sharding of the entry's parameter, for modules whose text lacks it; None for any
        other parameter."""
        if computation.id != self._entry:
            return None
        number = computation.message(parameter).parameter_number
        return self._shardings[number] if number < len(self._shardings) else None

    def sources(self, around: tuple[int, ...]) -> dict[bytes, _Source]:
        """Cached sources by metadata in computations with this `around`. Thousands of instructions
        have equal metadata."""
        return self._sources.setdefault(around, {})

    def source(self, metadata: bytes, around: tuple[int, ...]) -> _Source:
        """Reads metadata and caches its source."""
        numbers, scope = self._names.read(op_name_of(metadata))
        nested = self._origins.nested(numbers)
        origin = self._origins.within(nested, around)
        eqn = self._origins.eqn(origin)
        places = (None, None, False) if eqn is None else (eqn.frame, eqn.call, eqn.inherited)
        cache = self.everywhere if self._origins.is_whole(nested) else self.sources(around)
        found = cache[metadata] = _Source(origin, scope, *places)
        return found

    def form(self, computation: Computation, one: Instruction, line: InstructionLine | None) -> Eqn:
        """An eqn with only op, params, attributes and trips. Instructions with equal lines share
        it; without its line an instruction has its own."""
        value = line and one.opcode == "constant" and (line.operands, one.shape)
        attributes = id(line.attributes) if line else one.id
        key = (one.opcode, attributes, value, one.backend_config)
        found = self._forms.get(key)
        if found is None:
            trips = trips_of(one.backend_config) if one.opcode == "while" else None
            found = self._forms[key] = empty(
                Eqn,
                op=name(one.opcode),
                params=params_of(one, line, trips),
                attributes=attributes_of(computation.message(one), one.backend_config),
                trips=trips,
            )
        return found

    def eqn_of(self, origin: tuple[int, ...]) -> Eqn | None:
        """The innermost eqn of the jaxpr in an origin; None if the origin is empty."""
        return self._origins.eqn(origin)

    def calls(self, called: Sequence[int], origin: tuple[int, ...]) -> list[CalledComputation]:
        """The computations with these ids, which one instruction calls. Adds the instruction's
        `origin` to `around` of each."""
        for number in called:
            self.around[number] = _common(self.around.get(number, origin), origin)
        return [self._called[number] for number in called]


class _Source(Struct, frozen=True, gc=False):
    """The origin of an instruction, with the source lines of its innermost eqn."""

    origin: tuple[int, ...]
    scope: int
    """Index into `Stage.scopes`."""
    frame: int | None
    call: int | None
    inherited: bool


class _ComputationGraph:
    """Makes the graph of one computation. Its vars are its instructions in order."""

    def __init__(self, shared: Computations, computation: Computation) -> None:
        self._shared = shared
        self._computation = computation
        self._instructions = _in_order(computation, shared.sequences)
        self._index = {one.id: i for i, one in enumerate(self._instructions)}
        self._vars: list[Var] = []
        self._around = shared.around.get(computation.id, ())
        self._sources = shared.sources(self._around)

    def graph(self) -> Graph:
        computation, shared = self._computation, self._shared
        printed = shared.lines.get(computation.name, {})
        lines = [printed.get(one.name) for one in self._instructions]
        self._vars += map(self._var, self._instructions, lines)
        eqns = [
            self._eqn(number, one, line)
            for number, (one, line) in enumerate(zip(self._instructions, lines, strict=True))
            if one.opcode != "parameter"
        ]
        invars = tuple(self._index[one.id] for one in shared.parameters[computation.id])
        return Graph(
            name=name(computation.name),
            vars=self._vars,
            constvars=(),
            invars=invars,
            outvars=(self._index[computation.proto.root_id],),
            args=("",) * len(invars),
            results=("",),
            eqns=eqns,
            groups=[],
            effects=(),
        )

    def _var(self, one: Instruction, line: InstructionLine | None) -> Var:
        sharding = None if line is None else line.attributes.get("sharding")
        if sharding is None and one.opcode == "parameter":
            sharding = self._shared.sharding(self._computation, one)
        aval = self._shared.shapes.index(one.shape, sharding and name(sharding))
        return Var(name=name("%" + one.name), aval=aval, literal=False)

    def _eqn(self, number: int, one: Instruction, line: InstructionLine | None) -> Eqn:
        shared, metadata = self._shared, one.metadata
        source = shared.everywhere.get(metadata) or self._sources.get(metadata)
        source = source or shared.source(metadata, self._around)
        eqn = replace(
            shared.form(self._computation, one, line),
            invars=tuple(map(self._index.__getitem__, one.operands)),
            outvars=(number,),
            frame=source.frame,
            call=source.call,
            inherited=source.inherited,
            scope=source.scope,
            span=None if line is None else (line.start, line.stop),
            origin=source.origin,
        )
        return self._calling(eqn, one) if one.called or one.opcode == "custom-call" else eqn

    def _calling(self, eqn: Eqn, one: Instruction) -> Eqn:
        """The eqn of a call with its name, roles and bodies. The name is that of the called
        computation, the kind of a fusion, or the target of a custom call."""
        shared, count = self._shared, len(eqn.invars)
        called = shared.calls(one.called, eqn.origin)
        message = self._computation.message(one)
        chooses = [shared.shapes.records[self._vars[var].aval] for var in eqn.invars[:1]]
        by_pred = any(aval.dtype == "bool" and aval.shape is not None for aval in chooses)
        is_call = one.opcode == "call"
        return replace(
            eqn,
            name=name(
                called[0].name if is_call else message.fusion_kind or message.custom_call_target
            ),
            roles=roles_of(one.opcode, count, by_pred),
            bodies=bodies_of(one.opcode, count, called, by_pred, shared.eqn_of(eqn.origin)),
        )


def _in_order(computation: Computation, sequences: Any) -> list[Instruction]:
    """The instructions in XLA's schedule, or as listed if there is none."""
    if computation.id not in sequences:
        return computation.instructions
    by_id = {one.id: one for one in computation.instructions}
    return [by_id[number] for number in sequences[computation.id].instruction_ids]


def _as_called(computations: list[Computation], entry: int) -> list[Computation]:
    """The computations in the order of calls, the entry first; uncalled ones last."""
    by_id = {computation.id: computation for computation in computations}
    found = dict.fromkeys([entry])
    waiting = [entry]
    for number in waiting:
        for instruction in by_id[number].instructions:
            for called in instruction.called:
                if called not in found:
                    found[called] = None
                    waiting.append(called)
    return [by_id[number] for number in {**found, **dict.fromkeys(by_id)}]


def _common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The common beginning of both."""
    pairs = zip(one, other, strict=False)
    return tuple(number for number, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _with_paths(entry: Graph, computation: Computation, program: Graph | None) -> Graph:
    """The entry's graph with the user's paths of its parameters and results.

    XLA uses the paths as names of parameters, and drops unused parameters. It returns several
    results as one tuple. As in the other stages, the values in it are the results here."""
    args = tuple(name(op_name_of(one.metadata)) for one in computation.parameters)
    outvars = _returned(entry)
    results = tuple(f"result[{i}]" for i in range(len(outvars)))
    results = results if len(outvars) > 1 else ("result",)
    if program is not None:
        if not set(args) <= set(program.args):
            whole = len(args) == len(program.args)
            args = program.args if whole else tuple(a if a in program.args else "" for a in args)
        results = program.results if len(program.results) == len(outvars) else results
    return replace(entry, args=args, outvars=outvars, results=results[: len(outvars)])


def _returned(entry: Graph) -> tuple[int, ...]:
    [root] = entry.outvars
    made = next((eqn for eqn in entry.eqns if root in eqn.outvars), None)
    return made.invars if made is not None and made.op == "tuple" else (root,)
