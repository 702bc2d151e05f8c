"""Traces, lowerings and compilations as they happen, described: nothing of the user's is held."""

from jaxviz.capture.events.listener import Listener
from jaxviz.capture.events.reader import Apart

__all__ = ["Apart", "Listener"]
