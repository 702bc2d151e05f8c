"""The processes of a job, which exchange messages through JAX's own key-value store.

The store is the one of `jax.distributed.initialize`. It is on the first process and uses no device,
so waiting here blocks no collective.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from time import monotonic
from typing import Any

import jax

from jaxviz.capture._jax import coordination

_LATE = "DEADLINE_EXCEEDED"


class Processes:
    """This process and the others of its job. `count` is 1 if there is no job."""

    def __init__(self, timeout: float) -> None:
        """`timeout` is the number of seconds that `received` waits. Raises ValueError if it is not
        positive."""
        if not timeout > 0:
            raise ValueError(f"timeout is in seconds and above 0, not {timeout!r}.")
        self._timeout = timeout
        store, self.index, self.count = coordination()
        self._store: Any = store

    def publish(self, key: str, value: bytes) -> None:
        """Publishes a value of this process under a key. A key is used once."""
        if self._store is not None:
            self._store.key_value_set_bytes(f"jaxviz/{key}/{self.index}", value)

    def received(
        self,
        key: str,
        processes: Iterable[int] | None = None,
        *,
        wait: bool = True,
        brief: bool = False,
    ) -> dict[int, bytes]:
        """The values that processes (by default all) published under a key before the timeout;
        without `wait`, until now. `brief` values of all processes come in one message. This matters
        for many processes, because each request goes to the first process."""
        asked = range(self.count) if processes is None else [*processes]
        until = monotonic() + (self._timeout if wait else 0.0)
        found = self.so_far(key) if brief else {}
        for one in asked:
            if one in found:
                continue
            value = self._received(f"jaxviz/{key}/{one}", until)
            if value is not None:
                found |= {**(self.so_far(key) if brief else {}), one: value}
        return {one: found[one] for one in asked if one in found}

    def so_far(self, key: str) -> dict[int, bytes]:
        """The values that all processes have published under a key."""
        received = self._store.key_value_dir_get_bytes(f"jaxviz/{key}/")
        return {int(name.rpartition("/")[2]): value for name, value in received}

    def missing(self, received: Collection[int]) -> tuple[int, ...]:
        """The processes that are not among these."""
        return tuple(one for one in range(self.count) if one not in received)

    def _received(self, key: str, until: float) -> bytes | None:
        left = max(1, round((until - monotonic()) * 1000))  # ms
        try:
            return self._store.blocking_key_value_get_bytes(key, left)
        except jax.errors.JaxRuntimeError as error:
            if _LATE in str(error):
                return None
            raise
