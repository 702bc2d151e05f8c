"""Logs of what JAX did: one listener, one history, any number of logs.

`session` listens and fills logs. A `Log` has counts (`counts`, `over_time`), tables of cached
programs (`cache_tables`), stored programs (`program_store`) and its text (`log_text`).
"""

from jaxviz.session.log import Log
from jaxviz.session.session import session

__all__ = ["Log", "session"]
