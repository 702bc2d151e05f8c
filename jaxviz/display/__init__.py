"""How a program or a log is shown, and what the kernel answers to pages that show it.

An output is a MIME bundle (`bundle`): data, a picture and a summary in text; that of a log grows
while its cell runs (`live_log`). `page_requests` answers outputs, `panel` the panel, and `wire` is
what is sent to both. `running_cell` says which host shows a cell, and what ends when it runs again.
"""

from jaxviz.display.bundle import mimebundle
from jaxviz.display.summary import summary
from jaxviz.display.wire import decode, encode

__all__ = ["decode", "encode", "mimebundle", "summary"]
