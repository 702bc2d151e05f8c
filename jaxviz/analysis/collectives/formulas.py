"""Counts the bytes that each device sends to others for one collective.

Of n devices, each of which has b bytes of the operand:

| | bytes that each sends | |
|---|---|---|
| all-reduce | 2·b·(n - 1)/n | a reduce-scatter, then an all-gather of what came of it |
| reduce-scatter | b·(n - 1)/n | of n parts it passes on all but the one that it keeps |
| all-gather | b·(n - 1) | its own part and those of all others but one |
| all-to-all | b·(n - 1)/n | all of its n parts but the one that it keeps |
| permute | b | what is paired with another device |
| broadcast | b | a chain: each passes on what it got |

These are what devices send in a ring. For an all-reduce that is the least with which it can be done
(P. Patarasuk and X. Yuan, *Bandwidth optimal all-reduce algorithms for clusters of workstations*,
Journal of Parallel and Distributed Computing 69, 2009); NVIDIA's nccl-tests count the same in their
"bus bandwidth" (doc/PERFORMANCE.md there). What runs may send another way, such as along a tree
where values are small, and with switches that sum up by themselves devices send less.
"""

from __future__ import annotations

_KINDS = {
    "all-reduce": "psum psum2 psum_invariant pmax pmin psum_start psum_invariant_start all_reduce "
    "unreduced_psum unreduced_pmax unreduced_pmin unreduced_psum_start",
    "reduce-scatter": "reduce_scatter reduce_scatter_start unreduced_reduce_scatter "
    "unreduced_reduce_scatter_start",
    "all-gather": "all_gather all_gather_start all_gather_invariant all_gather_reduced "
    "all_gather_reduced_start",
    "all-to-all": "all_to_all all_to_all_start",
    "permute": "ppermute ppermute_start collective_permute",
    "broadcast": "pbroadcast pbroadcast_start collective_broadcast",
}
KINDS = {op: kind for kind, ops in _KINDS.items() for op in ops.split()}
"""Ops of all stages by the names of their rows in `jaxviz/ops`. Of a collective in two parts it is
the first that sends."""


def sent(kind: str, devices: int, size: int) -> int:
    """Bytes that each of some devices sends, rounded up. `size` is how many it has of the
    operands; `devices` is at least 1, but for a permute that none sends for."""
    others = devices - 1
    match kind:
        case "all-reduce":
            return -(-2 * size * others // devices)
        case "reduce-scatter" | "all-to-all":
            return -(-size * others // devices)
        case "all-gather":
            return size * others
        case _:
            return size if devices > (kind != "permute") else 0
