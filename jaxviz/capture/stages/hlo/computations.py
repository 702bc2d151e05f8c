"""Makes a graph of each computation of an HLO module, and an eqn of each instruction.

What an instruction calls becomes the bodies of its eqn (`called_computations`).
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture.shown.strings import name
from jaxviz.capture.stages.hlo.called_computations import CalledComputation, bodies_of, roles_of
from jaxviz.capture.stages.hlo.hlo_origins import Origins
from jaxviz.capture.stages.hlo.instruction_text import InstructionLine, InstructionLines, Params
from jaxviz.capture.stages.hlo.shapes import Shapes
from jaxviz.capture.stages.op_names import Names
from jaxviz.schema import NOTHING, Eqn, Graph, Var


class Computations:
    """Makes the graphs of all computations of a module, and holds what these share."""

    def __init__(
        self,
        module: Any,
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
        self._sources: dict[tuple[bytes, tuple[int, ...]], _Source] = {}
        self._module = module
        self._computations = _as_called(module)
        self._shardings = shardings
        self.parameters = {found.id: _parameters(found) for found in self._computations}
        self._called = {
            found.id: CalledComputation(graph, found.name, len(self.parameters[found.id]))
            for graph, found in enumerate(self._computations)
        }
        self._lists: dict[tuple[int, ...], list[int]] = {}

    def graphs(self, program: Graph | None) -> list[Graph]:
        """The graphs: the entry's first, then the others in the order in which they are called.
        The entry has the paths of `program`, the jaxpr's first graph; without it, XLA's names."""
        callers_first = reversed(self._module.computations)
        made = {found.id: _Computation(self, found).graph() for found in callers_first}
        entry, *others = [made[found.id] for found in self._computations]
        return [_with_paths(entry, self._computations[0], program), *others]

    def sharding(self, computation: Any, parameter: Any) -> str | None:
        """How a parameter of the entry lies on the devices, for modules whose text does not say
        it; None for any other parameter."""
        number = parameter.parameter_number
        entry = computation.id == self._module.entry_computation_id
        return self._shardings[number] if entry and number < len(self._shardings) else None

    def source(self, op_name: bytes, around: tuple[int, ...]) -> _Source:
        """What an op name says in a computation with this `around`. Thousands of instructions have
        the same name, so each is read once."""
        found = self._sources.get((op_name, around))
        if found is None:
            written = op_name.decode(errors="replace")
            origin = self._origins.of(self._names.numbers(written), [*around])
            eqn, scope = self._origins.eqn(origin), self._names.scope(written)
            found = self._sources[op_name, around] = _Source(origin, eqn, scope)
        return found

    def listed(self, *numbers: int) -> list[int]:
        """The numbers as a list: the same for equal ones, as Python's collector looks at each."""
        return self._lists.setdefault(numbers, [*numbers])

    def calls(self, called: list[int], origin: list[int]) -> list[CalledComputation]:
        """The computations with these ids, which one instruction calls. Notes the instruction's
        `origin` for each in `around`."""
        for number in called:
            known = self.around.get(number, origin)
            self.around[number] = _shared(known, origin)
        return [self._called[number] for number in called]


class _Source(NamedTuple):
    """What an instruction was made for."""

    origin: list[int]
    eqn: Eqn | None
    """The innermost eqn of the origin."""
    scope: int
    """Index into `Stage.scopes`."""


