"""How a program is shown: a MIME bundle for notebooks, a widget, a summary in text."""

from jaxviz.display.bundle import mimebundle
from jaxviz.display.summary import summary
from jaxviz.display.wire import decode, encode

__all__ = ["decode", "encode", "mimebundle", "summary"]
