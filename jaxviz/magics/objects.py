"""Draws JAX's own objects: a `ClosedJaxpr`, `Traced`, `Lowered`, `Compiled` or `Exported` that is
the last value of a cell is a view.

IPython finds the formatter by the name of the class, so nothing is imported for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import InteractiveShell

from jaxviz.capture import CaptureError, eqn_count, kind_of_jax_object, object_classes
from jaxviz.display.bundle import whole_bundle
from jaxviz.display.text.summary import counted
from jaxviz.inspecting import program_of_object

MOST_EQNS = 20_000
"""Drawing more eqns takes seconds, so this is done only on request."""
MOST_EQNS_OF_TEXT = 1_000
"""Above this number of eqns the plain text is jaxviz's summary, so that outputs stay small."""
PLAIN = "text/plain"


class JaxObjects:
    """IPython's formatter for objects of JAX. It never raises, so cells are not affected."""

    def __init__(self, shell: InteractiveShell, is_on: Callable[[], bool]) -> None:
        """Registers the formatter, which leaves objects as text while `is_on` returns False."""
        formatter: Any = shell.display_formatter
        self._display: DisplayFormatter = formatter
        self._bundles: Any = self._display.mimebundle_formatter
        self._is_on = is_on
        self._is_failure_reported = False
        self._earlier = {name: self._bundles.for_type(name, self) for name in object_classes()}

    def remove(self) -> None:
        """Takes the formatter away, and registers again the one that it replaced."""
        for name, earlier in self._earlier.items():
            if self._bundles.for_type(name) is self:
                self._bundles.pop(name)
            if earlier is not None:
                self._bundles.for_type(name, earlier)

    def __call__(self, value: Any) -> dict[str, Any] | None:
        """The MIME bundle of an object; None leaves it to IPython. IPython adds the object's own
        text if the bundle has none."""
        try:
            return self._bundle(value) if self._is_on() and self._is_ours(value) else None
        except Exception as error:
            return self._failed(value, error)

    def _is_ours(self, value: Any) -> bool:
        """False in a terminal, and for a subclass that draws itself."""
        if self._display.active_types == [PLAIN]:
            return False
        others = [one for mime, one in self._display.formatters.items() if mime != PLAIN]
        methods = [one.print_method for one in (*others, self._bundles)]
        return not any(hasattr(type(value), method) for method in methods)

    def _bundle(self, value: Any) -> dict[str, Any] | None:
        kind = kind_of_jax_object(value)
        if not kind:
            return None
        stage, count = eqn_count(value, kind)
        if count > MOST_EQNS:
            return self._as_text(
                value,
                f"{counted(stage, count)}, and at most {MOST_EQNS:,} are drawn without a request: "
                "jaxviz.show(…) draws it.",
            )
        program = program_of_object(value)
        data = whole_bundle(program._stages, program.opening)
        if count <= MOST_EQNS_OF_TEXT and has_text(value, stage):
            del data[PLAIN]
        return data

    def _failed(self, value: Any, error: Exception) -> dict[str, Any] | None:
        """The object's text with the reason, which is reported once."""
        if self._is_failure_reported:
            return None
        self._is_failure_reported = True
        reason = error if isinstance(error, CaptureError) else type(error).__name__
        return self._as_text(value, f"this is not drawn: {reason}")

    def _as_text(self, value: Any, line: str) -> dict[str, Any]:
        """The object's own text, if it has one, and a line of jaxviz."""
        text = self._display.formatters[PLAIN](value) or ""
        return {PLAIN: f"{text}\n\njaxviz: {line}".lstrip()}


def has_text(value: Any, stage: str) -> bool:
    """True if an object's own text shows its program. That of an `Exported` has the bytes of its
    module, and others only have an address."""
    return stage == "jaxpr" and type(value).__repr__ is not object.__repr__
