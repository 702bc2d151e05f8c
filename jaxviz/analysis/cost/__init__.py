"""What a program does, from its records alone: floating-point operations and bytes moved.

One table serves all three stages, since an op belongs to the same family in each. Integer work is
no floating-point operation. Optimized HLO is the program of one device of those it runs on.
"""

from jaxviz.analysis.cost.costed import costed

__all__ = ["costed"]
