"""What the panel beside the notebook is told, and what it asks for."""

from jaxviz.display.panel.asked import PanelAsked
from jaxviz.display.panel.kernel_wide import begin

__all__ = ["PanelAsked", "begin"]
