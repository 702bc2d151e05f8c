"""The programs that JAX traced of one function, and what tells their calls apart."""

from __future__ import annotations

from typing import Any

from jaxviz.display.cache_text import cache_text, heading
from jaxviz.display.still import preformatted
from jaxviz.schema import CacheTable
from jaxviz.session.log_text import place


class Cache:
    """The programs that JAX traced of a function, a row each, with what tells their calls apart.

    `Log.cache` gives one. As the last value of a cell it is a table. Its columns are those of the
    things that JAX looks a call up by in which the rows differ.

    Attributes
    ----------
    table : CacheTable
        The columns and rows.

    Examples
    --------
    >>> import jax, jax.numpy as jnp, jaxviz
    >>> double = jax.jit(lambda x: x * 2)
    >>> with jaxviz.watch() as log:
    ...     _ = double(jnp.ones(3)), double(jnp.ones(4)), double(jnp.zeros(3))
    >>> [row["x: shape"] for row in log.cache("<lambda>").records()]
    ['[3]', '[4]']
    """

    __slots__ = ("table",)

    def __init__(self, table: CacheTable) -> None:
        self.table = table

    def records(self) -> list[dict[str, Any]]:
        """Give a dict for each program, for `pandas.DataFrame`."""
        headings = [heading(column) for column in self.table.columns]
        return [
            {
                "number": row.number,
                "site": None if row.site is None else place(row.site),
                **dict(zip(headings, row.cells, strict=True)),
            }
            for row in self.table.rows
        ]

    def __len__(self) -> int:
        return len(self.table.rows) + self.table.omitted

    def __str__(self) -> str:
        return cache_text(self.table)

    __repr__ = __str__

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Give what a notebook shows."""
        return {"text/plain": str(self), "text/html": preformatted(str(self))}
