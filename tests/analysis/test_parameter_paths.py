"""The user's paths of parameters, and which argument holds the parameters."""

from __future__ import annotations

import pytest

from jaxviz.analysis.groups.facts.parameters import Path, keys, parameters


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
    assert parameters(paths, []) == ("params", frozenset({("up",), ("down",)}))


def test_the_parameters_can_lie_in_one_state_with_the_optimizer_s() -> None:
    names = ["state.params['up']", "state.opt[0].mu['up']", "state.opt[0].nu['up']", "state.step"]
    paths = ["state.params['down']", "state.opt[0].mu['down']", "state.opt[0].nu['down']", *names]
    assert parameters(paths, paths) == ("params", frozenset({("up",), ("down",)}))


def test_a_position_in_a_batch_is_no_parameter_of_a_list() -> None:
    paths = ["params['layers'][0]", "params['layers'][1]", "batch[0]", "batch[1]"]
    results = ["result[0]['layers'][0]", "result[0]['layers'][1]"]
    known = frozenset({("layers", "[0]"), ("layers", "[1]")})
    assert parameters(paths, results) == ("params", known)


def test_what_is_trained_comes_before_what_is_frozen() -> None:
    frozen = ["frozen['layers'][0]['w']", "frozen['layers'][1]['w']", "frozen['head']['w']"]
    low = ["lora['layers'][0]['a']", "lora['layers'][1]['a']"]
    owner, known = parameters([*low, *frozen], ["result[0]['layers'][0]['a']"])
    assert owner == "lora"
    assert ("head", "w") in known


def test_keys_with_slashes_are_several() -> None:
    assert keys("params['mlp/~/linear_0']['w']") == ("params", ("mlp", "linear_0", "w"))


def test_no_argument_with_leaves_holds_none() -> None:
    assert parameters(["x", "y"], ["result"]) == ("", frozenset())
