"""What the panel beside the notebook is told by the kernel, and what it asks for."""

from jaxviz.display.panel.kernel_wide import begin
from jaxviz.display.panel.panel_requests import PanelRequests

__all__ = ["PanelRequests", "begin"]
