"""Where the NaN and the infinity of a run were born."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.displayed import Displayed, Report
from jaxviz.measures.births import Birth, Told, births_text

Shown = TypeVar("Shown", bound=Displayed)


@dataclass(frozen=True, slots=True, repr=False)
class Births(Report, Generic[Shown]):
    """What one run of a call told of NaN and infinity. It is true where a result has a NaN.

    As the last value of a cell it is the program, opened where the NaN was born, with the way from
    there to the result lit; where nothing was found it is a sentence, and so it is with `print`.
    `save` writes it to a file. NaNs are followed array by array, not element by element; where that
    leaves two origins for one result, the sentence says so.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.find_nan(lambda x: jnp.log(x) * 2.0)(jnp.array([1.0, -1.0]))
    >>> (bool(found), found.nan.op, found.nan.index)
    (True, 'log', (1,))
    """

    _reads = schema.Births

    program: Shown = field(compare=False)
    """What JAX made of the call."""
    nan: Birth | None
    infinity: Birth | None
    """The first infinity of finite operands. Those of constants, as of masks, are none."""
    left_out: tuple[str, ...]
    """The debug prints and callbacks of the program, which were not repeated."""
    run_again: bool
    """Whether the program has a `pure_callback`, which ran again."""

    def __bool__(self) -> bool:
        return self.nan is not None

    def __str__(self) -> str:
        told = Told(self.nan, self.infinity, self.left_out, self.run_again)
        return births_text(self.program._stages.head.name, told)

    __repr__ = __str__

    @property
    def record(self) -> schema.Births:
        """As a page gets it: strings and numbers."""
        kinds = (("NaN", self.nan), ("infinity", self.infinity))
        born = [_record(kind, birth) for kind, birth in kinds if birth is not None]
        return schema.Births(born=born, left_out=[*self.left_out], run_again=self.run_again)

    @classmethod
    def _loaded(cls, program: Any, record: schema.Births) -> Births[Any]:
        stage = program._stages.stage("jaxpr")
        born = {one.kind: _birth(stage, one) for one in record.born}
        nan, infinity = born.get("NaN"), born.get("infinity")
        return cls(program, nan, infinity, (*record.left_out,), record.run_again)

    def _bundle(self) -> dict[str, Any]:
        return Report._bundle(self) if self.record.born else {"text/plain": str(self)}


_ID = re.compile(r"(\d+\.\d+/)*(in|out|const)?\d+")
"""The id of an eqn, an argument or a result on the page (`js/src/facts/ids.ts`)."""


def _birth(stage: schema.Stage, record: schema.Born) -> Birth:
    """What the record of a birth was made of."""
    if not (_ID.fullmatch(record.at) and _ID.fullmatch(record.to)):
        raise ValueError("not an id")
    fields = {name: getattr(record, name) for name in schema.Born.__struct_fields__}
    del fields["kind"]
    graph, eqn = _place_of(stage, record.at)
    listed = {"around": (*record.around,), "index": (*record.index,)}
    return Birth(**{**fields, **listed}, graph=graph, eqn=eqn)


def _place_of(stage: schema.Stage, at: str) -> tuple[int, int]:
    """The graph and the eqn that an id leads to; -1 each for an argument."""
    graph = 0
    *bodies, last = at.split("/")
    try:
        for eqn, body in (map(int, one.split(".")) for one in bodies):
            graph = stage.graphs[graph].eqns[eqn].bodies[body].graph
        return graph, int(last)
    except (ValueError, IndexError):
        return -1, -1


def _record(kind: str, birth: Birth) -> schema.Born:
    return schema.Born(
        kind=kind,
        at=birth.at,
        to=birth.to,
        argument=birth.argument,
        op=birth.op,
        constant=birth.constant,
        frame=birth.frame and replace(birth.frame, parent=None),
        backward=birth.backward,
        around=[*birth.around],
        index=[*birth.index],
        one_of=birth.one_of,
        type=birth.type,
        device=birth.device,
        result=birth.result,
        hidden=birth.hidden,
        others=birth.others,
    )
