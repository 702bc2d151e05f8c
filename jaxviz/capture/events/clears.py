"""How often JAX's caches were cleared."""

from __future__ import annotations

from threading import RLock

from jaxviz.capture import _events as seen


class Clears:
    """Counts what is seen of `jax.clear_caches()` and of `f.clear_cache()`."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._sentinel = seen.sentinel()
        self._last = self._sentinel()
        self._signatures = seen.signatures_seen() or 0
        self.count = 0

    def look(self) -> bool:
        """Whether they were since the last look; to be called at each event."""
        with self._lock:
            now, signatures = self._sentinel(), seen.signatures_seen() or 0
            cleared = now is not self._last or signatures < self._signatures
            self.count += cleared
            self._last, self._signatures = now, signatures
        return cleared
