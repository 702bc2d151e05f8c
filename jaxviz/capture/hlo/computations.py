"""Computations as graphs, instructions as eqns."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from jaxviz.capture.hlo.bodies import Called, bodies_of
from jaxviz.capture.hlo.names import Names
from jaxviz.capture.hlo.params import params_of
from jaxviz.capture.hlo.shapes import Shapes
from jaxviz.capture.hlo.text import Line, Lines
from jaxviz.capture.strings import name
from jaxviz.schema import Eqn, Graph, Var


class Computations:
    """What the computations of a module share."""

    def __init__(self, module: Any, names: Names, lines: Lines) -> None:
        self.shapes = Shapes()
        self._names = names
        self._lines = lines
        self._sequences = module.schedule.sequences
        self._computations = as_called(module)
        self._called = {
            found.id: Called(graph, sum(held.opcode == "parameter" for held in found.instructions))
            for graph, found in enumerate(self._computations)
        }

    def graphs(self, program: Graph) -> list[Graph]:
        """The entry first, with the paths of the jaxpr `program`, then the others as they are
        called."""
        entry, *others = (self._graph(computation) for computation in self._computations)
        return [_with_paths(entry, self._computations[0], program), *others]

    def _graph(self, computation: Any) -> Graph:
        instructions = self._in_order(computation)
        index = {instruction.id: i for i, instruction in enumerate(instructions)}
        lines = [self._lines.get((computation.name, held.name)) for held in instructions]
        parameters = [held for held in instructions if held.opcode == "parameter"]
        parameters.sort(key=lambda held: held.parameter_number)
        return Graph(
            name=name(computation.name),
            vars=[self._var(*pair) for pair in zip(instructions, lines, strict=True)],
            constvars=[],
            invars=[index[held.id] for held in parameters],
            outvars=[index[computation.root_id]],
            args=[""] * len(parameters),
            results=[""],
            eqns=[
                self._eqn(held, line, instructions, index)
                for held, line in zip(instructions, lines, strict=True)
                if held.opcode != "parameter"
            ],
            groups=[],
            effects=[],
        )

    def _in_order(self, computation: Any) -> list[Any]:
        """One after another as they run, where XLA has decided that."""
        listed = list(computation.instructions)
        if computation.id not in self._sequences:
            return listed
        by_id = {instruction.id: instruction for instruction in listed}
        return [by_id[number] for number in self._sequences[computation.id].instruction_ids]

    def _var(self, instruction: Any, line: Line | None) -> Var:
        sharding = None if line is None else line.attributes.get("sharding")
        aval = self.shapes.index(instruction.shape, sharding and name(sharding))
        return Var(name=name("%" + instruction.name), aval=aval, literal=False)

    def _eqn(
        self, instruction: Any, line: Line | None, instructions: list[Any], index: dict[int, int]
    ) -> Eqn:
        invars = [index[number] for number in instruction.operand_ids]
        called = [self._called[number] for number in instruction.called_computation_ids]
        made = self._names.read(_op_name(instruction))
        eqn = self._names.eqn(made.origin)
        return Eqn(
            op=name(instruction.opcode),
            name=name(self._name(instruction)),
            invars=invars,
            outvars=[index[instruction.id]],
            params=params_of(instruction, line),
            bodies=bodies_of(instruction, called, [instructions[i].shape for i in invars]),
            effects=[],
            frame=None if eqn is None else eqn.frame,
            call=None if eqn is None else eqn.call,
            inherited=eqn is not None and eqn.inherited,
            scope=made.scope,
            span=None if line is None else line.span,
            origin=made.origin,
            guess=False,
            trips=None,
            cost=None,
        )

    def _name(self, instruction: Any) -> str:
        """What tells it from others of its opcode."""
        if instruction.opcode == "call":
            return self._computations[
                self._called[instruction.called_computation_ids[0]].graph
            ].name
        return instruction.fusion_kind or instruction.custom_call_target


def as_called(module: Any) -> list[Any]:
    """The computations, callers before those that they call; what nothing calls comes last."""
    by_id = {computation.id: computation for computation in module.computations}
    found = dict.fromkeys([module.entry_computation_id])
    ordered: list[int] = list(found)
    for number in ordered:
        for instruction in by_id[number].instructions:
            for called in instruction.called_computation_ids:
                if called not in found:
                    found[called] = None
                    ordered.append(called)
    return [by_id[number] for number in [*ordered, *(n for n in by_id if n not in found)]]


def _with_paths(entry: Graph, computation: Any, program: Graph) -> Graph:
    """XLA drops parameters that are not used, and names the others as the user does. Results
    that are several are one tuple, which has no path."""
    named = {
        held.parameter_number: name(_op_name(held))
        for held in computation.instructions
        if held.opcode == "parameter"
    }
    args = [named[number] for number in sorted(named)]
    if not set(args) <= set(program.args):
        whole = len(args) == len(program.args)
        args = program.args if whole else [path if path in program.args else "" for path in args]
    results = program.results if len(program.results) == 1 else [""]
    return replace(entry, args=args, results=results)


def _op_name(instruction: Any) -> str:
    return instruction.metadata.op_name.decode(errors="replace")
