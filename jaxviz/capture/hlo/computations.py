"""Makes a graph of each computation of an HLO module, and an eqn of each instruction.

An instruction may call computations: a loop its condition and body, a fusion what it fuses. They
become the bodies of its eqn, labelled by what they are to it. XLA's `called_computation_ids` has
them in an order that depends on the opcode.
"""

from __future__ import annotations

from itertools import takewhile
from typing import Any, NamedTuple

from msgspec.structs import replace

from jaxviz.capture.hlo.hlo_origins import Origins
from jaxviz.capture.hlo.instruction_text import InstructionLine, InstructionLines, params_of
from jaxviz.capture.hlo.shapes import Shapes, primitive_types
from jaxviz.capture.op_names import Names
from jaxviz.capture.strings import name
from jaxviz.schema import Body, Eqn, Graph, Var


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
        self.names = names
        self.origins = origins
        self.lines = lines
        self.shapes = Shapes()
        self.sequences = module.schedule.sequences
        self.around: dict[int, list[int]] = {}
        """For each computation, by its id, what the origins of the instructions that call it begin
        with alike. Callers are read first, so it is complete when the computation is read."""
        self._module = module
        self._computations = _as_called(module)
        self._shardings = shardings
        self._called = {
            found.id: CalledComputation(graph, found.name, len(_parameters(found)))
            for graph, found in enumerate(self._computations)
        }

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

    def calls(self, instruction: Any, origin: list[int]) -> list[CalledComputation]:
        """The computations that an instruction calls. Notes the instruction's `origin` for each in
        `around`."""
        for number in instruction.called_computation_ids:
            known = self.around.get(number, origin)
            self.around[number] = _shared(known, origin)
        return [self._called[number] for number in instruction.called_computation_ids]


class _Computation:
    """Makes the graph of one computation. Its vars are its instructions, in their order."""

    def __init__(self, shared: Computations, computation: Any) -> None:
        self._shared = shared
        self._computation = computation
        self._instructions = _in_order(computation, shared.sequences)
        self._index = {held.id: i for i, held in enumerate(self._instructions)}
        self._around = shared.around.get(computation.id, [])

    def graph(self) -> Graph:
        computation = self._computation
        invars = [self._index[held.id] for held in _parameters(computation)]
        return Graph(
            name=name(computation.name),
            vars=[self._var(held) for held in self._instructions],
            constvars=[],
            invars=invars,
            outvars=[self._index[computation.root_id]],
            args=[""] * len(invars),
            results=[""],
            eqns=[self._eqn(held) for held in self._instructions if held.opcode != "parameter"],
            groups=[],
            effects=[],
        )

    def _line(self, instruction: Any) -> InstructionLine | None:
        return self._shared.lines.get((self._computation.name, instruction.name))

    def _var(self, instruction: Any) -> Var:
        line = self._line(instruction)
        sharding = None if line is None else line.attributes.get("sharding")
        if sharding is None and instruction.opcode == "parameter":
            sharding = self._shared.sharding(self._computation, instruction)
        aval = self._shared.shapes.index(instruction.shape, sharding and name(sharding))
        return Var(name=name("%" + instruction.name), aval=aval, literal=False)

    def _eqn(self, instruction: Any) -> Eqn:
        line = self._line(instruction)
        names, origins = self._shared.names, self._shared.origins
        op_name = _op_name(instruction)
        origin = origins.of(names.numbers(op_name), self._around)
        made_for = origins.eqn(origin)
        operands = [self._index[operand] for operand in instruction.operand_ids]
        called = self._shared.calls(instruction, origin)
        return Eqn(
            op=name(instruction.opcode),
            name=name(_called_name(instruction, called)),
            invars=operands,
            outvars=[self._index[instruction.id]],
            roles=roles_of(instruction.opcode, self._shapes(operands)),
            params=params_of(instruction, line),
            bodies=bodies_of(instruction.opcode, self._shapes(operands), called),
            effects=[],
            frame=None if made_for is None else made_for.frame,
            call=None if made_for is None else made_for.call,
            inherited=made_for is not None and made_for.inherited,
            scope=names.scope(op_name),
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


def _called_name(instruction: Any, called: list[CalledComputation]) -> str:
    """The eqn's name: the computation of a call, the kind of a fusion, the target of a custom
    call; empty for others."""
    if instruction.opcode == "call":
        return called[0].name
    return instruction.fusion_kind or instruction.custom_call_target


def _as_called(module: Any) -> list[Any]:
    """The computations in the order in which they are called, the entry first; any that nothing
    calls come last."""
    by_id = {computation.id: computation for computation in module.computations}
    found = [module.entry_computation_id]
    known = set(found)
    for number in found:
        for instruction in by_id[number].instructions:
            new = [called for called in instruction.called_computation_ids if called not in known]
            found += new
            known.update(new)
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


class CalledComputation(NamedTuple):
    """A computation that an instruction calls."""

    graph: int
    """The index of its graph in the stage."""
    name: str
    parameters: int
    """How many parameters it has."""


def bodies_of(opcode: str, operands: list[Any], called: list[CalledComputation]) -> list[Body]:
    """The bodies of an instruction that calls these computations. `operands` has the `ShapeProto`
    of each of its operands."""
    if not called:
        return []
    whole = list(range(len(operands)))
    match opcode:
        case "while":
            body, condition = called
            return [
                _body("condition", condition, whole, []),
                _body("body", body, whole, [0]),
            ]
        case "conditional":
            labels = _branches(operands[0], len(called))
            pairs = enumerate(zip(labels, called, strict=True), 1)
            return [_body(label, branch, [number], [0]) for number, (label, branch) in pairs]
        case "fusion":
            return [_body("fused", inner, whole, [0]) for inner in called]
        case "call" | "async-start":
            return [_body("body", inner, whole, [0]) for inner in called]
        case "custom-call":
            return [_body("called", inner, [], []) for inner in called]
        case "select-and-scatter":
            pairs = zip(("select", "scatter"), called, strict=True)
            return [_body(label, inner, [], []) for label, inner in pairs]
        case _:
            return [_body("to apply", inner, [], []) for inner in called]


def roles_of(opcode: str, operands: list[Any]) -> list[str]:
    """The `schema.Eqn.roles` of an instruction with operands of these shapes. The carry of a loop
    is one operand, a tuple."""
    match opcode:
        case "while":
            return ["carry"]
        case "conditional":
            chooses = "pred" if _is_pred(operands[0]) else "index"
            return [chooses] + [""] * (len(operands) - 1)
        case _:
            return []


def _branches(chosen_by: Any, count: int) -> list[str]:
    """The labels of the branches: `true` and `false` if a pred chooses, else numbers from 0."""
    if _is_pred(chosen_by):
        return ["true", "false"]
    return [f"branch {number}" for number in range(count)]


def _is_pred(shape: Any) -> bool:
    return primitive_types()[shape.element_type] == "pred"


def _body(label: str, called: CalledComputation, inputs: list[int], outputs: list[int]) -> Body:
    """The body; its inputs are -1 if the computation takes another number of parameters."""
    if len(inputs) != called.parameters:
        inputs = [-1] * called.parameters
    return Body(label=label, graph=called.graph, inputs=inputs, outputs=outputs or [-1])
