"""The layout of one region: the same rooms, and the same coordinates, as `js/src/layout/region`.

Change one side with the other; both read the placements in `tests/layouts`.
"""

from __future__ import annotations

from jaxviz.picture.layout.region.placement import OPTIONS, Options, Pin, Placement, Region, Shape
from jaxviz.picture.layout.region.region import layout_region

__all__ = ["OPTIONS", "Options", "Pin", "Placement", "Region", "Shape", "layout_region"]
