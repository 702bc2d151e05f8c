"""The later stages of a program: `lowering.py` makes them, `stablehlo/` and `hlo/` read what JAX
and XLA made, and `refusal.py` says why one could not be made."""
