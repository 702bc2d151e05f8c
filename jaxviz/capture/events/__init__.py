"""Traces, lowerings and compilations as they happen, described: nothing of the user's is held."""

import jax

from jaxviz.capture.events.announcements import Apart
from jaxviz.capture.events.hits import Called, Hits
from jaxviz.capture.events.listener import Listener
from jaxviz.capture.events.live import APART

JAX = jax.__version__
"""The version that is listened to."""

__all__ = ["APART", "JAX", "Apart", "Called", "Hits", "Listener"]
