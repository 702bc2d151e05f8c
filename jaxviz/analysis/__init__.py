"""What follows from records alone, without JAX.

`groups` makes a long graph readable, `cost` counts flops and bytes, `links` says which eqn an
instruction was made for, `compare` makes one program of two, and `retraces` says why a function was
traced again, with hints what to do about it.
"""
