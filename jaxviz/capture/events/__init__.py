"""Describes traces, lowerings and compilations as they happen, without keeping objects of the
user's alive."""

import jax

from jaxviz.capture.events.announcements import Apart
from jaxviz.capture.events.hits import Called, Hits
from jaxviz.capture.events.listener import Listener
from jaxviz.capture.events.live import APART

JAX = jax.__version__
"""The version of JAX that runs."""

__all__ = ["APART", "JAX", "Apart", "Called", "Hits", "Listener"]
