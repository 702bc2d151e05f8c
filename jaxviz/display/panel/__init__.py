"""The kernel's side of the panel beside the notebook: what it shows, and what it may ask for."""

from jaxviz.display.panel.kernel_wide import begin
from jaxviz.display.panel.panel_requests import PanelRequests

__all__ = ["PanelRequests", "begin"]
