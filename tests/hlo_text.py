"""Instructions that XLA reads from text, as jaxviz has them in a file of HLO."""

from __future__ import annotations

import jax
import pytest

from jaxviz import schema
from jaxviz.capture.stages._modules import hlo_module, printed
from jaxviz.capture.stages.hlo import stage_of
from jaxviz.schema import Eqn, Groups, Pairs, Stage, empty

MODULE = """HloModule m, num_partitions=8

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

ENTRY e {
%s
}
"""


def stage(lines: str) -> schema.Stage:
    """The stage of a module whose entry has these lines."""
    module = hlo_module(MODULE % lines)
    return stage_of(
        module.as_serialized_hlo_module_proto(),
        printed(module),
        empty(Stage, kind="jaxpr"),
        "no",
        [],
    )


def eqn(lines: str) -> Eqn:
    """The last instruction of these lines."""
    return stage(lines).graphs[0].eqns[-1]


def groups(text: str) -> Groups:
    """Groups of an all-reduce, read from XLA's text."""
    if text.startswith("mesh") and jax.__version_info__ < (0, 8):
        pytest.skip("this XLA writes no groups along axes of a mesh")
    found = eqn(
        "p = f32[8] parameter(0)\n"
        f"ROOT r = f32[8] all-reduce(p), replica_groups={text}, to_apply=add, channel_id=1, "
        "use_global_device_ids=true"
    ).attributes
    assert isinstance(found, Groups)
    return found


def pairs(text: str) -> Pairs:
    """Pairs of a collective-permute, read from XLA's text."""
    found = eqn(
        "p = f32[8] parameter(0)\n"
        f"ROOT r = f32[8] collective-permute(p), source_target_pairs={text}, channel_id=1"
    ).attributes
    assert isinstance(found, Pairs)
    return found
