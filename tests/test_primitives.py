"""JAX's public primitives: whether the tables of families and costs know each of them."""

from __future__ import annotations

import re
from pathlib import Path

from jax import lax
from jax.extend.core import Primitive, primitives

from jaxviz.analysis.cost.families import CALLS
from jaxviz.analysis.cost.flops import TABLE
from jaxviz.analysis.cost.values import plain

NAMES = {
    found.name
    for module in (primitives, lax)
    for name in dir(module)
    if isinstance(found := getattr(module, name), Primitive)
}
WITHOUT_COST = {
    *("cumlogsumexp", "custom_lin", "infeed", "outfeed", "random_gamma", "rng_uniform"),
    *("stage", "xla_pmap"),
}
"""Their flops are not reported."""
OTHER = {
    *("after_all", "create_token", "dce_sink", "infeed", "optimization_barrier", "outfeed"),
    "stage",
}
"""They order what happens, or are no part of any program."""


def test_the_flops_of_each_are_counted_or_known_not_to_be() -> None:
    assert len(NAMES) > 150
    uncounted = {name for name in NAMES if plain(name) not in {*TABLE, *CALLS}}
    assert uncounted <= WITHOUT_COST


def test_each_has_the_family_of_what_it_does() -> None:
    """On the page, whose table it is."""
    code = (Path(__file__).parent.parent / "js" / "src" / "facts" / "family.ts").read_text()
    table = re.findall(r"^  (\w+):\s+'([^']+)'", code, re.MULTILINE)
    families = {name: family for family, names in table for name in names.split()}
    assert len(table) == 9
    assert {name for name in NAMES if families.get(plain(name), "other") == "other"} <= OTHER
    assert families["polynomial"] == "elementwise"
