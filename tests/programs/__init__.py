"""Small named functions that together hold every kind of body, each with a call of it.

`CALLS[name]` is what `jaxviz.inspect(function)(*arguments)` is given; the golden programs in
`golden/` are made of these, and the tests of the page read them.
"""

from __future__ import annotations

from programs import control, derivatives, plain, rare
from programs.call import CALLS, Call, shaped

__all__ = ["CALLS", "Call", "control", "derivatives", "plain", "rare", "shaped"]
