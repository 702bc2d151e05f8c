"""How often JAX's caches were cleared."""

from __future__ import annotations

from threading import RLock

from jaxviz.capture import _events as seen


class Clears:
    """Counts calls of `jax.clear_caches()` and `f.clear_cache()`, by their effects.

    JAX announces neither. A cache of ours that JAX clears with its own gives a new object then, and
    the count of signatures that JAX has seen falls.
    """

    def __init__(self) -> None:
        self._lock = RLock()
        self._sentinel = seen.sentinel()
        self._last = self._sentinel()
        self._signatures = seen.signatures_seen() or 0
        self.count = 0

    def look(self) -> bool:
        """Whether caches were cleared since the last look. Called at the start of each event."""
        with self._lock:
            now, signatures = self._sentinel(), seen.signatures_seen() or 0
            cleared = now is not self._last or signatures < self._signatures
            self.count += cleared
            self._last, self._signatures = now, signatures
        return cleared
