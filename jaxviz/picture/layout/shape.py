"""The shape of the view that a picture is to fit. As `js/src/layout/shape.ts`."""

from __future__ import annotations

from jaxviz.picture.layout.region import Shape

WIDE = Shape(aspect=1.8, tall=760)
EVEN = Shape(aspect=1.0, tall=900)
NARROW = Shape(aspect=0.5, tall=1300)
"""Few shapes, so that small changes of the view move nothing."""
