"""Where the NaN and the infinity of a run were born."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec.structs import replace

from jaxviz import schema
from jaxviz.display.bundle import chosen, whole_bundle
from jaxviz.display.still import preformatted
from jaxviz.displayed import Displayed
from jaxviz.export import save
from jaxviz.measures.births import Birth, Told, births_text

Shown = TypeVar("Shown", bound=Displayed)


@dataclass(frozen=True, slots=True, repr=False)
class Births(Generic[Shown]):
    """What one run of a call told of NaN and infinity. It is true where a result has a NaN.

    As the last value of a cell it is the program, opened where the NaN was born, with the way from
    there to the result lit; where nothing was found it is a sentence, and so it is with `print`.
    NaNs are followed array by array, not element by element; where that leaves two origins for one
    result, the sentence says so.

    Examples
    --------
    >>> import jax.numpy as jnp, jaxviz
    >>> found = jaxviz.find_nan(lambda x: jnp.log(x) * 2.0)(jnp.array([1.0, -1.0]))
    >>> (bool(found), found.nan.op, found.nan.index)
    (True, 'log', (1,))
    """

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

    def save(self, path: str | Path) -> None:
        """Write the program as `Program.save` does; a page and a picture show the way.

        Parameters
        ----------
        path : str or Path
            As in `Program.save`: `.html` is what a notebook shows, as a page that needs no network;
            in `.svg` and `.png` the ways from where the first was born to the result are bright.
        """
        record = self.record
        births = record if record.born else None
        save(self.program._stages, path, self.program.opening, births)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        if not self.record.born:
            return chosen({"text/plain": str(self)}, include, exclude)
        stages, opening, text = self.program._stages, self.program.opening, str(self)
        data = whole_bundle(stages, opening, self.record, text, preformatted(text))
        return chosen(data, include, exclude)


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
