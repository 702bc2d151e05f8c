"""Programs whose eqns were followed by hand through StableHLO to HLO: six of `functions.py`, and
short ones of `short_functions.py`, whose labels are all in `short_stablehlo.txt` and `short.txt`.

Each `.txt` was written by reading three texts that JAX 0.10.2 prints of the plain function: the
jaxpr, `lower().as_text()`, and `compile().as_text()` on a CPU, without any of its metadata and
without jaxviz. It says of every op and instruction from which eqn of the jaxpr it comes. Eqns
are numbered through all jaxprs in their order. What is on no line came from no eqn.

A line describes ops by what they compute from what, not by name or place, so that it holds
whatever XLA fuses:

    multiply(dot, subtract) f32[5,7]: 38

is an op `multiply` of that type, whose operands are made by a `dot` and by a `subtract`, and it
was made for eqn 38. `x` is an input of the program, `carry` the input of a loop's body, `_`
anything; fusions and calls are looked through; `constant=0.25` and `iota=1` have a param of that
value; `for select` says who uses it. The first line that fits holds. Of several numbers each is
right: XLA made one instruction of several eqns. `users` stands for the eqns of its users.

`before(cosine)` is whatever a `cosine` comes from, `after(cosine)` what comes from it.

Where an older XLA divides and a newer one multiplies by the inverse, both have a line.

A fusion may name any eqn that it holds, and what a reduction, a scatter or a sort applies to
elements that of the reduction, or its own.
"""
