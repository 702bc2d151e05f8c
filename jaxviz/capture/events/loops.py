"""Whether a line stands in a loop: only there something is called again by itself."""

from __future__ import annotations

import dis
from functools import lru_cache
from types import CodeType, FrameType

from jaxviz.capture.source import file_kind


def is_looped(frame: FrameType | None) -> bool:
    """Whether the user's innermost line, or one of theirs that called it, is in a loop now."""
    while frame is not None:
        code = frame.f_code
        own = file_kind(code.co_filename) == "own"
        if own and any(start <= frame.f_lasti <= stop for start, stop in _loops(code)):
            return True
        frame = frame.f_back
    return False


@lru_cache(maxsize=1024)
def _loops(code: CodeType) -> list[tuple[int, int]]:
    """The loops of a function, from their first instruction to the jump back."""
    return [
        (one.argval, one.offset)
        for one in dis.get_instructions(code)
        if "JUMP_BACKWARD" in one.opname and isinstance(one.argval, int)
    ]
