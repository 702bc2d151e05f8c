"""What happened since watching began: one listener, one history, any number of logs."""

from jaxviz.session.log import Log
from jaxviz.session.session import session

__all__ = ["Log", "session"]
