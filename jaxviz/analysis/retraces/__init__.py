"""Retraces: why JAX traced, lowered or compiled a function again, and how to avoid it.

`history` stores the calls of each function and makes an event of each new trace. `reasons` finds
the differences between two calls. `retrace_texts` writes them as text, with a hint. `new_objects`
finds the line that creates a new object for each call. `cache_keys` compares the cached programs of
one function. `owners` decides whether a trace is the user's or a library's.
"""

from jaxviz.analysis.retraces.cache_keys import CachedProgram, KeyTable, compare_keys
from jaxviz.analysis.retraces.history import History
from jaxviz.analysis.retraces.owners import LibraryEvents
from jaxviz.analysis.retraces.retrace_texts import cause_text, reason_text

__all__ = [
    "CachedProgram",
    "History",
    "KeyTable",
    "LibraryEvents",
    "cause_text",
    "compare_keys",
    "reason_text",
]
