"""From a call to the records of its program: the only room that knows JAX."""

from jaxviz.capture.errors import CaptureError
from jaxviz.capture.lowering import Later
from jaxviz.capture.trace import Captured, capture

__all__ = ["CaptureError", "Captured", "Later", "capture"]
