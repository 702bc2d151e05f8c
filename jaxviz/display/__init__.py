"""How a program or a log is shown, and what the kernel answers to pages that show it.

An output is a MIME bundle (`bundle`): data, a picture and a summary in text. `page_requests`
answers pages, `wire` is what is sent to them, `cell_runs` says what ends when a cell runs again.
"""

from jaxviz.display.bundle import mimebundle
from jaxviz.display.summary import summary
from jaxviz.display.wire import decode, encode

__all__ = ["decode", "encode", "mimebundle", "summary"]
