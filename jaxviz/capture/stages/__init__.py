"""Makes the later stages of a program.

`lowering.py` lowers it, and `compiling.py` compiles it. `stablehlo/` and `hlo/` read the modules of
JAX and XLA. `refusal.py` gives the reason if a stage cannot be made.
"""
