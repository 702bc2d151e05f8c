"""Names each op of a module after its number, so that what XLA makes of it can be traced back to
it, as `clone.py` does with the eqns of a jaxpr. Nothing else of the module changes."""

from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

from jaxviz.capture.jaxprs.clone import free_token
from jaxviz.capture.stages.stablehlo.operations import location_name


def number_ops(module: Any) -> str:
    """Changes the module in place, and returns what stands before each number. The numbers are
    those of the eqns of its stage, through all graphs in their order."""
    token = free_token(module.operation.get_asm(enable_debug_info=True, large_elements_limit=1))
    blocks = [region for function in _functions(module) for region in function.regions]
    number = 0
    with module.context:
        for region in blocks:
            ops = [op.operation for block in region.blocks for op in block.operations]
            for op in ops:
                if op.name.endswith(".return"):
                    continue
                op = _renamed(op, _numbered(location_name(op.location), f"{token}{number}"))
                blocks.extend(op.regions)
                number += 1
    return token


def _functions(module: Any) -> list[Any]:
    """As `functions_of` has them."""
    found = [op.operation for op in module.body.operations]
    functions = [op for op in found if op.name == "func.func"]
    return sorted(functions, key=lambda op: op.attributes["sym_name"].value != "main")


def _numbered(name: str, number: str) -> str:
    around, slash, own = name.rpartition("/")
    return f"{around}{slash}{number}/{own}"


def _renamed(op: Any, name: str) -> Any:
    """The op with that name. Before JAX 0.7 an op's location cannot be set: another takes its
    place."""
    location = ir.Location.name(name)
    try:
        op.location = location
        return op
    except AttributeError:
        return _replaced(op, location)


def _replaced(op: Any, location: Any) -> Any:
    made = ir.Operation.create(
        op.name,
        results=[result.type for result in op.results],
        operands=list(op.operands),
        attributes={one.name: one.attr for one in op.attributes},
        regions=len(op.regions),
        loc=location,
        ip=ir.InsertionPoint(op),
    )
    for old, new in zip(op.regions, made.regions, strict=True):
        for block in list(old.blocks):
            block.append_to(new)
    for old, new in zip(op.results, made.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
    return made
