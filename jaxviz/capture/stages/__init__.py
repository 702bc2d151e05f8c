"""The later stages of a program: `lowering.py` makes them, `stablehlo/` and `hlo/` read what JAX
and XLA made, and `refusal.py` says what could not be made."""
