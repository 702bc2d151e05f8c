"""Conclusions from records alone, without JAX.

- `groups/` makes a long graph readable.
- `links/` finds the eqn that an instruction was made for.
- `cost/` counts flops and bytes, and `collectives/` the bytes between devices.
- `compare/` makes one program of two.
- `retraces/` finds the reason for a retrace, and a fix.
- `findings/` reports what costs more than it needs to.
"""
