"""Shows a program or a log, and answers the pages that show it.

- `bundle.py` makes an output: a MIME bundle of data, a picture and a summary. `fit.py` leaves out
  of a program what is too large for a notebook. `text/` writes programs and reports as text.
- `live_log.py` shows a log under its cell while it grows. `updates.py` limits how often it is sent.
- `outputs.py` lists the outputs that pages can ask about. `page_requests.py` answers their
  questions, and `panel.py` those of the panel. They come over a comm (`channel.py`) or a widget
  (`widget.py`).
- `running_cell.py` knows the running cell and its host. `earlier.py` compares a program with the
  one that the cell showed in its last run.
- `wire/` is the compact form in which programs travel.
"""

from jaxviz.display.bundle import mimebundle
from jaxviz.display.text.summary import summary
from jaxviz.display.wire import decode, encode

__all__ = ["decode", "encode", "mimebundle", "summary"]
