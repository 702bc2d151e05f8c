"""The processes of a job, and what each tells the others through JAX's own key-value store.

The store is the one of `jax.distributed.initialize`. It is on the first process, and goes through
no device: what waits here holds up no collective.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from time import monotonic
from typing import Any

import jax

from jaxviz.capture._jax import coordination

_LATE = "DEADLINE_EXCEEDED"


class Processes:
    """This process and the others of its job; `count` is 1 where there is no job."""

    def __init__(self, timeout: float) -> None:
        """`timeout`: for how many seconds `told` waits. Raises ValueError where it is not
        positive."""
        if not timeout > 0:
            raise ValueError(f"timeout is in seconds and above 0, not {timeout!r}.")
        self._timeout = timeout
        store, self.index, self.count = coordination()
        self._store: Any = store

    def tell(self, key: str, value: bytes) -> None:
        """Publish what this process has to say under a key. A key is used once."""
        if self._store is not None:
            self._store.key_value_set_bytes(f"jaxviz/{key}/{self.index}", value)

    def told(
        self,
        key: str,
        processes: Iterable[int] | None = None,
        *,
        wait: bool = True,
        brief: bool = False,
    ) -> dict[int, bytes]:
        """What processes, or all of them, said under a key: those that did before time was up, or
        without `wait` until now. What is `brief` of each goes into one message of all: of many
        processes it is asked for at once, as each question is one to the first process."""
        asked = range(self.count) if processes is None else [*processes]
        until = monotonic() + (self._timeout if wait else 0.0)
        found = self.so_far(key) if brief else {}
        for one in asked:
            if one in found:
                continue
            value = self._told(f"jaxviz/{key}/{one}", until)
            if value is not None:
                found |= {**(self.so_far(key) if brief else {}), one: value}
        return {one: found[one] for one in asked if one in found}

    def so_far(self, key: str) -> dict[int, bytes]:
        """What all processes said under a key until now."""
        told = self._store.key_value_dir_get_bytes(f"jaxviz/{key}/")
        return {int(name.rpartition("/")[2]): value for name, value in told}

    def missing(self, told: Collection[int]) -> tuple[int, ...]:
        """The processes that are not among these."""
        return tuple(one for one in range(self.count) if one not in told)

    def _told(self, key: str, until: float) -> bytes | None:
        left = max(1, round((until - monotonic()) * 1000))  # ms
        try:
            return self._store.blocking_key_value_get_bytes(key, left)
        except jax.errors.JaxRuntimeError as error:
            if _LATE in str(error):
                return None
            raise
