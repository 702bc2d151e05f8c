"""Makes a graph of each computation of an HLO module, and an eqn of each instruction.

What an instruction calls becomes the bodies of its eqn (`called_computations`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.hlo.called_computations import CalledComputation, bodies_of, roles_of
from jaxviz.capture.stages.hlo.hlo_origins import Origins
from jaxviz.capture.stages.hlo.instruction_text import InstructionLine, InstructionLines, Params
from jaxviz.capture.stages.hlo.instructions import Computation, Instruction
from jaxviz.capture.stages.hlo.shapes import Shapes
from jaxviz.capture.stages.op_names import Names
from jaxviz.schema import NOTHING, Eqn, Graph, Var


class Computations:
    """Makes the graphs of all computations of a module, and holds what these share."""

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
        self.params = Params()
        self.sequences = module.schedule.sequences
        self.around: dict[int, list[int]] = {}
        """For each computation, by its id, what the origins of the instructions that call it begin
        with alike. Callers are read first, so it is complete when the computation is read."""
        self._names = names
        self._origins = origins
        self._sources: dict[tuple[int, ...], dict[bytes, _Source]] = {}
        self._found = found
        self._entry: int = module.entry_computation_id
        self._computations = _as_called(found, self._entry)
        self._shardings = shardings
        self.parameters = {one.id: one.parameters for one in found}
        self._called = {
            one.id: CalledComputation(graph, one.name, len(self.parameters[one.id]))
            for graph, one in enumerate(self._computations)
        }
        self._lists: dict[tuple[Any, ...], list[Any]] = {}

    def graphs(self, program: Graph | None) -> list[Graph]:
        """The graphs: the entry's first, then the others in the order in which they are called.
        The entry has the paths of `program`, the jaxpr's first graph; without it, XLA's names."""
        callers_first = reversed(self._found)
        made = {found.id: _ComputationGraph(self, found).graph() for found in callers_first}
        entry, *others = [made[found.id] for found in self._computations]
        return [_with_paths(entry, self._computations[0], program), *others]

    def sharding(self, computation: Computation, parameter: Instruction) -> str | None:
        """How a parameter of the entry lies on the devices, for modules whose text does not say
        it; None for any other parameter."""
        if computation.id != self._entry:
            return None
        number = parameter.held.parameter_number
        return self._shardings[number] if number < len(self._shardings) else None

    def sources(self, around: Sequence[int]) -> dict[bytes, _Source]:
        """What op names say in computations with this `around`, as far as they are read: thousands
        of instructions have the same name."""
        return self._sources.setdefault((*around,), {})

    def source(self, op_name: bytes, around: Sequence[int]) -> _Source:
        numbers, scope = self._names.read(op_name.decode(errors="replace"))
        origin = self.listed(tuple(self._origins.of(numbers, [*around])))
        return _Source(origin, self._origins.eqn(origin), scope)

    def listed(self, values: tuple[Any, ...]) -> list[Any]:
        """The values as a list: the same for equal ones, as Python's collector looks at each."""
        found = self._lists.get(values)
        if found is None:
            found = self._lists[values] = [*values]
        return found

    def calls(self, called: Sequence[int], origin: list[int]) -> list[CalledComputation]:
        """The computations with these ids, which one instruction calls. Notes the instruction's
        `origin` for each in `around`."""
        for number in called:
            known = self.around.get(number, origin)
            self.around[number] = _shared(known, origin)
        return [self._called[number] for number in called]


class _Source(Struct, frozen=True, gc=False):
    """What an instruction was made for."""

    origin: list[int]
    eqn: Eqn | None
    """The innermost eqn of the origin."""
    scope: int
    """Index into `Stage.scopes`."""


