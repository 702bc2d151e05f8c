"""Random keys that are used twice.

A key is known by its root (an argument, a seed, the results of one split, …) and its place among
the keys of that root. Two values with the same root and place are the same key. If the jaxpr does
not say as much of a value, such as an element at a computed index, it has a root of its own.

- `key_values.py`: keys, roots, uses, and the path of eqns that leads to each use
- `known_keys.py`: the keys that are known so far
- `key_flow.py`: follows keys through eqns, bodies and loops
- `key_rules.py`: for each primitive, the keys of its results
- `key_findings.py`: which uses of one key are a finding
"""
