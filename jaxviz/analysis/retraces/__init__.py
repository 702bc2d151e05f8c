"""Why JAX traced, lowered or compiled a function again, and what to do about it.

`history` remembers the calls of each function (`earlier_calls`) and makes an event of each new
trace; `reasons` finds what differs between two calls; `reason_texts` writes that in words; `hints`
suggests a fix, and `made_anew` finds where the reader's code makes an object anew. `cache_keys`
puts the traces of one function side by side, and `owners` states whose trace each is.
"""

from jaxviz.analysis.retraces.cache_keys import CachedProgram, Compared, compared
from jaxviz.analysis.retraces.history import History
from jaxviz.analysis.retraces.owners import LibraryEvents
from jaxviz.analysis.retraces.reason_texts import cause_text, reason_text

__all__ = [
    "CachedProgram",
    "Compared",
    "History",
    "LibraryEvents",
    "cause_text",
    "compared",
    "reason_text",
]
