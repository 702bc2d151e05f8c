"""Retraces: why JAX traced, lowered or compiled a function again, and how to avoid it.

`history` stores the calls of each function and makes an event of each new trace. `reasons` finds
the differences between two calls. `retrace_texts` writes them as text, with a hint. `made_anew`
finds the line that creates a new object on each call. `cache_keys` compares the cached programs of
one function. `owners` states which library a trace belongs to.
"""

from jaxviz.analysis.retraces.cache_keys import CachedProgram, Compared, compared
from jaxviz.analysis.retraces.history import History
from jaxviz.analysis.retraces.owners import LibraryEvents
from jaxviz.analysis.retraces.retrace_texts import cause_text, reason_text

__all__ = [
    "CachedProgram",
    "Compared",
    "History",
    "LibraryEvents",
    "cause_text",
    "compared",
    "reason_text",
]
