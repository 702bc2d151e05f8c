"""Why JAX traced, lowered or compiled a function again, and what to do about it.

`history` remembers the calls of each function (`earlier_calls`) and makes an event of each new
fact; `reasons` says what differs between two calls; `hints` puts that into words and offers a mend.
`cache_keys` puts the traces of one function side by side.
"""

from jaxviz.analysis.retraces.cache_keys import Compared, Traced, compared
from jaxviz.analysis.retraces.hints import reason_text
from jaxviz.analysis.retraces.history import History

__all__ = ["Compared", "History", "Traced", "compared", "reason_text"]
