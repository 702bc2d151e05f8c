"""The user's paths, and which argument holds the parameters."""

from __future__ import annotations

import pytest

from jaxviz.analysis.arguments import Path, keys, parameters


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("params['layers'][0]['w']", ("params", ("layers", "[0]", "w"))),
        ("params['a']['b'].value", ("params", ("a", "b"))),
        ("state[0].mu['w']", ("state", ("[0]", "mu", "w"))),
        ("x", ("x", ())),
        ("d['it\\'s']", ("d", ("it\\'s",))),
        ("model.blocks[1].up.weight", ("model", ("blocks", "[1]", "up", "weight"))),
        ("d['[0].x']", ("d", ("[0].x",))),
        ("", ("", ())),
    ],
)
def test_paths(path: str, expected: tuple[str, Path]) -> None:
    assert keys(path) == expected


def test_the_parameters_are_what_an_optimizer_keeps_state_for() -> None:
    paths = ["state.mu['up']", "state.mu['down']", "params['up']", "params['down']", "x"]
    assert parameters(paths) == ("params", frozenset({("up",), ("down",)}))


def test_a_position_in_a_batch_is_no_parameter_of_a_list() -> None:
    paths = ["params['layers'][0]", "params['layers'][1]", "batch[0]", "batch[1]"]
    assert parameters(paths) == ("params", frozenset({("layers", "[0]"), ("layers", "[1]")}))


def test_no_argument_with_leaves_holds_none() -> None:
    assert parameters(["x", "y"]) == ("", frozenset())