class _ComputationGraph:
    """Makes the graph of one computation. Its vars are its instructions, in their order."""

    def __init__(self, shared: Computations, computation: Computation) -> None:
        self._shared = shared
        self._computation = computation
        self._instructions = _in_order(computation, shared.sequences)
        self._index = {one.id: i for i, one in enumerate(self._instructions)}
        self._around = shared.around.get(computation.id, ())
        self._sources = shared.sources(self._around)

    def graph(self) -> Graph:
        computation, variables, eqns = self._computation, list[Var](), list[Eqn]()
        lines = self._shared.lines.get(computation.name, {})
        for number, one in enumerate(self._instructions):
            line = lines.get(one.name)
            variables.append(self._var(one, line))
            if one.opcode != "parameter":
                eqns.append(self._eqn(number, one, line))
        invars = [self._index[one.id] for one in self._shared.parameters[computation.id]]
        listed = self._shared.listed
        return Graph(
            name=name(computation.name),
            vars=variables,
            constvars=NOTHING,
            invars=listed((*invars,)),
            outvars=listed((self._index[computation.held.root_id],)),
            args=listed(("",) * len(invars)),
            results=listed(("",)),
            eqns=eqns,
            groups=NOTHING,
            effects=NOTHING,
        )

    def _var(self, one: Instruction, line: InstructionLine | None) -> Var:
        sharding = None if line is None else line.attributes.get("sharding")
        if sharding is None and one.opcode == "parameter":
            sharding = self._shared.sharding(self._computation, one)
        shape = "" if line is None else line.shape
        aval = self._shared.shapes.index(one.held, shape, sharding and name(sharding))
        return Var(name=name("%" + one.name), aval=aval, literal=False)

    def _eqn(self, number: int, one: Instruction, line: InstructionLine | None) -> Eqn:
        shared, opcode, op_name = self._shared, one.opcode, one.op_name
        source = self._sources.get(op_name)
        if source is None:
            source = self._sources[op_name] = shared.source(op_name, self._around)
        origin, made_for = source.origin, source.eqn
        operands = shared.listed(tuple([self._index[id] for id in one.held.operand_ids]))
        called = shared.calls(one.called, origin) if one.called else []
        return Eqn(
            op=name(opcode),
            name=_called_name(one, called),
            invars=operands,
            outvars=shared.listed((number,)),
            roles=roles_of(opcode, self._shapes(operands)) if called else NOTHING,
            params=shared.params.of(one, line),
            bodies=bodies_of(opcode, self._shapes(operands), called) if called else NOTHING,
            effects=NOTHING,
            frame=None if made_for is None else made_for.frame,
            call=None if made_for is None else made_for.call,
            inherited=made_for is not None and made_for.inherited,
            scope=source.scope,
            span=None if line is None else [line.start, line.stop],
            origin=origin,
            guess=False,
            own="",
            trips=None,
            cost=None,
        )

    def _shapes(self, operands: list[int]) -> list[Any]:
        return [self._instructions[i].held.shape for i in operands]


def _in_order(computation: Computation, sequences: Any) -> list[Instruction]:
    """The instructions in the order in which XLA runs them, or as listed if it has not set one."""
    if computation.id not in sequences:
        return computation.instructions
    by_id = {one.id: one for one in computation.instructions}
    return [by_id[number] for number in sequences[computation.id].instruction_ids]


def _called_name(one: Instruction, called: list[CalledComputation]) -> str:
    """The eqn's name: the computation of a call, the kind of a fusion, the target of a custom
    call; empty for others."""
    if one.opcode == "call":
        return name(called[0].name)
    named = called or one.opcode == "custom-call"
    return name(one.held.fusion_kind or one.held.custom_call_target) if named else ""


def _as_called(computations: list[Computation], entry: int) -> list[Computation]:
    """The computations in the order in which they are called, the entry first; any that nothing
    calls come last."""
    by_id = {computation.id: computation for computation in computations}
    found = [entry]
    known = set(found)
    for number in found:
        for instruction in by_id[number].instructions:
            for called in instruction.called:
                if called not in known:
                    found.append(called)
                    known.add(called)
    return [by_id[number] for number in [*found, *(n for n in by_id if n not in known)]]


def _shared(one: list[int], other: list[int]) -> list[int]:
    """The numbers that both lists begin with."""
    pairs = zip(one, other, strict=False)
    return [number for number, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]


def _with_paths(entry: Graph, computation: Computation, program: Graph | None) -> Graph:
    """The entry's graph with the user's paths of its parameters and results. XLA has the paths as
    names of parameters, and drops parameters that are not used. It returns several results as one
    tuple: the values in it are the results here, as in the other stages."""
    args = [name(one.op_name.decode(errors="replace")) for one in computation.parameters]
    outvars = _returned(entry)
    results = [f"result[{i}]" for i in range(len(outvars))] if len(outvars) > 1 else ["result"]
    if program is not None:
        if not set(args) <= set(program.args):
            whole = len(args) == len(program.args)
            args = program.args if whole else [one if one in program.args else "" for one in args]
        results = program.results if len(program.results) == len(outvars) else results
    return replace(entry, args=args, outvars=outvars, results=results[: len(outvars)])


def _returned(entry: Graph) -> list[int]:
    [root] = entry.outvars
    made = next((eqn for eqn in entry.eqns if root in eqn.outvars), None)
    return made.invars if made is not None and made.op == "tuple" else [root]
