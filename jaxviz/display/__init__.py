"""Shows a program or a log, and answers the pages that show it.

An output is a MIME bundle (`bundle`): data, a picture and a summary as text. The output of a log
grows while its cell runs (`live_log`). `page_requests` answers outputs and `panel` the panel;
`wire` is the form that both get. `running_cell` knows the host of a cell, and what ends when the
cell runs again.
"""

from jaxviz.display.bundle import mimebundle
from jaxviz.display.summary import summary
from jaxviz.display.wire import decode, encode

__all__ = ["decode", "encode", "mimebundle", "summary"]
