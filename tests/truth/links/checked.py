"""Compares the links of a labelled program with its labels.

    python tests/truth/links/checked.py

prints that of the programs for several devices, which it makes out of one CPU.
"""

from __future__ import annotations

import json
import os
import sys
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    sys.path.insert(0, str(Path(__file__).parents[2]))

import jaxviz
from jaxviz.stages import StageKind
from truth.links.dataflow import At, plain
from truth.links.functions import FUNCTIONS as LONG
from truth.links.labels import Truth
from truth.links.on_devices import ON_DEVICES
from truth.links.short_functions import ALONE

FUNCTIONS = {**LONG, **ALONE, **ON_DEVICES}


class Checked(NamedTuple):
    """The eqns of one stage of a program, counted, and what is wrong."""

    wrong: list[str]
    made_for_eqns: int
    linked: int
    exact: int


@cache
def truth_of(name: str, kind: StageKind) -> Truth:
    function, args = FUNCTIONS[name]()
    program = jaxviz.inspect(function)(*args)
    return Truth(name, program.stage(kind), program.stage("jaxpr"))


def checked(name: str, kind: StageKind) -> Checked:
    truth = truth_of(name, kind)
    places = [at for at in truth.flow.all() if truth.of(at)]
    linked = [eqn for at in places if (eqn := truth.flow.eqn(at)).origin]
    exact = sum(not eqn.guess for eqn in linked)
    return Checked(_wrong(truth), len(places), len(linked), exact)


def _wrong(truth: Truth) -> list[str]:
    """The links to other eqns than the labels say."""
    return [
        f"{described(truth, at)} was made for {sorted(truth.of(at))}, not {eqn.origin}"
        for at in truth.flow.all()
        if (eqn := truth.flow.eqn(at)).origin and eqn.origin[-1] not in truth.of(at)
    ]


def described(truth: Truth, at: At) -> str:
    """`multiply(dot, x) f32[5,7]`."""
    found = truth.flow.operands(at)
    operands = [one if isinstance(one, str) else plain(truth.flow.eqn(one).op) for one in found]
    return f"{truth.flow.eqn(at).op}({', '.join(operands)}) {truth.flow.type(at)}"


def on_devices() -> dict[str, Any]:
    return {name: checked(name, "hlo")._asdict() for name in ON_DEVICES}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(on_devices()))