class _Computation:
    """Makes the graph of one computation. Its vars are its instructions, in their order."""

    def __init__(self, shared: Computations, computation: Any) -> None:
        self._shared = shared
        self._computation = computation
        self._instructions = _in_order(computation, shared.sequences)
        self._index = {held.id: i for i, held in enumerate(self._instructions)}
        self._around = tuple(shared.around.get(computation.id, ()))

    def graph(self) -> Graph:
        computation, variables, eqns = self._computation, list[Var](), list[Eqn]()
        title, lines = computation.name, self._shared.lines
        for number, held in enumerate(self._instructions):
            opcode, written = held.opcode, held.name
            line = lines.get((title, written))
            variables.append(self._var(held, opcode, written, line))
            if opcode != "parameter":
                eqns.append(self._eqn(number, held, opcode, line))
        invars = [self._index[held.id] for held in self._shared.parameters[computation.id]]
        return Graph(
            name=name(title),
            vars=variables,
            constvars=[],
            invars=invars,
            outvars=[self._index[computation.root_id]],
            args=[""] * len(invars),
            results=[""],
            eqns=eqns,
            groups=[],
            effects=[],
        )

    def _var(self, held: Any, opcode: str, written: str, line: InstructionLine | None) -> Var:
        sharding = None if line is None else line.attributes.get("sharding")
        if sharding is None and opcode == "parameter":
            sharding = self._shared.sharding(self._computation, held)
        aval = self._shared.shapes.index(held.shape, sharding and name(sharding))
        return Var(name=name("%" + written), aval=aval, literal=False)

    def _eqn(self, number: int, held: Any, opcode: str, line: InstructionLine | None) -> Eqn:
        shared = self._shared
        origin, made_for, scope = shared.source(held.metadata.op_name, self._around)
        operands = shared.listed(*[self._index[operand] for operand in held.operand_ids])
        ids = held.called_computation_ids
        called = shared.calls(ids, origin) if ids else []
        return Eqn(
            op=name(opcode),
            name=_called_name(held, opcode, called),
            invars=operands,
            outvars=shared.listed(number),
            roles=roles_of(opcode, self._shapes(operands)) if called else NOTHING,
            params=shared.params.of(held, opcode, line),
            bodies=bodies_of(opcode, self._shapes(operands), called) if called else NOTHING,
            effects=NOTHING,
            frame=None if made_for is None else made_for.frame,
            call=None if made_for is None else made_for.call,
            inherited=made_for is not None and made_for.inherited,
            scope=scope,
            span=None if line is None else line.span,
            origin=origin,
            guess=False,
            own="",
            trips=None,
            cost=None,
        )

    def _shapes(self, operands: list[int]) -> list[Any]:
        return [self._instructions[i].shape for i in operands]


def _in_order(computation: Any, sequences: Any) -> list[Any]:
    """The instructions in the order in which XLA runs them, or as listed if it has not set one."""
    listed = list(computation.instructions)
    if computation.id not in sequences:
        return listed
    by_id = {instruction.id: instruction for instruction in listed}
    return [by_id[number] for number in sequences[computation.id].instruction_ids]


def _called_name(instruction: Any, opcode: str, called: list[CalledComputation]) -> str:
    """The eqn's name: the computation of a call, the kind of a fusion, the target of a custom
    call; empty for others."""
    if opcode == "call":
        return name(called[0].name)
    named = called or opcode == "custom-call"
    return name(instruction.fusion_kind or instruction.custom_call_target) if named else ""


def _as_called(module: Any) -> list[Any]:
    """The computations in the order in which they are called, the entry first; any that nothing
    calls come last."""
    by_id = {computation.id: computation for computation in module.computations}
    found = [module.entry_computation_id]
    known = set(found)
    for number in found:
        for instruction in by_id[number].instructions:
            for called in instruction.called_computation_ids:
                if called not in known:
                    found.append(called)
                    known.add(called)
    return [by_id[number] for number in [*found, *(n for n in by_id if n not in known)]]


def _shared(one: list[int], other: list[int]) -> list[int]:
    """The numbers that both lists begin with."""
    pairs = zip(one, other, strict=False)
    return [number for number, _ in takewhile(lambda pair: pair[0] == pair[1], pairs)]


def _parameters(computation: Any) -> list[Any]:
    found = (held for held in computation.instructions if held.opcode == "parameter")
    return sorted(found, key=lambda held: held.parameter_number)


def _with_paths(entry: Graph, computation: Any, program: Graph | None) -> Graph:
    """The entry's graph with the user's paths of its parameters and results. XLA has the paths as
    names of parameters, and drops parameters that are not used. It returns several results as one
    tuple: the values in it are the results here, as in the other stages."""
    args = [name(_op_name(held)) for held in _parameters(computation)]
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


def _op_name(instruction: Any) -> str:
    return instruction.metadata.op_name.decode(errors="replace")
