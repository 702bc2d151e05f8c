"""See what JAX sees: the program JAX made of a Python function, as a picture."""

from jaxviz.capture import CaptureError
from jaxviz.program import Program, inspect, load

__all__ = ["CaptureError", "Program", "inspect", "load"]
