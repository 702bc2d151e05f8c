"""A cell that runs again compares its program with the one that it showed before."""

from __future__ import annotations

from notebook import Kernel, kernel_fixture, view_of

from jaxviz import schema

SETUP = """
%load_ext jaxviz
import jax, jax.numpy as jnp
x = jnp.ones((4, 8))
def loss(x):
    return jnp.tanh(x).sum()
def other(x):
    return jnp.cos(x) * 2
"""
kernel = kernel_fixture(SETUP)


def run(kernel: Kernel, cell: str, code: str, *deleted: str) -> list[tuple[str, str]]:
    """For each program of the cell, its key and its comparison with that of the last run."""
    outputs = kernel.run(cell, code, deleted)
    displays = [output["data"][schema.MIME] for output in outputs]
    return [(display["key"], display["since"]) for display in displays]


def since(kernel: Kernel, cell: str, code: str, *deleted: str) -> list[str]:
    return [told for _, told in run(kernel, cell, code, *deleted)]


def marks(kernel: Kernel, key: str) -> tuple[list[str], int]:
    """The ops that were added or removed, and how many inputs and results differ."""
    view = view_of(kernel, key)
    view.send({"ask": 1, "since": True})
    told, found = view.whole_answer(1)
    assert told == {"ask": 1, "done": True}
    assert found is not None
    assert found.compared is not None
    eqns = [eqn for graph in found.stages[0].graphs for eqn in graph.eqns]
    signs = [f"{mark.kind} {eqns[mark.eqn].op}" for mark in found.compared.marks]
    return signs, len(found.compared.inputs)


def test_the_first_run_and_an_unchanged_one_say_nothing(kernel: Kernel) -> None:
    assert since(kernel, "quiet", "%jaxviz loss(x)") == [""]
    assert since(kernel, "quiet", "%jaxviz loss(x)") == [""]


def test_an_edit_in_another_cell_is_reported_with_what_it_added_and_removed(kernel: Kernel) -> None:
    [(first, _)] = run(kernel, "edit", "%jaxviz loss(x)")
    kernel.run("define", "def loss(x):\n    return (jnp.sin(x) * 3.0).sum()")
    [(key, told)] = run(kernel, "edit", "%jaxviz loss(x)")
    assert told == "changed"
    signs, ends = marks(kernel, key)
    assert sorted(signs) == ["added mul", "added sin", "removed tanh"]
    assert ends == 0
    view = view_of(kernel, first)
    view.send({"ask": 1, "since": True})
    assert "run the cell again" in view.error(1)
    assert since(kernel, "edit", "%jaxviz loss(x)") == [""]


def test_another_argument_is_a_change_of_types(kernel: Kernel) -> None:
    run(kernel, "types", "%jaxviz other(x)")
    kernel.run("arguments", "y = jnp.ones(3)")
    [(key, told)] = run(kernel, "types", "%jaxviz other(y)")
    assert told == "changed"
    assert marks(kernel, key)[1] == 2


def test_an_edit_that_changes_no_program_says_so(kernel: Kernel) -> None:
    run(kernel, "comment", "%jaxviz other(x)")
    assert since(kernel, "comment", "# a comment\n%jaxviz other(x)") == ["same"]


def test_a_function_may_be_renamed_and_programs_of_a_cell_keep_apart(kernel: Kernel) -> None:
    run(kernel, "name", "def g(x):\n    return jnp.exp(x)\n%jaxviz g(x)")
    renamed = "def h(x):\n    return jnp.exp(x) + 1\n%jaxviz h(x)"
    [(key, told)] = run(kernel, "name", renamed)
    assert told == "changed"
    assert marks(kernel, key)[0] == ["added add"]
    both = "%jaxviz other(x)\n%jaxviz h(x)"
    assert since(kernel, "name", both) == ["", "same"]
    assert since(kernel, "name", f"{both}\n") == ["same", "same"]
    assert since(kernel, "name", "%jaxviz jnp.sin(x)") == [""]


def test_a_deleted_cell_is_forgotten(kernel: Kernel) -> None:
    run(kernel, "gone", "%jaxviz other(x)")
    kernel.run("next", "1", ["gone"])
    assert since(kernel, "gone", "# edited\n%jaxviz other(x)") == [""]


def test_what_is_kept_is_bounded_and_holds_no_array(kernel: Kernel) -> None:
    kernel.run("bound", "from jaxviz.display import earlier\nearlier.MOST_BYTES = 3000")
    for number in range(12):
        run(kernel, f"cell {number}", "%jaxviz other(x)")
    [told] = kernel.run(
        "count",
        "print(sum(len(one.data) for run in earlier._runs.values()"
        " for one in earlier.programs(run)), {type(f).__name__ for run in earlier._runs.values()"
        " for one in earlier.programs(run) for f in one})",
    )
    size, kinds = told["text"].split(" ", 1)
    assert 0 < int(size) <= 3000
    assert kinds.strip() in ("{'str', 'bytes'}", "{'bytes', 'str'}")
