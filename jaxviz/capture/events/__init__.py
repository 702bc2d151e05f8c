"""Describes each trace, lowering and compilation as it happens, as strings and numbers.

`Listener` hears what JAX announces, `Hits` counts the calls that JAX's caches answer, and describes
the first ones. Neither keeps an object of the user's alive.
"""

import jax

from jaxviz.capture.events.hits import CallCount, Hits
from jaxviz.capture.events.listener import Listener
from jaxviz.capture.events.programs import PRINTING_IS_PER_THREAD

JAX = jax.__version__
"""The version of JAX that is installed."""

__all__ = [
    "JAX",
    "PRINTING_IS_PER_THREAD",
    "CallCount",
    "Hits",
    "Listener",
]
