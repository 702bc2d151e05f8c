"""Random keys that are used twice: the programs of the truth, beside JAX's own checker."""

from __future__ import annotations

import jax
import pytest
from truth.findings import cases, expected

TYPED = [name for name in cases() if name.startswith("key_reuse.") and not name.endswith("_raw")]
"""JAX's checker knows typed keys alone."""
SILENT = {
    "equal_folds": "it takes each fold_in for a new key",
    "equal_folds_of_a_variable": "it takes each fold_in for a new key",
    "seed_in_scan": "it asks if keys from outside are used, and not if a seed is the same",
    "half_drawn_and_returned": "it allows a key that was drawn from to be a result",
}
if jax.__version_info__ < (0, 12):
    SILENT |= dict.fromkeys(
        ("half_drawn_and_carried", "half_drawn_and_carried_by_fori"),
        "it allows a key that was drawn from to be a result of an iteration",
    )
"""The programs in which it is silent about a key that is used twice."""
WRONG = {
    "opposite_choices": "only one of the two choices runs its branch",
    "opposite_comparisons": "only one of the two choices runs its branch",
    "switches_of_one_index": "each index runs one of the two branches",
    "no_iteration": "the loop does not run its body",
    "once_in_a_loop": "only the fourth iteration uses the key",
    "one_iteration": "there is no second iteration",
    "index_not_known": "the two indices may differ",
}
"""The programs in which it reports keys that need not be the same, or are used once."""
SILENCED = {"meant": "the reader's comment silences jaxviz"}


@pytest.mark.parametrize("name", TYPED)
def test_jax_agrees_or_is_known_not_to(name: str) -> None:
    one = cases()[name]
    with jax.debug_key_reuse(True):
        try:
            jax.make_jaxpr(one.fun)(*one.args)
            reports = False
        except jax.errors.KeyReuseError:
            reports = True
    is_reused = any(kind == "key-reuse" for kind, _ in expected(one))
    program = name.partition(".")[2]
    assert (reports, is_reused) == {
        **dict.fromkeys(SILENT, (False, True)),
        **dict.fromkeys(WRONG | SILENCED, (True, False)),
    }.get(program, (is_reused, is_reused))


def test_it_is_held_against_enough_programs() -> None:
    assert len(TYPED) >= 54
